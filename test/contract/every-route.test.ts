import { describe, expect, it } from 'vitest';

import { bodySchema } from '../../src/rest/openapi/schema.js';
import type { Route } from '../../src/rest/route.js';
import { errorsOf } from '../support/fleet.js';
import { ROUTES } from '../support/openapi-check.js';
import { ask, goodBody, placeholdersOf, titled } from '../support/route-requests.js';
import { useSampleRecords } from '../support/sample-records.js';
import { fileForm, useServer, type Fields, type Reply } from '../support/server.js';

const server = useServer();
const existing = useSampleRecords(server);
const TYPES = [
  'application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=XX',
  'text/plain; charset=iso-8859-1',
  'application/json; charset=UTF-8',
  'nonsense',
  '',
];
const NO_OBJECTS = [
  '{"a":',
  '[1]',
  '[{}]',
  '[[]]',
  '"x"',
  '1',
  'true',
  'null',
  'nonsense',
  '{"a":"b"} x',
  "{'a':'b'}",
];
const withBody = ROUTES.filter((route) => route.body !== undefined);

describe('contract 1: the body of every route', () => {
  it.each(titled(withBody))('RI-04 %s reads JSON whatever its Content-Type', async (_, route) => {
    const [field = ''] = Object.keys(goodBody(route, existing));
    const wrong = JSON.stringify({ ...goodBody(route, existing), [field]: { wrong: true } });
    for (const type of TYPES) {
      const headers = type === '' ? {} : { headers: { 'content-type': type } };
      const reply = await ask(server.acme.client, route, existing, wrong, headers);
      expect(errorsOf(reply), `${type}: ${reply.text}`).toEqual([422, [field]]);
    }
  });

  it.each(titled(ROUTES))('RI-01 RI-02 %s refuses a body that is not a JSON object', async (_, route) => {
    for (const body of NO_OBJECTS) {
      const reply = await ask(server.acme.client, route, existing, body);
      expect([reply.status, reply.body.code], body).toEqual([400, 'malformed_json']);
      if (body.length > 8) expect(reply.text).not.toContain(body);
    }
  });

  it.each(titled(ROUTES))('RU-92 %s reads `[]` as an empty body', async (_, route) => {
    const { client } = server.beta;
    const outcome = async (body: string, type: string): Promise<unknown> => {
      const reply = await ask(client, route, existing, body, { headers: { 'content-type': type } });
      return [reply.status, { ...reply.body, request_id: '' }];
    };
    const empty = await outcome('', 'application/json');
    for (const type of TYPES.slice(0, 3)) {
      for (const body of ['[]', ' [ \n] ']) expect(await outcome(body, type), type).toEqual(empty);
    }
  });

  it.each(titled(ROUTES.filter(({ file }) => file === undefined)))(
    'contract 1: %s says who reads a multipart body, however large',
    async (_, route) => {
      // The large one once: no route without a file reads such bodies by itself.
      for (const size of route.path === '/groups' ? [10, 2 * 1024 * 1024] : [10]) {
        const form = fileForm('file.bin', Buffer.alloc(size, 0xff));
        const reply = await ask(server.acme.client, route, existing, form);
        expect([reply.status, reply.body.code]).toEqual([400, 'malformed_json']);
        expect(reply.body.message).toBe(
          'Send a JSON object or a form: multipart/form-data is read by POST /v1/apps/{app_id}/versions, PUT /v1/apps/{app_id}/versions/{version_id}, POST /v1/files, PUT /v1/files/{file_id} only.',
        );
      }
    },
  );

  it.each(titled(ROUTES))(
    'RI-08 %s refuses what is nested too deep, whatever the field',
    async (_, route) => {
      const deep = `{"ignored":${'['.repeat(7_000)}${']'.repeat(7_000)}}`;
      const reply = await ask(server.acme.client, route, existing, deep);
      expect(errorsOf(reply)).toEqual([422, ['ignored']]);
    },
  );
});

/** Fields that only the server sets. */
const READ_ONLY: Fields = {
  id: 424_242,
  company_id: 424_242,
  created_by: 424_242,
  created_via: 'interface',
  created_at: '2000-01-01T00:00:00Z',
  updated_at: '2000-01-01T00:00:00Z',
  uuid: 'x',
  crc: '0',
  size: 424_242,
  role: 'owner',
  sign_in_count: 424_242,
  revision: 424_242,
};

/** Fields of a route with one value that are an id or an enumeration, and whether null clears them. */
function choicesOf({ body }: Route): readonly (readonly [name: string, isNullable: boolean])[] {
  const { properties = {} } = body === undefined ? {} : bodySchema(body);
  return Object.entries(properties).flatMap(([name, schema]) => {
    const forms = [schema, ...(schema.anyOf ?? [])];
    const types = forms.flatMap(({ type = [] }) => type);
    const isChoice = types.includes('integer') || forms.some((form) => form.enum !== undefined);
    return isChoice ? [[name, types.includes('null')] as const] : [];
  });
}

describe('RU-92 contract 8: empty text in a form', () => {
  const choosing = ROUTES.filter((route) => 'write' in route && choicesOf(route).length > 0);

  it('is tried with ids and enumerations of several resources', () => {
    const names = new Set(choosing.flatMap((route) => choicesOf(route).map(([name]) => name)));
    const some = 'kind language communication_format group_id app_id logical_number_id range';
    expect([...names]).toEqual(expect.arrayContaining(some.split(' ')));
  });

  it.each(titled(choosing))(
    '%s reads it as null where null clears the field, else as absent',
    async (_, route) => {
      const { client } = server.acme;
      const owner = route.ownerSelector === undefined ? {} : { number: existing('logical_number') };
      const outcomeOf = ({ status, body }: Reply, name: string): unknown => {
        const [record] = Object.values(body) as Fields[];
        return [status, body.errors, status === 200 ? record?.[name] : null];
      };
      for (const [name, isNullable] of choicesOf(route)) {
        const known = isNullable ? { ...owner, [name]: null } : owner;
        const expected = await ask(client, route, existing, known);
        const form = String(new URLSearchParams({ ...owner, [name]: '' }));
        const headers = { 'content-type': 'application/x-www-form-urlencoded' };
        const reply = await ask(client, route, existing, form, { headers });
        expect(outcomeOf(reply, name), name).toEqual(outcomeOf(expected, name));
        if (isNullable && route.method === 'PUT')
          expect(outcomeOf(reply, name)).toEqual([200, undefined, null]);
      }
    },
  );

  it('in a filter, and as the number of a page, is no filter', async () => {
    for (const route of ROUTES.filter(
      ({ parameters = [], paged }) => parameters.length > 0 || paged === true,
    )) {
      const names = [...(route.parameters ?? []).map(({ name }) => name), 'page', 'per_page'];
      const owner = route.ownerSelector === undefined ? {} : { number: existing('logical_number') };
      const query = Object.fromEntries(names.map((name) => [name, '']));
      const [filtered, all] = [
        await ask(server.acme.client, route, existing, owner, { query }),
        await ask(server.acme.client, route, existing, owner),
      ];
      expect([filtered.status, filtered.text], route.path).toEqual([200, all.text]);
    }
  });
});

describe('contract 8: read-only fields', () => {
  const changing = ROUTES.filter((route) => 'write' in route && route.body !== undefined);

  it.each(titled(changing))('RI-25 %s ignores them', async (_, route) => {
    const { client, caller } = server.acme;
    const more = route.path === '/notifications' ? { group_id: (await firstGroup()).id } : {};
    const owner = route.ownerSelector !== undefined ? { number: existing('logical_number') } : {};
    const known = route.method === 'POST' ? goodBody(route, existing) : owner;
    const fields = { ...READ_ONLY, ...known, ...more };
    const reply = await ask(client, route, existing, route.file?.required === true ? form(fields) : fields);
    expect(reply.status, reply.text).toBe(route.method === 'POST' ? 201 : 200);
    expect(reply.text).not.toContain('424242');
    expect(reply.text).not.toContain('2000-01-01');
    const [record] = Object.values(reply.body) as Fields[];
    expect([caller.userId, undefined]).toContain(record?.created_by);
    expect(['api', undefined]).toContain(record?.created_via);
  });

  it.each(titled(changing.filter(({ method }) => method === 'PUT')))(
    'RI-25 %s ignores them in a form, also as lists',
    async (_, route) => {
      const form = new URLSearchParams();
      for (const [name, value] of Object.entries(READ_ONLY)) form.append(name, String(value));
      for (const name of Object.keys(READ_ONLY)) form.append(`${name}[]`, '424242');
      const owner = route.ownerSelector !== undefined ? { number: existing('logical_number') } : {};
      for (const [name, value] of Object.entries(owner)) form.set(name, value);
      const before = await ask(server.acme.client, route, existing, owner);
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const reply = await ask(server.acme.client, route, existing, String(form), { headers });
      expect(reply.status, reply.text).toBe(200);
      const withoutTime = (text: string): string => text.replace(/"updated_at":"[^"]*"/, '');
      expect(withoutTime(reply.text)).toBe(withoutTime(before.text));
    },
  );

  async function firstGroup(): Promise<Fields> {
    return (await server.acme.client.get('groups')).list('groups')[0] ?? {};
  }

  function form(fields: Fields): FormData {
    const texts = Object.entries(fields)
      .slice(-8)
      .map(([name, value]) => [name, String(value)]);
    return fileForm('read-only.bin', 'content', Object.fromEntries(texts) as Record<string, string>);
  }
});

const HOSTILE = [
  "' OR '1'='1",
  '") OR 1=1--',
  "'; DROP TABLE devices;--",
  "' UNION SELECT name FROM sqlite_schema--",
  "\\'",
  '$1',
  '?1',
  '||',
  '%27',
  '../../etc/passwd',
];

describe('RI-20 names that contain SQL or paths', () => {
  it.each(titled(ROUTES.filter((route) => placeholdersOf(route).length > 0)))(
    '%s looks for nothing else',
    async (_, route) => {
      for (const text of HOSTILE) {
        const reply = await ask(server.beta.client, route, () => text);
        const harmless = await ask(server.beta.client, route, () => 'unknown');
        expect([reply.status, reply.body.message], text).toEqual([404, harmless.body.message]);
      }
    },
  );

  it.each(titled(ROUTES.filter((route) => 'read' in route && placeholdersOf(route).length === 0)))(
    '%s finds nothing with them in the query',
    async (_, route) => {
      const owners = Object.keys(route.ownerSelector?.shape ?? {});
      const names = [...(route.parameters ?? []).map(({ name }) => name), ...owners];
      for (const name of names) {
        for (const text of HOSTILE) {
          const reply = await ask(server.acme.client, route, existing, {}, { query: { [name]: text } });
          if (reply.status === 200) expect(reply.list(route.path.slice(1))).toEqual([]);
          else expect([400, 404]).toContain(reply.status);
        }
      }
    },
  );

  it('are stored as ordinary names', async () => {
    const { client } = server.beta;
    for (const text of HOSTILE) {
      const created = await client.post('groups', { name: text });
      expect([created.status, created.record('group').name]).toEqual([201, text]);
    }
    expect((await client.get('groups')).list('groups').map(({ name }) => name)).toEqual(HOSTILE);
    expect((await client.get('devices')).status).toBe(200);
  });
});
