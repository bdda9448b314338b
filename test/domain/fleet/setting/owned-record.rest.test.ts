import { beforeEach, describe, expect, it, beforeAll } from 'vitest';

import { errorsOf, fleet, totalIn } from '../../../support/fleet.js';
import { useServer, type Fields, type Reply } from '../../../support/server.js';

const server = useServer();
let round = 0;

const KINDS = [
  { kind: 'parameter', path: 'parameters', value: 'v' },
  { kind: 'metacontent', path: 'metacontents', value: { a: [1, null, 'x'] } },
];

describe.each(KINDS)('/v1/$path', ({ kind, path, value }) => {
  let number: string, name: string;
  beforeEach(async () => {
    round += 1;
    [number, name] = [`number ${round}`, `group ${round}`];
    await fleet.logicalNumber(server.acme.client, number);
    await fleet.group(server.acme.client, name);
  });
  const create = async (owner: Fields, key: string): Promise<Fields> => {
    const reply = await server.acme.client.post(path, { ...owner, key, value });
    expect(reply.status, reply.text).toBe(201);
    return Object.values(reply.body)[0] as Fields;
  };

  it('contracts 2 and 16: are listed for the owner of the query, each wrapped by its kind', async () => {
    const { client } = server.acme;
    for (const [wrapper, owner] of [
      [`logical_number_${kind}`, { number }],
      [`group_${kind}`, { name }],
    ] as const) {
      const record = await create(owner, 'k');
      for (const body of [undefined, {}]) {
        const list = (await client.get(path, body, { query: owner })).body;
        expect(list).toEqual({ pagination: expect.anything() as unknown, [path]: [{ [wrapper]: record }] });
      }
    }
  });

  it('contract 2: a record of another owner is not found', async () => {
    const { client } = server.acme;
    const one = `${path}/${String((await create({ number }, 'k')).id)}`;
    await fleet.logicalNumber(client, `other ${round}`);
    for (const { status, body } of [
      await client.get(one, { name }),
      await client.get(one, { number: `other ${round}` }),
      await client.put(one, { name, key: 'mine' }),
      await client.delete(one, { name }),
    ]) {
      expect([status, body.message]).toEqual([404, `No such ${kind}.`]);
    }
    expect((await client.get(one, { number })).status).toBe(200);
  });

  it('contract 16: a key is unique for its owner, also on update', async () => {
    const { client } = server.acme;
    await create({ number }, 'k');
    const one = `${path}/${String((await create({ number }, 'free')).id)}`;
    await create({ name }, 'k');
    expect((await client.put(one, { number, key: 'k' })).status).toBe(409);
    expect((await client.put(one, { number, key: 'free' })).status).toBe(200);
  });

  it.each(['key', 'value'])('contract 16: are refused with no %s', async (field) => {
    const refused = await server.acme.client.post(path, { number, key: 'k', value, [field]: undefined });
    expect(errorsOf(refused)).toEqual([422, [field]]);
    expect(await totalIn(server.acme.client, path, { number })).toBe(0);
  });
});

beforeAll(async () => {
  await fleet.logicalNumber(server.acme.client, '100');
});

let keys = 0;
const postText = (value: string): Promise<Reply> =>
  server.acme.client.post('metacontents', `{"number":"100","key":"k${(keys += 1)}","value":${value}}`);
const total = () => totalIn(server.acme.client, 'metacontents', { number: '100' });

/** A JSON text of exactly `bytes` bytes. */
const textOf = (bytes: number): string => `["${'x'.repeat(bytes - 4)}"]`;
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

describe('a metacontent', () => {
  it.each(['-1.5e-7', '{"b":1,"a":{"c":[null,false,"é😀"]}}', '{"10":1,"9":2}', nested(32), textOf(262_144)])(
    'contract 16: stores any JSON unchanged: %.40s',
    async (value) => {
      const created = await postText(value);
      expect(created.status, created.text).toBe(201);
      const id = String(created.record('logical_number_metacontent').id);
      const read = await server.acme.client.get(`metacontents/${id}`, { number: '100' });
      expect(read.record('logical_number_metacontent').value).toEqual(JSON.parse(value));
    },
  );

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
    expect(errorsOf(await postText(value))).toEqual([422, ['value']]);
    expect(await total()).toBe(before);
  });

  it('RI-11 stores keys such as __proto__ as plain keys, without side effects', async () => {
    const value = '{"__proto__":{"enabled":false,"isAdmin":true},"constructor":{"prototype":{"polluted":1}}}';
    const created = await postText(value);
    expect(created.text).toContain(`"value":${value}`);
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
