import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

import { createRouter } from '../../src/rest/router.js';
import { totalIn } from '../support/fleet.js';
import { ROUTES } from '../support/openapi-check.js';
import { sendRaw } from '../support/raw-http.js';
import { useServer } from '../support/server.js';

const server = useServer();

const MIB = 1024 * 1024;
const json = (contentType: string) => ({ headers: { 'content-type': contentType } });

const totalGroups = (): Promise<number> => totalIn(server.acme.client, 'groups');

/** The responses to one request: its method and path with a query, further headers, and its body. */
const raw = (target: string, headers: readonly string[] = [], body = '') => {
  const [method = '', path = ''] = target.split(' ');
  const token = `${path.includes('?') ? '&' : '?'}access_token=${server.acme.token}`;
  const lines = [`${method} ${path}${token} HTTP/1.1`, 'Host: a', 'Connection: close', ...headers, '', body];
  return sendRaw(server.url, lines.join('\r\n'));
};

describe('contract 1: bodies', () => {
  it('RI-04 an empty body is an empty object', async () => {
    const reply = await server.acme.client.post('groups');
    expect([reply.status, reply.body.errors]).toEqual([422, { name: ['is required'] }]);
  });

  it('a form is read as flat fields', async () => {
    const form = json('application/x-www-form-urlencoded');
    const ignored = 'ignored=1&ignored=2&ignored%5B%5D=3&other[name]=x&[]=1&name%5Bx%5D=x';
    const reply = await server.acme.client.post('groups', `name=a+form+%C3%A9&${ignored}`, form);
    expect([reply.status, reply.record('group').name]).toEqual([201, 'a form é']);
    for (const several of ['name=a&name=b', 'name%5B%5D=a', 'name[0]=a', 'name=a&name[]=b']) {
      const refused = await server.acme.client.post('groups', several, form);
      expect([refused.status, refused.body.code], several).toEqual([400, 'malformed']);
    }
    expect((await server.acme.client.post('groups', 'name=unlabelled')).status).toBe(400);
  });

  it('RI-06 a compressed body is 415, unopened', async () => {
    const bytes = gzipSync(Buffer.alloc(MIB)).toString('latin1').slice(0, 40);
    for (const encoding of ['gzip', 'br', 'deflate', 'gzip, gzip']) {
      const headers = [`Content-Encoding: ${encoding}`, 'Content-Length: 40'];
      expect((await raw('POST /v1/groups', headers, bytes)).statuses).toEqual([415]);
    }
  });

  it('RI-07 a body of exactly 1 MiB is read, one byte more is 413', async () => {
    const body = (size: number): string => `{"name":"${'x'.repeat(size - 11)}"}`;
    expect((await server.acme.client.post('groups', body(MIB))).status).toBe(422);
    const over = await server.acme.client.post('groups', body(MIB + 1));
    expect([over.status, over.body.code]).toEqual([413, 'too_large']);
    expect(over.headers.get('x-rate-limit-limit')).not.toBeNull();
    const chunks = `ffff\r\n${'x'.repeat(0xffff)}\r\n`.repeat(17);
    const { statuses } = await raw('POST /v1/groups', ['Transfer-Encoding: chunked'], chunks);
    expect(statuses).toEqual([413]);
  });

  it('RI-05 bytes that are not UTF-8 are 400', async () => {
    const { statuses } = await raw('POST /v1/groups', ['Content-Length: 12'], '{"name":"\xff"}');
    expect(statuses).toEqual([400]);
  });
});

describe('contract 3: paths', () => {
  it('takes a trailing slash, and decodes a segment once', async () => {
    const { client } = server.acme;
    for (const name of ['a/b', 'a\\b', '100%', '%2e%2e', 'ünï ☎', 'null', '__proto__', 'constructor']) {
      expect((await client.post('groups', { name })).status).toBe(201);
      const reply = await client.get(`groups/${encodeURIComponent(name)}/`);
      expect(reply.record('group').name).toBe(name);
    }
    expect((await client.get('groups/')).status).toBe(200);
  });

  it.each(['%2e%2e', '..%2f..%2fetc%2fpasswd', '%252e%252e%252f'])(
    'RI-15 %s names no group: 404',
    async (segment) => {
      expect((await raw(`GET /v1/groups/${segment}`)).statuses).toEqual([404]);
    },
  );

  it.each(['//v1/groups', '/v1//groups', '/v1///groups//', '/%76%31/gr%6Fups', '/v1//%67roups?per_page=1'])(
    'RU-92 %s is /v1/groups',
    async (path) => {
      const { statuses, text } = await raw(`GET ${path}`);
      expect([statuses, text]).toEqual([[200], expect.stringContaining('"groups":[')]);
    },
  );

  it('RU-92 encoded letters and repeated slashes lead to the same records', async () => {
    const { client } = server.acme;
    await client.post('logical_numbers', { number: 'a_b' });
    for (const path of ['//v1/logical%5Fnumbers//a_b', '/v1/logical%5fnumbers/%61%5Fb/']) {
      const { statuses, text } = await raw(`GET ${path}`);
      expect([statuses, text], path).toEqual([[200], expect.stringContaining('"number":"a_b"')]);
    }
    // Only /v1: a proxy may protect other paths as they are written.
    for (const path of ['//healthz', '//graphql', '/%67raphql', '/terminal/%761/manifest'])
      expect((await raw(`GET ${path}`)).statuses, path).toEqual([404]);
  });

  it.each(['/V1/groups', '/v1/Groups', '/v1/groups%2f1', '/v1/groups;x=1'])(
    'RI-22 %s is no path: 404',
    async (path) => {
      expect((await server.acme.client.get(path)).status).toBe(404);
    },
  );

  it('RI-13 an id has one form: anything else is 404', async () => {
    const { client } = server.acme;
    const { id } = (await client.post('apps', { name: 'ids' })).record('app') as { id: number };
    expect((await client.get(`apps/${id}`)).status).toBe(200);
    const forms = ['0ID', 'ID.0', 'IDe0', '+ID', '%20ID', 'ID%20', '0xID', 'ID;x=1', 'ID%00', '-1', '0'];
    const others = ['%D9%A1', '9007199254740993', '99999999999999999999'];
    for (const form of [...forms.map((each) => each.replace('ID', String(id))), ...others]) {
      const reply = await client.get(`/v1/apps/${form}`);
      expect([form, reply.status, reply.body.code]).toEqual([form, 404, 'not_found']);
    }
  });

  it('have one route for each method', () => {
    const twice = [ROUTES[0], ROUTES[0]].filter((route) => route !== undefined);
    expect(() => createRouter('/v1', twice, async () => Promise.resolve())).toThrow(
      'Two routes with one method',
    );
  });

  it.each(['/v1/logical_numbers/%E0%A4%A', '/v1/groups?page=%zz', '/v1/groups?%zz=1'])(
    'RI-14 the broken encoding of %s is a 400 in JSON',
    async (path) => {
      const { statuses, text } = await raw(`GET ${path}`);
      expect(statuses).toEqual([400]);
      expect(text).toContain('application/json');
    },
  );
});

describe('contract 4: versions and methods', () => {
  const OTHERS =
    '/v2/devices /v0/devices /V2/devices /v10 /V1/groups /v1.1/groups /v1.0 /v1beta/groups /v1-2/groups/ /V1.1/groups';

  it.each(OTHERS.split(' '))('RI-21 %s is 404 and names v1', async (path) => {
    const reply = await server.acme.client.get(path);
    expect((await server.anonymous.request('OPTIONS', path)).status).toBe(404);
    expect([reply.status, reply.body.code]).toEqual([404, 'unknown_version']);
    expect(reply.body.message).toContain('v1');
  });

  it.each([
    ['PATCH', '/v1/devices/1', 'GET, HEAD, PUT, DELETE, OPTIONS'],
    ['POST', '/v1/transactions', 'GET, HEAD, OPTIONS'],
    ['PUT', '/v1/groups', 'GET, HEAD, POST, OPTIONS'],
    ['GET', '/v1/users/token', 'POST, OPTIONS'],
    ['HEAD', '/v1/users/token', 'POST, OPTIONS'],
  ])('RI-21 %s %s is 405 and allows %s', async (method, path, allow) => {
    const reply = await server.acme.client.request(method, path);
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, allow]);
  });

  it.each(['/v1/nope', '/v1', '/devices', '/version/1', '/v', '/v1/groups/a/b'])(
    'RI-21 %s is nothing: 404',
    async (path) => {
      const reply = await server.acme.client.get(path);
      expect([reply.status, reply.body.code]).toEqual([404, 'not_found']);
      expect((await server.anonymous.request('OPTIONS', path)).status).toBe(404);
    },
  );
});

describe('query parameters', () => {
  const QUERIES =
    'access_token=1 page=1&page=2 access_token%5B%5D=1 access_token%5B%24ne%5D=x page%5Bgt%5D=1 status%5B%5D=fail __proto__%5Ba%5D=1';

  it.each(QUERIES.split(' '))('RI-16 RI-17 are plain values, each given once: %s is 400', async (query) => {
    expect((await raw(`GET /v1/groups?${query}`)).statuses).toEqual([400]);
  });
});

describe('contract 9 and contract 10: responses', () => {
  it('errors have message, code, request id and, for invalid fields, errors', async () => {
    const { client } = server.acme;
    const reply = await client.post('groups', { name: '' }, { headers: { 'x-request-id': 'my-id.1' } });
    expect(reply.body).toEqual({
      message: 'Some fields are not valid.',
      code: 'invalid',
      request_id: 'my-id.1',
      errors: { name: ['must not be empty'] },
    });
  });

  it('RI-34 a request id of the client is used only if it is harmless', async () => {
    for (const id of ['a b', 'x'.repeat(65), 'é', '<script>']) {
      const reply = await server.acme.client.get('groups', undefined, { headers: { 'x-request-id': id } });
      expect(reply.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
  });
});

describe('request smuggling', () => {
  const hidden =
    'POST /v1/groups?access_token=TOKEN HTTP/1.1\r\nHost: a\r\nContent-Length: 19\r\n\r\n{"name":"smuggled"}';

  it.each([
    ['both lengths', 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['two lengths', 'Content-Length: 0\r\nContent-Length: 5\r\n\r\n'],
    ['an unknown coding', 'Transfer-Encoding: xchunked\r\n\r\n'],
    ['a doubtful coding', 'Transfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n'],
    ['a folded header', 'X-A: b\r\n c: d\r\nTransfer-Encoding : chunked\r\n\r\n'],
    ['an endless chunk size', 'Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n'],
  ])('RI-23 requests with %s close the connection, and no hidden request runs', async (_what, rest) => {
    const before = await totalGroups();
    const second = hidden.replace('TOKEN', server.acme.token);
    const { statuses } = await sendRaw(server.url, `POST /v1/groups HTTP/1.1\r\nHost: a\r\n${rest}${second}`);
    expect(statuses.at(-1)).toBe(400);
    expect(await totalGroups()).toBe(before);
  });

  it('RI-24 method override headers are ignored', async () => {
    const headers = { 'x-http-method-override': 'PUT', 'x-original-url': '/v1/apps', host: 'evil.example' };
    const { client } = server.acme;
    await client.post('groups', { name: 'overridden' });
    const reply = await client.post('groups/overridden', {}, { headers });
    expect(reply.status).toBe(405);
    expect(reply.text).not.toContain('evil');
    expect((await client.get('groups/overridden')).status).toBe(200);
  });
});
