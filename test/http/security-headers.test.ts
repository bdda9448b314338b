import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { afterAll, describe, expect, it } from 'vitest';

import { sendHttp } from '../support/client.js';
import { removeFolder, scratchFolder, selfSigned } from '../support/scratch.js';
import { ownServer, type Reply, useServer } from '../support/server.js';

const server = useServer({ rateLimitPerHour: 1_000 });

type Asked = () => Promise<Reply>;

/** A request for each status. */
function statuses(): readonly (readonly [number, Asked])[] {
  const { client } = server.acme;
  const large = 'x'.repeat(1024 * 1024 + 1);
  return [
    [200, () => client.get('groups')],
    [201, () => client.post('groups', { name: 'headers' })],
    [400, () => client.get('groups?page=0')],
    [401, () => server.anonymous.get('groups')],
    [403, async () => (await server.member('acme', 'viewer')).client.post('groups', {})],
    [404, () => client.get('groups/nobody')],
    [200, () => client.request('HEAD', 'groups')],
    [204, () => client.request('OPTIONS', 'groups')],
    [405, () => client.request('PATCH', 'groups')],
    [409, () => client.post('groups', { name: 'headers' })],
    [304, () => client.get('groups/headers', undefined, { headers: { 'if-none-match': '*' } })],
    [412, () => client.put('groups/headers', {}, { headers: { 'if-match': '"old"' } })],
    [413, () => client.post('groups', large)],
    [415, () => client.post('groups', {}, { headers: { 'content-encoding': 'gzip' } })],
    [422, () => client.post('groups', {})],
  ];
}

/** Statuses that need a server with a fault. */
async function troubled(): Promise<Reply[]> {
  const broken = await ownServer({ rateLimitPerHour: 2 });
  await broken.place.sql('alter table groups rename to lost');
  const unexpected = await broken.acme.client.get('groups');
  broken.app.database.health.report('db_corrupt');
  const unavailable = await broken.acme.client.post('apps', { name: 'x' });
  const limited = await broken.acme.client.get('groups');
  const replies = [unexpected, unavailable, limited];
  expect(replies.map(({ status }) => status)).toEqual([500, 503, 429]);
  return replies;
}

function requireSafe({ headers, status }: Reply, caching = 'no-store'): void {
  expect(Object.fromEntries(headers), String(status)).toMatchObject({
    'cache-control': caching,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    'content-security-policy': expect.stringContaining("default-src 'none'") as string,
    'x-request-id': expect.stringMatching(/^[A-Za-z0-9._-]{1,64}$/) as string,
  });
  for (const name of ['x-powered-by', 'server', 'location', 'strict-transport-security'])
    expect(headers.get(name), name).toBeNull();
}

describe('contract 15: headers of every response', () => {
  it('AT-18 RL-01 is the same on every status, with the rate limit, and Retry-After where waiting helps', async () => {
    const replies = [];
    for (const [status, ask] of statuses()) {
      const reply = await ask();
      expect(reply.status).toBe(status);
      replies.push(reply);
    }
    for (const reply of [...replies, ...(await troubled())]) {
      requireSafe(reply);
      const { status, headers } = reply;
      expect(headers.get('x-rate-limit-limit'), String(status)).toMatch(/^(?:1000|2)$/);
      expect(Number(headers.get('retry-after')) > 0, String(status)).toBe([429, 503].includes(status));
    }
  });

  it.each([
    ...['/', '/healthz', '/readyz', '/metrics', '/nothing', '/graphql'].map(
      (page) => [page, 'no-store'] as const,
    ),
    // Clients may keep these, but ask for them again.
    ...['/openapi.json', '/docs', '/docs/style.css'].map((page) => [page, 'no-cache'] as const),
  ])('AT-18 is the same on %s: %s', async (page, caching) => {
    requireSafe(await server.anonymous.get(page), caching);
  });
});

describe('a server with TLS', () => {
  const folder = scratchFolder();
  const secure = useServer({ tls: selfSigned(folder) });
  afterAll(() => removeFolder(folder));
  const connectWith = (ALPNProtocols?: string[]) =>
    connect({
      port: Number(new URL(secure.url).port),
      host: '127.0.0.1',
      rejectUnauthorized: false,
      ...(ALPNProtocols === undefined ? {} : { ALPNProtocols }),
    });

  it('AT-19 refuses tokens over plain HTTP, and its responses have Strict-Transport-Security', async () => {
    const url = `${secure.url}/v1/groups?access_token=${secure.acme.token}`;
    await expect(fetch(url.replace('https', 'http'))).rejects.toThrow();
    const { status, headers } = await sendHttp(url);
    expect([status, headers['strict-transport-security']]).toEqual([200, 'max-age=31536000']);
  });

  it.each<[string[] | undefined, string, string | false]>([
    [['http/1.0'], '1.0', 'http/1.0'],
    [['http/1.1'], '1.1', 'http/1.1'],
    [['http/1.0', 'http/1.1'], '1.1', 'http/1.1'],
    [['h2', 'http/1.1'], '1.1', 'http/1.1'],
    [undefined, '1.0', false],
  ])('serves a client that offers the protocols %s', async (offered, version, chosen) => {
    const socket = connectWith(offered);
    await once(socket, 'secureConnect');
    expect(socket.alpnProtocol).toBe(chosen);
    const path = `/v1/groups?access_token=${secure.acme.token}`;
    socket.write(`GET ${path} HTTP/${version}\r\nHost: gateway\r\nConnection: close\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*"total_entries":0/);
  });

  it('refuses a client that offers only h2 in the handshake', async () => {
    const [error] = (await once(connectWith(['h2']), 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL');
  });
});
