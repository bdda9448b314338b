import { globSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { sendHttp } from '../support/client.js';
import { SESSION_COOKIE } from '../support/config.js';
import { rowsIn } from '../support/fleet.js';
import { overFourTransports, REFUSED, SERVED } from '../support/four-transports.js';
import { ownServer, startServer, type TestServer } from '../support/server.js';

const DASHBOARD = 'https://dash.example';
const LOCAL = 'http://localhost:5173';

let closed: TestServer;
let open: TestServer;
beforeAll(async () => {
  closed = await startServer();
  open = await startServer({ allowedOrigins: [DASHBOARD, LOCAL], rateLimitPerHour: 1_000 });
});
afterAll(async () => {
  await closed.stop();
  await open.stop();
});

const transports = (server: TestServer, headers: Record<string, string>) =>
  overFourTransports(server.url, server.acme.token, headers);

/** Sends a request below a path of the server, with the token in the header. */
const ask = (server: TestServer, path: string, headers: Record<string, string>, method = 'GET') =>
  sendHttp(`${server.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${server.acme.token}`, ...headers },
  });

/** `/openapi.json` is compressed as the client accepts it. */
const varyOf = (path: string): string => (path === '/openapi.json' ? 'Origin, Accept-Encoding' : 'Origin');
const varyWithoutOrigins = (path: string): string | undefined =>
  path === '/openapi.json' ? 'Accept-Encoding' : undefined;
const corsOf = (headers: Readonly<Record<string, string>>): string[] =>
  Object.keys(headers).filter((name) => name.startsWith('access-control'));

describe('AT-42 one rule for POST, GET, streams and sockets', () => {
  it('serves programs, which send no Origin, and pages of the server itself', async () => {
    const { host, port } = new URL(closed.url);
    for (const headers of [
      {},
      { origin: `http://${host}` },
      // A proxy that speaks TLS with the browser and keeps the Host.
      { origin: `https://${host}` },
      { origin: 'https://gateway.example', host: 'gateway.example' },
      { origin: 'https://gateway.example', host: 'gateway.example:443' },
      { origin: `http://[::1]:${port}`, host: `[::1]:${port}` },
    ]) {
      expect([headers, await transports(closed, headers)]).toEqual([headers, SERVED]);
    }
  });

  it.each([
    'https://evil.example',
    'null',
    'http://',
    'https://127.0.0.1',
    'https://undefined',
    `${DASHBOARD}.evil.example`,
    'http://dash.example',
    'https://dash.example:8443',
    'HTTPS://DASH.EXAMPLE',
    `${DASHBOARD}, ${LOCAL}`,
    '*',
  ])('refuses Origin %s, with and without ALLOWED_ORIGINS', async (origin) => {
    expect(await transports(closed, { origin })).toEqual(REFUSED);
    expect(await transports(open, { origin })).toEqual(REFUSED);
  });

  it('serves listed origins, and no others', async () => {
    for (const origin of [DASHBOARD, LOCAL]) {
      expect(await transports(open, { origin })).toEqual(SERVED);
      expect(await transports(closed, { origin })).toEqual(REFUSED);
    }
    expect(await transports(open, { origin: open.url })).toEqual(SERVED);
  });

  it('the error names the origin and the setting; nothing is changed', async () => {
    const query = 'mutation { groupCreate(input: { name: "far" }) { group { id } } }';
    const { status, text } = await closed.acme.graphql(query, {}, { headers: { origin: DASHBOARD } });
    expect(status).toBe(403);
    expect(text).toContain(`Origin ${DASHBOARD} is not allowed. Add it to ALLOWED_ORIGINS`);
    expect(await rowsIn(closed, 'groups')).toBe(0);
  });
});

describe('AT-42 the host and scheme that a proxy reports', () => {
  const origin = 'https://gateway.example';
  const reported = { 'x-forwarded-host': 'gateway.example', 'x-forwarded-proto': 'https' };

  it('are believed from a trusted proxy only', async () => {
    const trusting = await ownServer({ trustProxy: ['127.0.0.1'] });
    expect(await transports(closed, { origin, ...reported })).toEqual(REFUSED);
    expect(await transports(trusting, { origin, ...reported })).toEqual(SERVED);
    expect(await transports(trusting, { origin, ...reported, 'x-forwarded-proto': 'wss' })).toEqual(SERVED);
    expect(await transports(trusting, { origin: 'http://gateway.example', ...reported })).toEqual(REFUSED);
    expect(await transports(trusting, { origin: 'https://evil.example', ...reported })).toEqual(REFUSED);
    expect(await transports(trusting, { origin })).toEqual(REFUSED);
  });
});

/** Headers that browsers send by themselves or without a permission, of terminals, and of this server's own pages. */
const WITHOUT_PERMISSION =
  /^(accept|access-control-.*|content-(encoding|length)|cookie|expect|origin|referer|sec-.*|transfer-encoding|upgrade|user-agent|x-(serial-number|company|refresh))$/;

/** Headers that the server reads, and those that libraries for tracing and for requests add. */
const HEADERS_OF_PAGES = [
  ...new Set(
    globSync('src/{http,rest,graphql,platform}/**/*.ts')
      .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/headerOf\([^,()]+, '([a-z-]+)'/g)])
      .map(([, name = '']) => name)
      .filter((name) => !WITHOUT_PERMISSION.test(name)),
  ),
  'tracestate',
  'x-requested-with',
];

describe('AT-42 CORS', () => {
  it('the headers that the server reads include those of conditions and traces', () => {
    const some = 'authorization idempotency-key if-match if-none-match last-event-id traceparent';
    expect(HEADERS_OF_PAGES).toEqual(expect.arrayContaining(some.split(' ')));
  });

  it.each(['/v1/groups', '/graphql', '/graphql/stream', '/openapi.json'])(
    'answers the preflight of a listed origin for %s, uncounted',
    async (path) => {
      const preflight = {
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,idempotency-key',
      };
      const ofOrigin = (origin: string) =>
        sendHttp(open.url + path, { method: 'OPTIONS', headers: { origin, ...preflight } });
      const reply = await ofOrigin(DASHBOARD);
      expect([reply.status, reply.text]).toEqual([204, '']);
      expect(reply.headers).toMatchObject({
        'access-control-allow-origin': DASHBOARD,
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE',
        'access-control-max-age': '7200',
        vary: 'Origin',
      });
      const allowed = reply.headers['access-control-allow-headers']?.toLowerCase();
      expect(allowed?.split(', ')).toEqual(expect.arrayContaining(HEADERS_OF_PAGES));
      expect(reply.headers).not.toHaveProperty('x-rate-limit-limit');
      expect(reply.headers).not.toHaveProperty('access-control-allow-credentials');
      const refused = await ofOrigin('https://evil.example');
      expect([refused.headers.vary, corsOf(refused.headers)]).toEqual(['Origin', []]);
    },
  );

  it.each<[string, number]>([
    ['/v1/groups', 200],
    ['/v1/groups?page=0', 400],
    ['/v1/groups/nobody', 404],
    ['/v1/none', 404],
    ['/graphql?query={viewer{role}}', 200],
    ['/graphql?query={', 400],
    ['/graphql/stream?query={viewer{role}}', 200],
    ['/openapi.json', 200],
  ])('lets a listed origin read %s with its headers, errors too', async (path, status) => {
    for (const origin of [DASHBOARD, LOCAL]) {
      const reply = await ask(open, path, { origin, accept: '*/*' });
      expect([reply.status, reply.headers['access-control-allow-origin']]).toEqual([status, origin]);
      expect(reply.headers.vary).toBe(varyOf(path));
      const exposed = reply.headers['access-control-expose-headers']?.split(', ');
      const limits = ['Limit', 'Remaining', 'Reset'].map((name) => `X-Rate-Limit-${name}`);
      for (const name of ['X-Request-Id', ...limits, 'ETag', 'Retry-After']) expect(exposed).toContain(name);
    }
  });

  it('lets a listed origin read 401 and 429', async () => {
    const limited = await ownServer({ allowedOrigins: [DASHBOARD], rateLimitPerHour: 1 });
    for (const status of [401, 429]) {
      const reply = await sendHttp(`${limited.url}/v1/groups`, { headers: { origin: DASHBOARD } });
      expect([reply.status, reply.headers['access-control-allow-origin']]).toEqual([status, DASHBOARD]);
    }
    const preflight = { origin: DASHBOARD, 'access-control-request-method': 'GET' };
    const reply = await sendHttp(`${limited.url}/v1/groups`, { method: 'OPTIONS', headers: preflight });
    expect(reply.status).toBe(204);
  });

  it('AT-20 says nothing to other origins, and nothing at other paths', async () => {
    for (const path of ['/v1/groups', '/graphql', '/openapi.json']) {
      for (const origin of ['https://evil.example', 'null', `${DASHBOARD}.evil.example`]) {
        const reply = await ask(open, path, { origin, cookie: `${SESSION_COOKIE}=1` });
        expect([reply.headers.vary, corsOf(reply.headers)]).toEqual([varyOf(path), []]);
        expect(reply.headers['cross-origin-resource-policy']).toBe('same-origin');
      }
      expect((await ask(open, path, {})).headers.vary).toBe(varyOf(path));
      const without = await ask(closed, path, { origin: DASHBOARD });
      expect([without.headers.vary, corsOf(without.headers)]).toEqual([varyWithoutOrigins(path), []]);
    }
    for (const path of ['/docs', '/healthz', '/readyz', '/metrics', '/', '/none']) {
      expect([path, corsOf((await ask(open, path, { origin: DASHBOARD })).headers)]).toEqual([path, []]);
    }
  });

  it('leaves requests without a preflight to the page of an unlisted origin on /v1', async () => {
    expect((await ask(closed, '/v1/groups', { origin: DASHBOARD })).status).toBe(200);
  });
});
