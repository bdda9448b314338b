import { beforeAll, describe, expect, it } from 'vitest';

import { fleet } from '../../../support/fleet.js';
import { useServer, type Reply } from '../../../support/server.js';

const server = useServer();
beforeAll(async () => {
  await fleet.logicalNumber(server.acme.client, '100');
  await fleet.group(server.acme.client, 'other owner');
});

let keys = 0;
const postText = (value: string): Promise<Reply> =>
  server.acme.client.post('metacontents', `{"number":"100","key":"k${(keys += 1)}","value":${value}}`);
const total = async (): Promise<unknown> => {
  const list = await server.acme.client.get('metacontents', { number: '100' });
  expect(list.status).toBe(200);
  return (list.body.pagination as { total_entries: number }).total_entries;
};

/** A JSON text of exactly `bytes` bytes. */
const textOf = (bytes: number): string => `["${'x'.repeat(bytes - 4)}"]`;
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

describe('a metacontent', () => {
  it.each([
    'null',
    'true',
    '0',
    '-1.5e-7',
    '"text"',
    '""',
    '[]',
    '{}',
    '{"b":1,"a":{"c":[null,false,"é😀"]}}',
    '{"10":1,"9":2}',
    nested(32),
    textOf(262_144),
  ])('contract 16: stores any JSON unchanged: %.40s', async (value) => {
    const created = await postText(value);
    expect(created.status, created.text).toBe(201);
    const id = String(created.record('logical_number_metacontent').id);
    const read = await server.acme.client.get(`metacontents/${id}`, { number: '100' });
    expect(read.record('logical_number_metacontent').value).toEqual(JSON.parse(value));
  });

  it.each([
    ['RI-08 20,000 lists within each other', nested(20_000)],
    ['RI-08 20,000 objects within each other', '{"a":'.repeat(20_000) + '1' + '}'.repeat(20_000)],
    ['RI-08 one level too many', nested(33)],
    ['RI-08 more than 10,000 values', `[${'0,'.repeat(10_000)}0]`],
    ['contract 16: more than 256 KiB', textOf(262_145)],
    ['RI-09 NUL in a nested text', '{"a":["x\\u0000y"]}'],
    ['RI-09 NUL in a nested key', '{"a":{"x\\u0000y":1}}'],
    ['RI-09 NUL in a text of its own', '"x\\u0000y"'],
    ['RI-12 a number that no double holds', '[9007199254740993]'],
    ['RI-12 a number without end', '1e400'],
  ])('refuses %s and stores nothing', async (_case, value) => {
    const before = await total();
    const refused = await postText(value);
    expect([refused.status, refused.body.code]).toEqual([422, 'invalid']);
    expect(Object.keys(refused.body.errors as object)).toEqual(['value']);
    expect(await total()).toBe(before);
    expect((await server.acme.client.get('metacontents', { name: 'other owner' })).status).toBe(200);
  });

  it('RI-11 stores keys such as __proto__ as plain keys, without side effects', async () => {
    const value = '{"__proto__":{"enabled":false,"isAdmin":true},"constructor":{"prototype":{"polluted":1}}}';
    const created = await postText(value);
    expect(created.status).toBe(201);
    const id = String(created.record('logical_number_metacontent').id);
    const read = await server.acme.client.get(`metacontents/${id}`, { number: '100' });
    expect(read.text).toContain(`"value":${value}`);
    expect(Object.hasOwn({}, 'isAdmin') || 'isAdmin' in {} || 'polluted' in {}).toBe(false);
  });
});
