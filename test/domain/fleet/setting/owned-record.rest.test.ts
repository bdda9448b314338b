import { beforeEach, describe, expect, it, beforeAll } from 'vitest';

import { fleet, ledgerOf } from '../../../support/fleet.js';
import { useServer, type Fields, type Reply } from '../../../support/server.js';

const server = useServer();
let round = 0;

const KINDS = [
  { kind: 'parameter', path: 'parameters', value: 'v', other: 'w' },
  { kind: 'metacontent', path: 'metacontents', value: { a: [1, null, 'x'] }, other: 'text' },
];

describe.each(KINDS)('/v1/$path', ({ kind, path, value, other }) => {
  let number: string, name: string, numberId: number, groupId: number;
  beforeEach(async () => {
    round += 1;
    [number, name] = [`number ${round}`, `group ${round}`];
    numberId = await fleet.logicalNumber(server.acme.client, number);
    groupId = await fleet.group(server.acme.client, name);
  });
  const create = async (owner: Fields, key: string): Promise<Fields> => {
    const reply = await server.acme.client.post(path, { ...owner, key, value });
    expect(reply.status, reply.text).toBe(201);
    return Object.values(reply.body)[0] as Fields;
  };

  it('contract 16: are wrapped by the kind of their owner', async () => {
    const { client, caller } = server.acme;
    const owners = [
      {
        owner: { number },
        wrapper: `logical_number_${kind}`,
        ids: { logical_number_id: numberId, group_id: null },
      },
      { owner: { name }, wrapper: `group_${kind}`, ids: { logical_number_id: null, group_id: groupId } },
    ];
    for (const { owner, wrapper, ids } of owners) {
      const created = await client.post(path, { ...owner, key: 'k', value });
      expect([created.status, Object.keys(created.body)]).toEqual([201, [wrapper]]);
      const made = { created_by: caller.userId, created_via: 'api' };
      expect(created.record(wrapper)).toMatchObject({ key: 'k', value, ...ids, ...made });

      const id = String(created.record(wrapper).id);
      expect((await client.get(`${path}/${id}`, owner)).body).toEqual(created.body);
      const list = await client.get(path, owner);
      expect(Object.keys(list.body)).toEqual(['pagination', path]);
      expect(list.body[path]).toEqual([created.body]);

      const changed = await client.put(`${path}/${id}`, { ...owner, value: other });
      expect(changed.record(wrapper)).toMatchObject({ id: Number(id), key: 'k', value: other, ...ids });
      const deleted = await client.delete(`${path}/${id}`, owner);
      expect([deleted.status, deleted.body]).toEqual([200, {}]);
      expect((await client.get(`${path}/${id}`, owner)).status).toBe(404);
      const entries = await ledgerOf(server, server.acme, kind, Number(id));
      expect(entries.map((entry) => entry.action)).toEqual(['create', 'update', 'delete']);
    }
  });

  it('contract 2: take the owner from the query if the body has none', async () => {
    const { client } = server.acme;
    const { id } = await create({ number }, 'k');
    const byQuery = { query: { number } };
    expect((await client.get(`${path}/`, undefined, byQuery)).list(path)).toHaveLength(1);
    expect((await client.get(path, {}, byQuery)).list(path)).toHaveLength(1);
    expect((await client.get(`${path}/${String(id)}`, undefined, byQuery)).status).toBe(200);
    expect((await client.get(path, undefined, { query: { name } })).list(path)).toEqual([]);
    const put = await client.put(`${path}/${String(id)}`, { key: 'renamed' }, byQuery);
    expect(put.record(`logical_number_${kind}`).key).toBe('renamed');
    expect((await client.post(path, { key: 'q', value }, byQuery)).status).toBe(201);
    expect((await client.delete(`${path}/${String(id)}`, undefined, byQuery)).status).toBe(200);
  });

  it('contract 2: take the owner from a form body', async () => {
    const sent = await server.acme.client.post(path, `number=${encodeURIComponent(number)}&key=k&value=v`, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect([sent.status, sent.record(`logical_number_${kind}`).value]).toEqual([201, 'v']);
  });

  it('contract 2: a record of another owner is not found', async () => {
    const { client } = server.acme;
    const { id } = await create({ number }, 'k');
    await fleet.logicalNumber(client, `other ${round}`);
    await fleet.logicalNumber(server.beta.client, number);
    const one = `${path}/${String(id)}`;
    const strangers = [
      () => client.get(one, { name }),
      () => client.get(one, { number: `other ${round}` }),
      () => client.put(one, { name, key: 'mine' }),
      () => client.delete(one, { name }),
      () => server.beta.client.get(one, { number }),
      () => server.beta.client.delete(one, { number }),
    ];
    for (const ask of strangers) {
      const { status, body } = await ask();
      expect([status, body.message]).toEqual([404, `No such ${kind}.`]);
    }
    expect((await client.get(one, { number })).status).toBe(200);
    expect((await server.beta.client.get(path, { number })).list(path)).toEqual([]);
  });

  it('contract 16: a key is unique for its owner', async () => {
    const { client } = server.acme;
    await create({ number }, 'k');
    const { id } = await create({ number }, 'free');
    await create({ name }, 'k');
    const twice = await client.post(path, { number, key: 'k', value });
    expect([twice.status, twice.body.code]).toEqual([409, 'taken']);
    expect((await client.put(`${path}/${String(id)}`, { number, key: 'k' })).status).toBe(409);
    expect((await client.put(`${path}/${String(id)}`, { number, key: 'free' })).status).toBe(200);
  });

  it.each(['key', 'value'])('contract 16: are refused with no %s', async (field) => {
    const refused = await server.acme.client.post(path, { number, key: 'k', value, [field]: undefined });
    expect([refused.status, Object.keys(refused.body.errors as object)]).toEqual([422, [field]]);
    expect((await server.acme.client.get(path, { number })).list(path)).toEqual([]);
  });
});

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

describe('a parameter', () => {
  it.each([
    ['64 KiB', 'x'.repeat(65_536), 201],
    ['lines and quotes', 'a\r\n"b"\t\u001b[2J', 201],
    ['one byte more than 64 KiB', 'x'.repeat(65_537), 422],
    ['64 Ki characters of two bytes', 'é'.repeat(65_536), 422],
    ['a boolean', true, 422],
    ['an object', { a: 1 }, 422],
    ['null', null, 422],
    ['NUL', 'a\0b', 422],
  ])('contract 16: a value of %s has the documented status', async (_case, value, status) => {
    const { client } = server.acme;
    const reply = await client.post('parameters', { number: '100', key: `of ${_case}`, value });
    expect(reply.status).toBe(status);
    if (status === 201) expect(reply.record('logical_number_parameter').value).toBe(value);
  });
});
