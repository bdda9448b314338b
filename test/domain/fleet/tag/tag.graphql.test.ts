import { beforeAll, describe, expect, it } from 'vitest';

import { answered, listed, measured, nodeId } from '../../../support/dashboard.js';
import { fleet, ledgerOf } from '../../../support/fleet.js';
import { expectRefused, mutated } from '../../../support/mutations.js';
import { type Fields, useServer } from '../../../support/server.js';

const server = useServer();

interface Record extends Fields {
  readonly id: string;
  readonly databaseId: number;
  readonly revision: number;
  readonly tags: readonly string[];
}

const FIELDS = 'id databaseId revision tags notes';
const create = async (serialNumber: string, more: Fields = {}): Promise<Record> =>
  (
    await mutated<{ device: Record }>(
      server.acme,
      'deviceCreate',
      { input: { serialNumber, ...more } },
      `device { ${FIELDS} }`,
    )
  ).device;
const update = async (id: string, input: Fields, ifMatch?: number): Promise<Record> =>
  (
    await mutated<{ device: Record }>(
      server.acme,
      'deviceUpdate',
      { id, input, ifMatch },
      `device { ${FIELDS} }`,
    )
  ).device;
const tagged = (tags: Fields, more: Fields = {}) =>
  listed(server.acme, 'Device', 'serialNumber', { filter: { tags, ...more } });

describe('tags and notes', () => {
  it('are kept in lower case and once each, with notes as they were written', async () => {
    const device = await create('kept', {
      tags: ['VIP', 'São-Paulo', 'vip'],
      notes: 'Ask for Ana.\nBack door.',
    });
    expect(device).toMatchObject({ tags: ['vip', 'são-paulo'], notes: 'Ask for Ana.\nBack door.' });
    expect(await create('plain')).toMatchObject({ tags: [], notes: null });
    const changed = await update(device.id, { tags: ['loja'] }, device.revision);
    expect(changed).toMatchObject({ tags: ['loja'], notes: 'Ask for Ana.\nBack door.', revision: 2 });
    expect(await update(device.id, { notes: null })).toMatchObject({ tags: ['loja'], notes: null });
    // Nothing differs, so the revision stays.
    expect(await update(device.id, { tags: ['LOJA'] })).toMatchObject({ revision: 3 });
  });

  it.each<[string, Fields, string, RegExp]>([
    ['a tag with a space', { tags: ['two words'] }, 'INVALID input.tags', /spaces, commas or semicolons/],
    ['a tag that is too long', { tags: ['x'.repeat(41)] }, 'INVALID input.tags', /at most 40 characters/],
    [
      'too many tags',
      { tags: Array.from({ length: 21 }, (_, n) => `t${n}`) },
      'INVALID input.tags',
      /at most 20/,
    ],
    ['an empty tag', { tags: [''] }, 'INVALID input.tags', /must not be empty/],
    ['long notes', { notes: 'x'.repeat(2_001) }, 'INVALID input.notes', /at most 2000 characters/],
  ])('refuse %s', async (_name, input, refusal, message) => {
    const serialNumber = 'refused';
    await expectRefused(server.acme, 'deviceCreate', { input: { serialNumber, ...input } }, refusal, message);
    expect(
      await listed(server.acme, 'Device', 'id', { filter: { serialNumber: { eq: serialNumber } } }),
    ).toEqual([]);
  });

  it('are in the ledger, from which a change is undone, and locked by the revision', async () => {
    const { id, databaseId } = await create('undone', { tags: ['first'] });
    await update(id, { tags: ['second'], notes: 'n' });
    await expectRefused(
      server.acme,
      'deviceUpdate',
      { id, input: { tags: [] }, ifMatch: 1 },
      'STALE ifMatch',
    );
    const [, entry] = await ledgerOf(server, server.acme, 'device', databaseId);
    expect(entry).toMatchObject({
      before: { tags: ['first'], notes: null },
      after: { tags: ['second'], notes: 'n' },
    });
    const { node } = await answered<{ node: { history: { nodes: readonly Fields[] } } }>(
      server.acme,
      'query ($id: ID!) { node(id: $id) { ... on Device { history { nodes { sequence } } } } }',
      { id },
    );
    await mutated(server.acme, 'revert', { sequence: node.history.nodes[0]?.sequence });
    expect(await tagged({ eq: 'first' })).toEqual(['undone']);
    expect(await tagged({ eq: 'second' })).toEqual([]);
  });

  it('are neither shown nor taken by /v1, whose changes leave them as they are', async () => {
    const { client } = server.acme;
    const { databaseId } = await create('rest', { tags: ['stays'], notes: 'too' });
    const device = (await client.put('devices/rest', { enabled: false, tags: ['other'] })).record('device');
    expect(Object.keys(device)).not.toEqual(expect.arrayContaining(['tags']));
    expect(Object.keys(device)).not.toEqual(expect.arrayContaining(['notes']));
    const { node } = await answered(
      server.acme,
      'query ($id: ID!) { node(id: $id) { ... on Device { tags notes enabled } } }',
      { id: nodeId('Device', databaseId) },
    );
    expect(node).toEqual({ tags: ['stays'], notes: 'too', enabled: false });
  });
});

describe('the filter by tags', () => {
  beforeAll(async () => {
    await create('f 1', { tags: ['red', 'big'] });
    await create('f 2', { tags: ['red'] });
    await create('f 3', { tags: ['blue'] });
    await create('f 4');
    const input = { serialNumber: 'f beta', tags: ['red'] };
    await mutated(server.beta, 'deviceCreate', { input });
  });

  it.each<[string, Fields, readonly string[]]>([
    ['one tag, in any case', { eq: 'RED' }, ['f 1', 'f 2']],
    ['any of several tags', { in: ['blue', 'Big'] }, ['f 1', 'f 3']],
    ['the beginning of a tag', { startsWith: 'bl' }, ['f 3']],
    ['a part of a tag, its case aside', { contains: 'I', ignoreCase: true }, ['f 1']],
    ['no tags', { isNull: true }, ['f 4']],
    ['any tag at all', { isNull: false }, ['f 1', 'f 2', 'f 3']],
  ])('selects devices by %s, of the own company alone', async (_name, tags, serialNumbers) => {
    expect(await tagged(tags, { serialNumber: { startsWith: 'f ' } })).toEqual(serialNumbers);
  });

  it('selects those without a tag by not, and logical numbers too', async () => {
    const not = { not: { tags: { eq: 'red' } }, serialNumber: { startsWith: 'f ' } };
    expect(await listed(server.acme, 'Device', 'serialNumber', { filter: not })).toEqual(['f 3', 'f 4']);
    const input = { number: '77', tags: ['Shop'] };
    await mutated(server.acme, 'logicalNumberCreate', { input });
    expect(
      await listed(server.acme, 'LogicalNumber', 'number', { filter: { tags: { eq: 'shop' } } }),
    ).toEqual(['77']);
  });

  it('finds nothing of a deleted device, and reads many with the statements of one', async () => {
    await create('gone', { tags: ['gone'] });
    expect((await server.acme.client.delete('devices/gone')).status).toBe(200);
    expect(await tagged({ eq: 'gone' })).toEqual([]);
    const query =
      'query ($tag: String!) { devices(filter: { tags: { eq: $tag } }) { nodes { tags notes } } }';
    const [one, many] = [
      await measured(server, server.acme, query, { tag: 'blue' }),
      await measured(server, server.acme, query, { tag: 'red' }),
    ];
    expect(many.statements).toHaveLength(one.statements.length);
  });
});

describe('the merchant of a logical number', () => {
  it('has a name and an address, which are filtered by, cleared and absent from /v1', async () => {
    const { client } = server.acme;
    const merchant = { merchantName: 'Padaria Central', merchantAddress: 'Rua A, 1\nSão Paulo' };
    const { logicalNumber } = await mutated<{ logicalNumber: Record }>(
      server.acme,
      'logicalNumberCreate',
      { input: { number: '4711', ...merchant } },
      'logicalNumber { id merchantName merchantAddress }',
    );
    expect(logicalNumber).toMatchObject(merchant);
    const filter = { merchantName: { startsWith: 'Padaria' } };
    expect(await listed(server.acme, 'LogicalNumber', 'number', { filter })).toEqual(['4711']);
    expect((await client.get('logical_numbers/4711')).record('logical_number')).not.toHaveProperty(
      'merchant_name',
    );
    await client.put('logical_numbers/4711', { number: '4712' });
    const input = { merchantAddress: null };
    const { logicalNumber: after } = await mutated(
      server.acme,
      'logicalNumberUpdate',
      { id: logicalNumber.id, input },
      'logicalNumber { number merchantName merchantAddress }',
    );
    expect(after).toEqual({ number: '4712', merchantName: 'Padaria Central', merchantAddress: null });
    await fleet.logicalNumber(client, 'bare');
    const bare = { merchantName: { isNull: true }, number: { eq: 'bare' } };
    expect(await listed(server.acme, 'LogicalNumber', 'number', { filter: bare })).toEqual(['bare']);
  });
});
