import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';

import { sendRaw } from '../../support/raw-http.js';
import { ask, openKnown, openRaw, refusedUpgrade, type RawOptions } from '../../support/raw-socket.js';
import { removeFolder, scratchFolder, selfSigned } from '../../support/scratch.js';
import { startServer, useServer } from '../../support/server.js';

const server = useServer({ trustProxy: ['127.0.0.1'] });

const VIEWER = '{ viewer { role } }';
const SECOND = 1_000;

describe('GQ-15 a socket', () => {
  it.each<[string, unknown]>([
    ['no token', undefined],
    ['nothing in the payload', {}],
    ['an unknown token', { accessToken: '0'.repeat(40) }],
    ['a token of no form', { accessToken: 'nonsense' }],
    ['a token that is no text', { accessToken: { $ne: '' } }],
    ['another scheme', { authorization: 'Basic YWJjOmRlZg==' }],
  ])('is closed with 4403 for %s, without running an operation', async (_what, payload) => {
    const raw = await openRaw(server);
    raw.say({ type: 'connection_init', payload });
    raw.say({ type: 'subscribe', id: '1', payload: { query: VIEWER } });
    const { code } = await raw.ended;
    expect([4403, 4401]).toContain(code);
    expect(raw.heard).toEqual([]);
    const alone = await openRaw(server);
    alone.say({ type: 'connection_init', payload });
    expect(await alone.ended).toEqual({ code: 4403, reason: 'A valid access token is needed' });
  });

  it('is closed with 4401 for an operation before connection_init', async () => {
    const raw = await openRaw(server);
    raw.say({ type: 'subscribe', id: '1', payload: { query: VIEWER } });
    expect(await raw.ended).toMatchObject({ code: 4401 });
  });

  it('accepts the token in the payload, the header or the query, but not two tokens', async () => {
    const { token } = server.acme;
    const header = { headers: { authorization: `Bearer ${token}` } };
    const ways: readonly [RawOptions, object | undefined][] = [
      [{}, { accessToken: token }],
      [{}, { authorization: `Bearer ${token}` }],
      [{}, { Authorization: `bearer ${token}` }],
      [header, undefined],
      [header, { accessToken: token }],
      [{ path: `/graphql?access_token=${token}` }, {}],
    ];
    for (const [options, payload] of ways) {
      const raw = await openRaw(server, options);
      raw.say({ type: 'connection_init', payload });
      await raw.hear({ type: 'connection_ack' });
      expect((await ask(raw, VIEWER)).payload.data).toEqual({ viewer: { role: 'ADMIN' } });
      raw.socket.close();
    }
    const two = await openRaw(server, header);
    two.say({ type: 'connection_init', payload: { accessToken: server.beta.token } });
    expect(await two.ended).toEqual({ code: 4400, reason: 'Send one access token only' });
    const refused = await refusedUpgrade(server, {
      path: `/graphql?access_token=${server.beta.token}`,
      ...header,
    });
    expect(refused.status).toBe(400);
    expect(server.logs.join('')).not.toContain(token);
  });

  it.each<[string, unknown, number]>([
    ['that is no JSON', '{', 4400],
    ['that is no message', '[]', 4400],
    ['of no known type', { type: 'start', id: '1', payload: { query: VIEWER } }, 4400],
    ['of more than a megabyte', { type: 'ping', payload: { x: 'x'.repeat(1_100_000) } }, 1009],
    ['that says again whose it is', { type: 'connection_init' }, 4429],
    ['without a query', { type: 'subscribe', id: '1', payload: {} }, 4400],
    ['with a query that is no text', { type: 'subscribe', id: '1', payload: { query: {} } }, 4400],
  ])('is closed after a message %s', async (_what, message, code) => {
    const raw = await openKnown(server, server.acme.token);
    raw.say(message as string);
    expect((await raw.ended).code).toBe(code);
    expect((await server.acme.graphql(VIEWER)).status).toBe(200);
  });

  it.each([
    ['connection_ack', '{"type":"connection_ack"}'],
    ['next', '{"type":"next","id":"1","payload":{"data":null}}'],
    ['error', '{"type":"error","id":"1","payload":[{"message":"x"}]}'],
    ['deep ping', `{"type":"ping","payload":{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`],
  ])(
    'is closed with 4400 for a message that only servers send or cannot be answered, without a logged fault: %s',
    async (_type, message) => {
      const logged = server.logs.length;
      const raw = await openRaw(server);
      raw.say(message);
      expect(await raw.ended).toEqual({ code: 4400, reason: 'Invalid message received' });
      expect(server.logs.slice(logged).join('')).not.toContain('unexpected error');
    },
  );

  it('speaks graphql-transport-ws only, without compression', async () => {
    const raw = await openRaw(server, { perMessageDeflate: true });
    expect([raw.socket.protocol, raw.socket.extensions]).toEqual(['graphql-transport-ws', '']);
    raw.socket.terminate();
    const other = await openRaw(server, { protocol: [] });
    other.say({ type: 'connection_init', payload: { accessToken: server.acme.token } });
    expect(await other.ended).toEqual({ code: 4406, reason: 'Subprotocol not acceptable' });
    const old = new WebSocket(`${server.url.replace('http', 'ws')}/graphql`, 'graphql-ws');
    const [error] = (await once(old, 'error')) as [Error];
    expect(error.message).toBe('Server sent no subprotocol');
  });

  it.concurrent('without connection_init is closed after three seconds', async () => {
    const raw = await openRaw(server);
    expect(await raw.ended).toEqual({ code: 4408, reason: 'Connection initialisation timeout' });
  });

  it.concurrent('works over TLS', async () => {
    const folder = scratchFolder();
    const secure = await startServer({ tls: selfSigned(folder) });
    const raw = await openKnown(secure, secure.acme.token, { rejectUnauthorized: false });
    expect((await ask(raw, VIEWER)).payload.data).toEqual({ viewer: { role: 'ADMIN' } });
    await secure.stop();
    expect(await raw.ended).toMatchObject({ code: 1001 });
    removeFolder(folder);
  });

  it.concurrent('is terminated if its client does not answer pings, and only then', async () => {
    const own = await startServer({}, { live: { pingMs: SECOND / 10, idleMs: 4 * SECOND } });
    const dead = await openKnown(own, own.acme.token, { autoPong: false });
    const alive = await openKnown(own, own.acme.token);
    own.clock.stop();
    // In each round a second passes, and with the second ping the answer to the first one has come.
    for (let round = 0; round < 8; round += 1) {
      own.clock.advance(SECOND);
      await once(alive.socket, 'ping');
      await once(alive.socket, 'ping');
    }
    expect(await dead.ended).toEqual({ code: 1006, reason: '' });
    expect((await ask(alive, VIEWER)).payload.data).toEqual({ viewer: { role: 'ADMIN' } });
    alive.say({ type: 'ping' });
    await alive.hear({ type: 'pong' });
    alive.socket.close();
    await own.stop();
  });
});

describe('GQ-15 a request for a socket', () => {
  const bearer = (): Record<string, string> => ({ authorization: `Bearer ${server.acme.token}` });

  it('is 404 at other paths', async () => {
    for (const path of ['/', '/healthz', '/graphql/x', '/graphql/stream', '/v1/groups', '/GraphQL']) {
      const { status } = await refusedUpgrade(server, { path, headers: bearer() });
      expect([path, status]).toEqual([path, 404]);
    }
  });

  it('has the response headers of other requests: id, budget, security', async () => {
    const socket = (await openRaw(server)).socket;
    socket.terminate();
    const { status, headers, text } = await refusedUpgrade(server, {
      headers: { origin: 'https://evil.example', 'x-request-id': 'upgrade-1' },
    });
    expect(status).toBe(403);
    expect(headers).toMatchObject({
      'x-request-id': 'upgrade-1',
      'x-rate-limit-limit': '1000000',
      'x-content-type-options': 'nosniff',
      connection: 'close',
    });
    expect(JSON.parse(text)).toMatchObject({ errors: [{ extensions: { requestId: 'upgrade-1' } }] });
    await expect.poll(() => server.logs.find((line) => line.includes('upgrade-1'))).toContain('"status":403');
    const accepted = httpRequest(`${server.url}/graphql`, {
      headers: {
        connection: 'upgrade',
        upgrade: 'websocket',
        'x-request-id': 'upgrade-2',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      },
    }).end();
    const [response, raw] = (await once(accepted, 'upgrade')) as [
      { statusCode: number; headers: object },
      { destroy(): void },
    ];
    expect(response.headers).toMatchObject({ 'x-request-id': 'upgrade-2', 'x-rate-limit-limit': '1000000' });
    raw.destroy();
    await expect.poll(() => server.logs.find((line) => line.includes('upgrade-2'))).toContain('"status":101');
  });

  const upgrade = 'Connection: upgrade\r\nUpgrade: websocket\r\n';
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';

  const version = 'Sec-WebSocket-Version: 13\r\n';

  it.each([
    ['without a key', 'GET', version, 400],
    ['of an old version', 'GET', `${key}Sec-WebSocket-Version: 8\r\n`, 400],
    ['by POST', 'POST', `${key}${version}Content-Length: 0\r\n`, 405],
    ['of two hosts', 'GET', `Host: b\r\n${key}${version}`, 400],
  ])('is refused %s', async (_what, method, headers, status) => {
    const head = `${method} /graphql HTTP/1.1\r\nHost: a\r\n${upgrade}${headers}\r\n`;
    expect((await sendRaw(server.url, head)).statuses).toEqual([status]);
  });

  it('behind a pending request ends the connection, and nothing else', async () => {
    const first = `GET /v1/groups?access_token=${server.acme.token} HTTP/1.1\r\nHost: a\r\n\r\n`;
    const second = `GET /graphql HTTP/1.1\r\nHost: a\r\n${upgrade}${key}${version}\r\n`;
    const { statuses } = await sendRaw(server.url, first + second);
    expect(statuses).not.toContain(101);
    expect((await server.acme.graphql(VIEWER)).status).toBe(200);
  });

  it('for another protocol is an ordinary request', async () => {
    const reply = await server.anonymous.get('/v1/groups', undefined, {
      headers: {
        ...bearer(),
        connection: 'upgrade, http2-settings',
        upgrade: 'h2c',
        'http2-settings': 'AAMAAABk',
      },
    });
    expect(reply.status).toBe(200);
    const headers = { ...bearer(), connection: 'upgrade', upgrade: 'h2c' };
    expect((await server.anonymous.post('/v1/groups', { name: 'by h2c' }, { headers })).status).toBe(201);
  });
});
