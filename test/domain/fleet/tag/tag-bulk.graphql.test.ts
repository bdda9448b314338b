import { beforeAll, describe, expect, it } from 'vitest';

import { answered, listed } from '../../../support/dashboard.js';
import { expectRefused, mutated } from '../../../support/mutations.js';
import { type Fields, useServer } from '../../../support/server.js';

const server = useServer();

const CHANGES = { Device: 'deviceBulkChange', LogicalNumber: 'logicalNumberBulkChange' } as const;
type Type = keyof typeof CHANGES;

interface Changed extends Fields {
  readonly job: { readonly id: string } | null;
}

/** Starts a change, and waits until it is made. */
async function change(type: Type, target: Fields, change: Fields, more: Fields = {}): Promise<Changed> {
  const selection = `count job { id } examples { id }`;
  const payload = await mutated<Changed>(server.acme, CHANGES[type], { target, change, ...more }, selection);
  await server.app.steps.idle();
  return payload;
}

const tagsOf = (type: Type, filter: Fields) => listed(server.acme, type, 'tags', { filter });

beforeAll(async () => {
  for (const [n, tags] of [['old'], ['old', 'kept'], ['kept']].entries()) {
    await mutated(server.acme, 'deviceCreate', { input: { serialNumber: `B${n}`, tags } });
    await mutated(server.acme, 'logicalNumberCreate', {
      input: { number: `b ${n}`, tags, merchantName: 'M' },
    });
  }
  const many = Array.from({ length: 20 }, (_, n) => `t${n}`);
  await mutated(server.acme, 'deviceCreate', { input: { serialNumber: 'full', tags: many } });
});

describe.each<[Type, Fields]>([
  ['Device', { serialNumber: { startsWith: 'B' } }],
  ['LogicalNumber', { number: { startsWith: 'b ' } }],
])('a change of the tags of many: %s', (type, filter) => {
  it('counts the records of a filter with dryRun, and changes none', async () => {
    const target = { filter: { ...filter, tags: { eq: 'Old' } } };
    const { job, count, examples } = await change(type, target, { removeTags: ['old'] }, { dryRun: true });
    expect({ job, count, examples }).toEqual({
      job: null,
      count: 2,
      examples: [{ id: expect.any(String) as string }, { id: expect.any(String) as string }],
    });
    expect(await tagsOf(type, filter)).toEqual([['old'], ['old', 'kept'], ['kept']]);
  });

  it('adds and removes them, each record once in the ledger, and leaves the others', async () => {
    const { job } = await change(type, { filter }, { addTags: ['NEW', 'kept'], removeTags: ['Old'] });
    expect(await tagsOf(type, filter)).toEqual([
      ['new', 'kept'],
      ['kept', 'new'],
      ['kept', 'new'],
    ]);
    expect(await tagsOf(type, { ...filter, tags: { eq: 'old' } })).toEqual([]);
    const query = 'query ($id: ID!) { job(id: $id) { done rejected } }';
    expect((await answered(server.acme, query, { id: job?.id })).job).toEqual({ done: 3, rejected: 0 });
    const node = await listed(server.acme, type, 'revision', { filter });
    expect(node).toEqual([2, 2, 2]);
  });

  it('is refused if another number of records than expected would change, and if it is empty', async () => {
    const given = { target: { filter }, change: { addTags: ['x'] }, expectCount: 2 };
    await expectRefused(server.acme, CHANGES[type], given, 'INVALID expectCount', /affects 3/);
    const empty = { target: { filter }, change: {} };
    await expectRefused(server.acme, CHANGES[type], empty, 'INVALID change', /must not be empty/);
  });
});

it('a device that would have too many tags is refused, and the others get them', async () => {
  const { job } = await change('Device', { all: true }, { addTags: ['more'] });
  const query = 'query ($id: ID!) { job(id: $id) { rejections { nodes { name message } } } }';
  const { rejections } = (await answered<{ job: Fields }>(server.acme, query, { id: job?.id })).job;
  expect(rejections).toEqual({
    nodes: [{ name: 'full', message: expect.stringContaining('at most 20 entries') as string }],
  });
  expect(
    await listed(server.acme, 'Device', 'serialNumber', { filter: { tags: { eq: 'more' } } }),
  ).toHaveLength(3);
});
