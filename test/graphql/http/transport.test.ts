import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';

import { createClient, type Reply } from '../../support/client.js';
import { SESSION_COOKIE } from '../../support/config.js';
import { ownServer, useServer } from '../../support/server.js';

const server = useServer({ rateLimitPerHour: 1_000, allowedOrigins: ['https://shop.example'] });

const bearer = (): Record<string, string> => ({ authorization: `Bearer ${server.acme.token}` });
const JSON_BODY = { 'content-type': 'application/json' };
const PREFLIGHT = { 'apollo-require-preflight': '1' };
const QUERY = '{ viewer { role } }';
const CREATE = 'mutation { groupCreate(input: { name: "forged" }) { group { id } } }';

/** Posts a body with the token in the header. */
const post = (body: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
  server.anonymous.post('/graphql', typeof body === 'string' ? body : JSON.stringify(body), {
    headers: { ...bearer(), ...JSON_BODY, ...headers },
  });

/** With the token in the query, where a link of another site could have it. */
const get = (query: Record<string, string>, headers: Record<string, string>): Promise<Reply> =>
  server.anonymous.get('/graphql', undefined, {
    query: { ...query, access_token: server.acme.token },
    headers,
  });

const errorOf = (reply: Reply): unknown =>
  (JSON.parse(reply.text) as { errors: readonly { extensions: { code: unknown } }[] }).errors[0]?.extensions
    .code;

describe('POST /graphql', () => {
  it('responds with the accepted type: application/json or application/graphql-response+json', async () => {
    for (const [accept, type = 'application/json'] of [
      ['application/json'],
      ['application/graphql-response+json', 'application/graphql-response+json'],
      ['application/json;q=0.5, application/graphql-response+json', 'application/graphql-response+json'],
      ['application/graphql-response+json,application/json;q=0.9', 'application/graphql-response+json'],
      ['multipart/mixed, application/json'],
      [undefined],
    ]) {
      const reply = await post({ query: QUERY }, accept === undefined ? {} : { accept });
      expect(reply.status).toBe(200);
      expect(reply.headers.get('content-type'), accept).toContain(type);
      expect(JSON.parse(reply.text)).toMatchObject({ data: { viewer: { role: 'ADMIN' } } });
    }
  });

  it('is 406 before anything runs for a client that accepts neither type', async () => {
    const reply = await post({ query: CREATE }, { accept: 'text/html' });
    expect([reply.status, errorOf(reply)]).toEqual([406, 'BAD_REQUEST']);
    await expectNothingForged();
  });

  it('accepts the token in the query, also besides the header, but not two tokens', async () => {
    const inQuery = createClient(server.url, server.acme.token);
    expect((await inQuery.post('/graphql', { query: QUERY })).status).toBe(200);
    expect((await inQuery.post('/graphql', { query: QUERY }, { headers: bearer() })).status).toBe(200);
    const two = createClient(server.url, server.beta.token);
    expect((await two.post('/graphql', { query: QUERY }, { headers: bearer() })).status).toBe(400);
  });

  it.each<[string, Record<string, string>]>([
    ['no token', {}],
    ['a token of no form', { authorization: 'Bearer nonsense' }],
    ['an unknown token', { authorization: `Bearer ${'0'.repeat(40)}` }],
    ['another scheme', { authorization: 'Basic YWJjOmRlZg==' }],
  ])('is 401 before the body is read, with %s', async (_what, access) => {
    const headers = { ...JSON_BODY, ...access, 'x-request-id': 'same' };
    for (const body of [
      `{"query":"${QUERY}"}`,
      '{"query":"{ __schema { types { name } } }"}',
      '{',
      '[]',
      '',
    ]) {
      const reply = await server.anonymous.post('/graphql', body, { headers });
      expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
      const extensions = { code: 'UNAUTHENTICATED', requestId: 'same' };
      expect(JSON.parse(reply.text)).toEqual({
        errors: [{ message: 'A valid access token is needed.', extensions }],
        extensions: { cost: { requested: 0, actual: 0 } },
      });
    }
  });

  it('GQ-08 takes one operation at a time', async () => {
    for (const count of [0, 1, 2, 1_000]) {
      const reply = await post(Array.from({ length: count }, () => ({ query: QUERY })));
      expect([reply.status, errorOf(reply)]).toEqual([400, 'BAD_REQUEST']);
    }
  });

  it.each<[string, string, Record<string, string>?]>([
    ['nothing', ''],
    ['half an object', '{"query":'],
    ['a text', '"query"'],
    ['an object without a query', '{"variables":{}}'],
    ['a query that is no text', '{"query":{"kind":"Document"}}'],
    ['variables that are no object', `{"query":"${QUERY}","variables":[1]}`],
    ['extensions as text', `{"query":"${QUERY}","extensions":"{}"}`],
    ['variables as text', `{"query":"${QUERY}","variables":"{}"}`],
    ['an operation name that is no text', `{"query":"${QUERY}","operationName":1}`],
    ['an operation that is not there', `{"query":"query A ${QUERY}","operationName":"B"}`],
    ['bytes that are no text', '\ud800', { 'content-type': 'application/json; charset=utf-16' }],
  ])('refuses %s', async (_what, body, headers) => {
    const reply = await post(body, headers);
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect(reply.status).toBeLessThan(500);
    expect(errorOf(reply)).toEqual(expect.any(String));
    expect(reply.body.extensions).toEqual({ cost: { requested: 0, actual: 0 } });
  });

  it.each([['{}'], [[1]], [true], [0]])('RU-28 refuses the variables %j', async (variables) => {
    const reply = await post({ query: QUERY, variables });
    expect(reply.status).toBe(400);
    expect(reply.text).toContain('\\"variables\\" must be a JSON object');
  });

  it('RU-28 takes empty variables and an empty operation name for none', async () => {
    const rename = 'mutation { companyRename(name: "Acme") { userErrors { code } } }';
    for (const query of [QUERY, rename]) {
      for (const variables of [[], '', null, {}]) {
        for (const operationName of ['', null]) {
          const reply = await post({ query, variables, operationName });
          expect([reply.status, reply.body.errors], reply.text).toEqual([200, undefined]);
        }
      }
    }
    for (const variables of ['[]', '', '""', '{}']) {
      const reply = await get({ query: QUERY, variables, operationName: '', extensions: '' }, PREFLIGHT);
      expect(reply.status, reply.text).toBe(200);
    }
    const named = await post({ query: QUERY, operationName: 7 });
    expect([named.status, named.text]).toEqual([400, expect.stringContaining('operationName')]);
  });

  it('refuses a body of more than a megabyte, and a compressed one', async () => {
    const large = await post({ query: 'x'.repeat(1_100_000) });
    expect([large.status, errorOf(large)]).toEqual([413, 'TOO_LARGE']);
    const gzip = await post('{}', { 'content-encoding': 'gzip' });
    expect([gzip.status, errorOf(gzip)]).toEqual([415, 'UNSUPPORTED_ENCODING']);
  });

  it('shares its request budget with REST, and shows it in headers and in the viewer', async () => {
    const before = Number((await server.acme.client.get('groups')).headers.get('x-rate-limit-remaining'));
    const { headers, body } = await server.acme.graphql<{ viewer: { rateLimit: Record<string, unknown> } }>(
      '{ viewer { rateLimit { limit remaining resetAt } } }',
    );
    expect(headers.get('x-rate-limit-limit')).toBe('1000');
    expect(headers.get('x-rate-limit-remaining')).toBe(String(before - 1));
    const { limit, remaining, resetAt } = body.data.viewer.rateLimit;
    expect([limit, remaining]).toEqual([1_000, before - 1]);
    expect(Date.parse(String(resetAt)) / 1_000).toBe(Number(headers.get('x-rate-limit-reset')));
    for (const reply of [await server.acme.graphql('{'), await server.anonymous.post('/graphql', '{}')]) {
      expect(Number(reply.headers.get('x-rate-limit-remaining'))).toBeLessThan(before);
      expect(reply.headers.get('cache-control')).toBe('no-store');
    }
  });
});

/** The mutation that pages of other sites send has had no effect. */
async function expectNothingForged(): Promise<void> {
  const { body } = await server.acme.graphql('{ group(name: "forged") { id } }');
  expect(body.data).toEqual({ group: null });
}

describe('a request that a page of another site could send', () => {
  const simple: readonly [string, string][] = [
    ['text/plain', JSON.stringify({ query: CREATE })],
    ['text/plain; charset=utf-8', JSON.stringify({ query: CREATE })],
    ['application/x-www-form-urlencoded', new URLSearchParams({ query: CREATE }).toString()],
    ['multipart/form-data; boundary=X', '--X\r\nContent-Disposition: form-data; name="operations"\r\n\r\n{}'],
  ];

  /** With the token in the query, where a link or a form of another site could have it. */
  const send = (body: string, headers: Record<string, string>): Promise<Reply> =>
    server.anonymous.post('/graphql', body, { query: { access_token: server.acme.token }, headers });

  it.each(simple)('GQ-09 is refused as %s, without an effect', async (type, body) => {
    for (const extra of [{}, PREFLIGHT, bearer()]) {
      const headers = { 'content-type': type, ...extra, cookie: `${SESSION_COOKIE}=1` };
      const reply = await send(body, headers);
      expect([400, 403, 415], reply.text).toContain(reply.status);
    }
    await expectNothingForged();
  });
});

describe('GET /graphql', () => {
  it('answers queries with a header or type that a form cannot send', async () => {
    for (const headers of [JSON_BODY, PREFLIGHT, { 'x-apollo-operation-name': 'A' }]) {
      const reply = await get(
        { query: 'query A($a: Boolean!) { viewer { role @include(if: $a) } }', variables: '{"a":true}' },
        headers,
      );
      expect(reply.status).toBe(200);
      expect(JSON.parse(reply.text)).toMatchObject({ data: { viewer: { role: 'ADMIN' } } });
    }
  });

  it('GQ-09 refuses simple requests, mutations and malformed requests', async () => {
    const simple = await get({ query: QUERY }, {});
    expect([simple.status, simple.text]).toEqual([400, expect.stringContaining('CSRF_PREVENTED')]);
    expect((await get({ query: QUERY }, { 'content-type': 'text/plain' })).status).toBe(400);
    expect((await get({ query: QUERY }, { 'content-type': 'text/plain', ...PREFLIGHT })).status).toBe(200);
    const mutation = await get({ query: CREATE }, PREFLIGHT);
    expect([mutation.status, mutation.headers.get('allow')]).toEqual([405, 'POST']);
    expect((await get({ query: QUERY, variables: '{' }, PREFLIGHT)).status).toBe(400);
    expect((await get({}, PREFLIGHT)).status).toBe(400);
    await expectNothingForged();
  });

  it.each(['"{}"', '[1]', '{'])('RU-28 refuses variables=%s', async (variables) => {
    const reply = await get({ query: QUERY, variables }, PREFLIGHT);
    expect(reply.status).toBe(400);
    expect(reply.text).toContain('\\"variables\\" must be a JSON object');
  });

  it('HEAD has the headers of GET', async () => {
    const path = `/graphql?query=${encodeURIComponent(QUERY)}`;
    const [get, head] = await Promise.all(
      ['GET', 'HEAD'].map((method) =>
        server.anonymous.request(method, path, undefined, { headers: bearer() }),
      ),
    );
    expect([head?.status, head?.text]).toEqual([200, '']);
    const named = (reply: typeof get) =>
      ['content-type', 'content-length'].map((name) => reply?.headers.get(name));
    expect(named(head)).toEqual(named(get));
  });

  it.each([
    ['/graphql', 'GET, HEAD, POST, OPTIONS'],
    ['/graphql/stream', 'GET, POST, OPTIONS'],
  ])('OPTIONS lists the methods of %s, without a token', async (path, allow) => {
    const development = await ownServer({ graphqlDevelopment: true });
    for (const asked of [server.anonymous, development.anonymous]) {
      const reply = await asked.request('OPTIONS', path);
      expect([reply.status, reply.headers.get('allow'), reply.text]).toEqual([204, allow, '']);
    }
  });

  it('refuses other methods and other paths', async () => {
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      const reply = await server.anonymous.request(method, '/graphql', undefined, {
        headers: bearer(),
      });
      expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST, OPTIONS']);
      expect(reply.text).toContain('Send GET or POST.');
    }
    for (const path of ['/graphql/none', '/GraphQL']) {
      const reply = await server.anonymous.post(path, { query: QUERY }, { headers: bearer() });
      expect(reply.status).toBe(404);
    }
  });
});

describe('persisted queries', () => {
  const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
  const persisted = (text: string) => ({ persistedQuery: { version: 1, sha256Hash: hash(text) } });
  it('GQ-10 are answered by their hash once the server has seen them', async () => {
    const query = 'query Persisted { viewer { role scopes } }';
    const unknown = await post({ extensions: persisted(query) });
    expect(errorOf(unknown)).toBe('PERSISTED_QUERY_NOT_FOUND');
    expect((await post({ query, extensions: persisted(query) })).status).toBe(200);
    const known = await post({ extensions: persisted(query) });
    expect(JSON.parse(known.text)).toMatchObject({ data: { viewer: { role: 'ADMIN' } } });
    const again = await server.anonymous.get('/graphql', undefined, {
      query: { extensions: JSON.stringify({ ...persisted(query) }) },
      headers: { ...bearer(), ...PREFLIGHT },
    });
    expect(again.status).toBe(200);
  });

  it('GQ-10 are not stored under a wrong hash, nor if they are refused', async () => {
    const other = '{ viewer { scopes } }';
    const lie = await post({ query: QUERY, extensions: persisted(other) });
    expect([lie.status, errorOf(lie)]).toEqual([400, 'BAD_USER_INPUT']);
    expect(errorOf(await post({ extensions: persisted(other) }))).toBe('PERSISTED_QUERY_NOT_FOUND');
    const broken = '{ nothing }';
    expect((await post({ query: broken, extensions: persisted(broken) })).status).toBe(400);
    expect(errorOf(await post({ extensions: persisted(broken) }))).toBe('PERSISTED_QUERY_NOT_FOUND');
    for (const version of [2, '1', null]) {
      const odd = await post({ extensions: { persistedQuery: { version, sha256Hash: hash(QUERY) } } });
      expect(odd.status).toBe(400);
    }
  });

  const CHANGE = 'mutation { groupCreate(input: { name: "listed" }) { group { name } } }';
  const LISTED: readonly (readonly [string, string])[] = [
    [hash(QUERY), QUERY],
    ['q1', QUERY],
    [hash(CHANGE), CHANGE],
    ['change', CHANGE],
  ];

  it('GQ-10 are the only operations of a server with an allow list', async () => {
    const listed = await ownServer({ graphqlAllowList: new Map(LISTED) });
    const options = { headers: { authorization: `Bearer ${listed.acme.token}` } };
    const ask = (body: Record<string, unknown>) =>
      createClient(listed.url, null).post('/graphql', body, options);
    expect((await ask({ query: QUERY })).status).toBe(200);
    expect((await ask({ extensions: persisted(QUERY) })).status).toBe(200);
    for (const documentId of [hash(QUERY), `sha256:${hash(QUERY)}`, 'q1']) {
      for (const more of [{}, { query: '' }, { query: null, variables: '', operationName: '' }]) {
        const reply = await ask({ documentId, ...more });
        expect([reply.status, reply.body.data], reply.text).toEqual([200, expect.anything()]);
      }
    }
    const change = await ask({ documentId: 'change' });
    expect(change.text).toContain('"groupCreate"');
    for (const documentId of ['', 'q2', hash(CREATE).slice(1), 7]) {
      const unknown = await ask({ documentId });
      expect([unknown.status, errorOf(unknown)]).toEqual([400, 'PERSISTED_QUERY_NOT_IN_LIST']);
    }
    for (const query of ['{ viewer { scopes } }', `${QUERY} `, CREATE]) {
      const refused = await ask({ query, extensions: persisted(query) });
      expect([refused.status, errorOf(refused)]).toEqual([400, 'PERSISTED_QUERY_NOT_IN_LIST']);
      expect(errorOf(await ask({ extensions: persisted(query) }))).toBe('PERSISTED_QUERY_NOT_FOUND');
    }
  });
});

/** Some tell the time, and the connection is closed where part of the body had not arrived. */
const DIFFERENT = /^(date|connection|keep-alive|x-rate-limit-remaining|x-rate-limit-reset)$/;

const TWO = JSON.stringify({ query: '{ viewer { role } groups { totalCount } }' });

/** The router finds /graphql/ only: requests to /graphql do not pass it. */
it.each<[string, Record<string, string>, string]>([
  ['a query', JSON_BODY, TWO],
  ['a query of another origin', { ...JSON_BODY, origin: 'https://other.example' }, TWO],
  ['a mutation', JSON_BODY, JSON.stringify({ query: 'mutation { groupDelete(id: "x") { deletedId } }' })],
  ['no JSON', JSON_BODY, '{'],
  ['another type', { 'content-type': 'text/plain' }, TWO],
  ['an invalid Idempotency-Key', { ...JSON_BODY, 'idempotency-key': 'a b' }, TWO],
])('answers %s like the path without it', async (_what, headers, body) => {
  for (const token of [server.acme.token, 'nonsense', null]) {
    const access = token === null ? {} : { authorization: `Bearer ${token}` };
    const options = { headers: { ...headers, ...access, 'x-request-id': 'same' } };
    const shown = async (path: string) => {
      const { status, text, headers: got } = await server.anonymous.post(path, body, options);
      return { status, text, headers: [...got].filter(([name]) => !DIFFERENT.test(name)) };
    };
    expect(await shown('/graphql/')).toEqual(await shown('/graphql'));
  }
});
