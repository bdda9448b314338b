import { beforeAll, describe, expect, it } from 'vitest';

import { errorsOf, fleet, totalIn } from '../support/fleet.js';
import { useServer, type Fields } from '../support/server.js';

const server = useServer();
let number: string;
beforeAll(async () => {
  number = 'an owner';
  await fleet.logicalNumber(server.acme.client, number);
});

/** Each field that names a record: the body that creates it and the maximum length. */
const NAMED = [
  { path: 'devices', field: 'serial_number', key: 'device', max: 64, byName: false },
  { path: 'logical_numbers', field: 'number', key: 'logical_number', max: 64, byName: true },
  { path: 'groups', field: 'name', key: 'group', max: 255, byName: true },
] as const;
const KEYED = [
  { path: 'parameters', field: 'key', key: 'logical_number_parameter', max: 255, byName: false },
  { path: 'metacontents', field: 'key', key: 'logical_number_metacontent', max: 255, byName: false },
] as const;
const ALL = [...NAMED, ...KEYED];

const owner = (path: string): Fields =>
  path === 'parameters' || path === 'metacontents' ? { number, key: 'k', value: 'v' } : {};

const post = (path: string, field: string, value: unknown) =>
  server.acme.client.post(path, { ...owner(path), [field]: value });

const total = (path: string): Promise<number> => totalIn(server.acme.client, path, owner(path));

describe.each(ALL)('the name of a record of /v1/$path', ({ path, field, key, max }) => {
  const longest = '😀'.repeat(max);
  it.each([
    ['RI-03', 'true', true],
    ['RI-03', 'null', null],
    ['RI-03', 'a list', []],
    ['RI-03', 'an object', {}],
    ['RI-03', 'nothing', ''],
    ['RI-03', 'spaces', '   '],
    ['RI-09', 'NUL', 'A\0B'],
    ['RI-30', 'a zero-width space', 'admin\u200b'],
    ['RI-30', 'a change of direction', 'a\u202eb'],
    ['RI-30', 'spaces at the ends', ' x '],
    ['RI-30', 'half of a pair', 'a\ud800b'],
    ['RI-31', 'one character too many', `${longest}x`],
    ['RI-31', 'a line break', 'a\nb'],
  ])('%s is not %s', async (_id, _what, value) => {
    const before = await total(path);
    const refused = await post(path, field, value);
    expect([refused.status, refused.body.code]).toEqual([422, 'invalid']);
    expect(Object.keys(refused.body.errors as object)).toEqual([field]);
    expect(await total(path)).toBe(before);
  });

  it('RI-31 has a maximum length, counted in code points', async () => {
    const created = await post(path, field, longest);
    expect([created.status, created.record(key)[field]]).toEqual([201, longest]);
  });

  it('RI-30 is normalized: a composed and a decomposed é are equal', async () => {
    const created = await post(path, field, 'cafe\u0301');
    expect([created.status, created.record(key)[field]]).toEqual([201, 'caf\u00e9']);
    expect((await post(path, field, 'caf\u00e9')).status).toBe(409);
  });

  it('RI-30 full-width letters are different letters', async () => {
    expect((await post(path, field, 'AB')).status).toBe(201);
    expect((await post(path, field, 'ＡＢ')).status).toBe(201);
  });
});

describe.each(NAMED)(
  'RI-31 a name of /v1/$path is stored and found unchanged',
  ({ path, field, key, byName }) => {
    const { raw } = String;
    it.each([
      'with space',
      'a/b',
      'a"b',
      "a'b",
      '100%',
      '%2F',
      '%00',
      raw`a\b`,
      'a?b=c&d#e',
      'a+b',
      'é😀',
      'null',
      'undefined',
      'NaN',
      '__proto__',
      'constructor',
      'toString',
      '0',
      '*',
      "' OR '1'='1",
    ])('%s', async (name) => {
      const { client } = server.acme;
      const created = await post(path, field, name);
      expect([created.status, created.record(key)[field]]).toEqual([201, name]);
      const at = `${path}/${encodeURIComponent(name)}`;
      const readAt = byName ? at : `${path}/${String(created.record(key).id)}`;
      expect((await client.get(readAt)).record(key)[field]).toBe(name);
      const pages = await client.get(path, undefined, { query: { per_page: 100 } });
      expect(pages.list(path).filter((record) => record[field] === name)).toHaveLength(1);
      const changed = await client.put(at, { [field]: name });
      expect([changed.status, changed.record(key)[field]]).toEqual([200, name]);
      expect((await client.delete(at)).body).toEqual({});
      expect((await client.get(readAt)).status).toBe(404);
    });
  },
);

describe('names in paths and queries', () => {
  it('RI-30 find a record in both normalization forms', async () => {
    const { client } = server.acme;
    await fleet.group(client, 'Jose\u0301');
    await fleet.logicalNumber(client, 'numero\u0301');
    expect((await client.get('groups/Jose%CC%81')).record('group').name).toBe('Jos\u00e9');
    expect((await client.get('groups/Jos%C3%A9')).status).toBe(200);
    expect((await client.get('logical_numbers/numero%CC%81')).status).toBe(200);
    expect((await client.get('parameters', { name: 'Jose\u0301' })).status).toBe(200);
    expect((await client.get('parameters', { number: 'numer\u00f3' })).status).toBe(200);
  });

  it.each([
    ['GET', 'groups/a%00b', {}],
    ['GET', 'logical_numbers/an%20owner%00', {}],
    ['PUT', 'devices/a%00b', { enabled: true }],
    ['DELETE', 'devices/a%E2%80%8Bb', {}],
    ['GET', 'parameters', { number: 'an owner\0' }],
    ['GET', 'metacontents', { name: 'a\0b' }],
    ['GET', 'parameters?number=an%20owner%00', {}],
  ])('RI-09 %s %s is not found', async (method, path, body) => {
    expect((await server.acme.client.request(method, path, body)).status).toBe(404);
  });

  it('RI-09 NUL is refused in every text of a parameter', async () => {
    for (const field of ['key', 'value', 'description']) {
      expect((await post('parameters', field, 'a\0b')).status, field).toBe(422);
    }
  });
});

describe('references by id', () => {
  const REFERENCES = [
    { path: 'logical_numbers', field: 'group_id', text: (ref: string) => ref },
    { path: 'logical_numbers', field: 'app_version_ids', text: (ref: string) => `[${ref}]` },
    { path: 'devices', field: 'logical_number_id', text: (ref: string) => ref },
  ] as const;
  const WRONG = [
    '9007199254740993',
    '1e400',
    '-1',
    '0',
    '1.5',
    'true',
    '[1]',
    '{}',
    '" 1"',
    '"01"',
    '"1.0"',
    '"1e0"',
    '"+1"',
    '"9007199254740993"',
    '""',
  ];

  it.each(REFERENCES)('RI-12 $field of /v1/$path must be a positive safe integer', async (reference) => {
    const { client } = server.acme;
    const name = `RI-12 ${reference.field}`;
    const group = await fleet.group(client, name);
    const logicalNumber = await fleet.logicalNumber(client, name, { group_id: group });
    await fleet.device(client, name, { logical_number_id: logicalNumber });
    const at = `${reference.path}/${encodeURIComponent(name)}`;
    const before = (await client.put(at, {})).text;
    for (const wrong of WRONG) {
      const refused = await client.put(at, `{"${reference.field}": ${reference.text(wrong)}}`);
      expect(errorsOf(refused), wrong).toEqual([422, [reference.field]]);
    }
    const withoutTimes = (text: string): string => text.replace(/"updated_at":"[^"]*"/, '');
    expect(withoutTimes((await client.put(at, {})).text)).toBe(withoutTimes(before));
  });
});

describe('keys such as __proto__', () => {
  const POISON = '"__proto__":{"enabled":false,"isAdmin":true},"constructor":{"prototype":{"polluted":1}}';

  it.each([
    ['devices', '"serial_number":"RI-11"'],
    ['logical_numbers', '"number":"RI-11"'],
    ['groups', '"name":"RI-11"'],
    ['parameters', '"number":"an owner","key":"RI-11","value":"v"'],
    ['metacontents', '"number":"an owner","key":"RI-11","value":{}'],
  ])('RI-11 have no effect in a body to /v1/%s', async (path, fields) => {
    expect((await server.acme.client.post(path, `{${fields},${POISON}}`)).status).toBe(201);
    const benign = await server.beta.client.post('devices', { serial_number: `after ${path}` });
    expect(benign.record('device')).toMatchObject({ enabled: true, logical_number_id: null });
    expect(benign.text).not.toMatch(/isAdmin|polluted/);
    expect('isAdmin' in {} || 'polluted' in {}).toBe(false);
  });
});
