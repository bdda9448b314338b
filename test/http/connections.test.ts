import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';

import { REQUEST_LIMITS } from '../../src/http/server/admission.js';
import { CONNECTION_LIMITS, Connections } from '../../src/http/server/connections.js';
import { Slots } from '../../src/platform/client-limits.js';
import { systemClock } from '../../src/platform/clock.js';
import { openConnection } from '../support/raw-http.js';
import { ownServer, type TestServer } from '../support/server.js';
import { openSlowClient } from '../support/slow-client.js';
import { newTerminal } from '../support/terminals.js';

let server: TestServer;
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** Opens connections from an address of this machine. */
async function open(url: string, count: number, localAddress: string): Promise<Socket[]> {
  const opening = Array.from({ length: count }, () => openConnection(url, localAddress));
  const opened = await Promise.all(opening);
  sockets.push(...opened);
  for (const socket of opened) socket.resume();
  return opened;
}

describe('the idle rule', () => {
  class Connection {
    destroyed = false;
    bytesWritten = 0;
    writableLength = 0;
    once = (): this => this;
    resetAndDestroy = (): void => void (this.destroyed = true);
  }

  const RULE = { idleMs: 1_000, leastBytes: 100 };

  /** Simulates a connection by its written and unread bytes each half second: `50/40`. Returns when it is cut, or null. */
  function cutAt(seconds: string): number | null {
    const connections = new Connections(new Slots(), RULE, () => false, systemClock);
    const connection = new Connection();
    const listeners = new Map<string, (socket: unknown) => void>();
    const listen = (name: string, use: (socket: unknown) => void): void => void listeners.set(name, use);
    connections.watch({ on: listen, once: listen, prependListener: listen } as never, false);
    listeners.get('connection')?.(connection);
    for (const [index, bytes] of seconds.split(' ').entries()) {
      const [written = 0, waiting = 0] = bytes.split('/').map(Number);
      connection.bytesWritten = written;
      connection.writableLength = waiting;
      connections.check(index * 500);
      if (connection.destroyed) return index * 500;
    }
    listeners.get('close')?.(connection);
    return null;
  }

  it.each([
    ['a client that takes nothing for that long', '500/400 500/400 500/400'],
    ['one that takes some, but too little', '500/400 550/400 599/400'],
    ['what the server writes does not count', '500/400 900/800 1300/1200'],
  ])('LS-10 cuts the connection: %s', (_what, seconds) => {
    expect(cutAt(seconds)).toBe(1_000);
  });

  it.each([
    ['takes enough', '500/400 600/400 700/400 800/400 900/400'],
    ['takes all', '50/40 50/0 60/10 60/0 70/10 70/0'],
    ['has nothing to take', '0/0 0/0 0/0 0/0'],
  ])('leaves a connection whose client %s', (_what, seconds) => {
    expect(cutAt(seconds)).toBeNull();
  });
});

describe('connections', () => {
  it('of one network are limited; others are accepted meanwhile, and it again afterwards', async () => {
    server = await ownServer();
    const first = await open(server.url, CONNECTION_LIMITS.ofNetwork, '127.0.0.3');
    const [more] = await open(server.url, 1, '127.0.0.3');
    if (more?.destroyed === false) await once(more, 'close');
    expect(first.filter(({ destroyed }) => destroyed)).toEqual([]);
    expect((await server.acme.client.get('groups')).status).toBe(200);
    expect(await server.metric('http_connections_open')).toBeGreaterThan(CONNECTION_LIMITS.ofNetwork);
    expect(await server.metric('http_refused_total{limit="connections_of_network"}')).toBe(1);
    first[0]?.destroy();
    await expect.poll(async () => (await server.metric('http_connections_open')) <= 501).toBe(true);
    const [again] = await open(server.url, 1, '127.0.0.3');
    const answer = new Promise((resolve) => again?.once('data', resolve));
    again?.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(String(await answer)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('of trusted proxies are not', async () => {
    server = await ownServer({ trustProxy: ['127.0.0.0/8', '::1'] });
    const all = await open(server.url, CONNECTION_LIMITS.ofNetwork + 20, '127.0.0.4');
    expect((await server.acme.client.get('groups')).status).toBe(200);
    expect(all.filter(({ destroyed }) => destroyed)).toEqual([]);
  });
});

describe('connections of terminals that wait', () => {
  it('do not count for their network: thousands of terminals may share one address', async () => {
    server = await ownServer();
    const { token } = await newTerminal(server.acme, 'T-1');
    const first = await open(server.url, CONNECTION_LIMITS.ofNetwork, '127.0.0.5');
    const path = '/terminal/v1/notifications?wait=60';
    const waiting = `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    for (const socket of first.slice(0, 2)) socket.write(waiting);
    await expect.poll(() => server.metric('terminals_waiting')).toBe(2);
    const more = await open(server.url, 2, '127.0.0.5');
    const [last] = await open(server.url, 1, '127.0.0.5');
    if (last?.destroyed === false) await once(last, 'close');
    expect(more.filter(({ destroyed }) => destroyed)).toEqual([]);
    expect(await server.metric('http_refused_total{limit="connections_of_network"}')).toBe(1);
  });
});

describe('requests in progress', () => {
  const headOf = (method: string, token: string, address: string): string =>
    `${method} /v1/groups HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${address}\r\nAuthorization: Bearer ${token}\r\n`;

  /** Requests whose bodies do not arrive. */
  async function begin(url: string, token: string, address: string, count: number): Promise<void> {
    for (const socket of await open(url, count, '127.0.0.1'))
      socket.write(`${headOf('POST', token, address)}Content-Length: 9\r\n\r\n`);
  }

  async function status(of: TestServer, token: string, address: string): Promise<readonly unknown[]> {
    const client = await openSlowClient(of.url);
    sockets.push(client.socket);
    await client.send(`${headOf('GET', token, address)}\r\n`);
    const { status: code, head, body } = await client.answer();
    client.socket.destroy();
    const retryAfter = /^retry-after: (\d+)/im.exec(head)?.[1];
    return [code, (JSON.parse(body) as { code?: string }).code, retryAfter];
  }

  it('of one network and of one company are limited; the others are served', async () => {
    const app = (server = await ownServer({ trustProxy: ['127.0.0.1'] }));
    const { ofNetwork, ofCompany } = REQUEST_LIMITS;
    await begin(app.url, app.acme.token, '198.51.100.1', ofNetwork);
    await expect.poll(() => status(app, app.beta.token, '198.51.100.1')).toEqual([429, 'rate_limited', '5']);
    expect(await status(app, app.acme.token, '198.51.100.2')).toEqual([200, undefined, undefined]);
    await begin(app.url, app.acme.token, '198.51.100.3', ofCompany - ofNetwork);
    await expect.poll(() => status(app, app.acme.token, '198.51.100.2')).toEqual([503, 'busy', '5']);
    expect(await status(app, app.beta.token, '198.51.100.2')).toEqual([200, undefined, undefined]);
    for (const socket of sockets.splice(0)) socket.destroy();
    await expect.poll(() => status(app, app.acme.token, '198.51.100.1')).toEqual([200, undefined, undefined]);
    expect(await server.metric('http_refused_total{limit="requests_of_company"}')).toBeGreaterThan(0);
  });
});
