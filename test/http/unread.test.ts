import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { metricOf } from '../support/gauges.js';
import { openKnown } from '../support/raw-socket.js';
import { startServer, type TestServer } from '../support/server.js';

const IDLE_MS = 2_000;
const RECORDS = 60;
/** Its base64 text is more than the sockets of a client that does not read hold. */
const FILE_BYTES = 16 * 1024 * 1024;
/** With checks every quarter of a second, before and after. */
const LATEST_MS = IDLE_MS * 2;

let server: TestServer;
let fileId: unknown;
beforeAll(async () => {
  server = await startServer(
    { maxFileBytes: FILE_BYTES },
    { timeouts: { idleMs: IDLE_MS }, live: { pingMs: 200, heartbeatMs: 200 } },
  );
  const { client } = server.acme;
  await client.post('groups', { name: 'large' });
  const value = 'x'.repeat(255 * 1024);
  for (let key = 0; key < RECORDS; key += 1) {
    expect((await client.post('metacontents', { name: 'large', key: `${key}`, value })).status).toBe(201);
  }
  const form = new FormData();
  form.set('asset', new Blob([Buffer.alloc(FILE_BYTES, 1)]), 'large');
  fileId = (await client.post('files', form)).record('file').id;
});
afterAll(async () => {
  await server.stop();
});

const LIST = `{ metacontents(first: ${RECORDS}) { nodes { value } } }`;
const query = (text: string): string => encodeURIComponent(text);

const REQUESTS: readonly (readonly [string, () => string])[] = [
  ['a list of /v1', () => '/v1/metacontents?per_page=100&name=large'],
  ['a file of /v1', () => `/v1/files/${String(fileId)}`],
  ['a response of GraphQL', () => `/graphql?query=${query(LIST)}`],
  [
    'a file in GraphQL',
    () => `/graphql?query=${query(`{ file(databaseId: ${String(fileId)}) { content } }`)}`,
  ],
  ['a stream', () => `/graphql/stream?query=${query(LIST)}`],
];

/** Requests a path on a connection of its own. */
async function request(path: string): Promise<Socket> {
  const { port, hostname } = new URL(server.url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  await once(socket, 'connect');
  const head = [`GET ${path} HTTP/1.1`, 'Host: a', `Authorization: Bearer ${server.acme.token}`];
  head.push(`Accept: ${path.startsWith('/graphql/stream') ? 'text/event-stream' : '*/*'}`);
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  return socket;
}

const metric = (name: string): Promise<number> => metricOf(server.url, name);

interface Cut {
  /** Milliseconds from the request until the server cut the connection. */
  readonly afterRequest: number;
  /** Milliseconds from when bytes waited for the client: to make them takes as long as the machine needs. */
  readonly afterWaiting: number;
}

/** Waits until the server cuts the connection of `begin`, whose client does not notice it. */
async function cutOf(begin: () => Promise<unknown>): Promise<Cut> {
  const often = { interval: 50 };
  const cut = await metric('http_connections_cut_total');
  const requested = performance.now();
  await begin();
  await expect.poll(() => metric('http_waiting_bytes'), often).toBeGreaterThan(0);
  const waiting = performance.now();
  await expect.poll(() => metric('http_connections_cut_total'), often).toBe(cut + 1);
  const now = performance.now();
  await expect.poll(() => metric('http_waiting_bytes')).toBe(0);
  return { afterRequest: now - requested, afterWaiting: now - waiting };
}

describe('LS-10 a client that does not read', () => {
  it.each(REQUESTS)('%s is cut at the idle time, and is counted no more', async (_what, path) => {
    const { afterRequest, afterWaiting } = await cutOf(async () => (await request(path())).pause());
    expect(afterRequest).toBeGreaterThan(IDLE_MS);
    expect(afterWaiting).toBeLessThan(LATEST_MS);
  });

  it('a socket is cut at the idle time', async () => {
    const raw = await openKnown(server, server.acme.token);
    raw.socket.pause();
    const { afterRequest, afterWaiting } = await cutOf(() => {
      raw.say({ type: 'subscribe', id: '1', payload: { query: LIST } });
      return Promise.resolve();
    });
    expect(afterRequest).toBeGreaterThan(IDLE_MS);
    expect(afterWaiting).toBeLessThan(LATEST_MS);
  });

  it('that takes a byte now and then is cut as well', async () => {
    const socket = (await request('/v1/metacontents?per_page=100&name=large')).pause();
    const timer = setInterval(() => void socket.read(1), 100);
    expect((await cutOf(() => Promise.resolve())).afterWaiting).toBeLessThan(LATEST_MS);
    clearInterval(timer);
  });
});

describe('a client that reads slowly, for longer than the idle time', () => {
  /** Reads 2 MB each 400 ms until `length` bytes have come. */
  async function readSlowly(socket: Socket, length: number): Promise<number> {
    let bytes = 0;
    socket.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes % (2 * 1024 * 1024) < part.length) {
        socket.pause();
        setTimeout(() => socket.resume(), 400);
      }
    });
    await expect.poll(() => socket.destroyed || bytes >= length).toBe(true);
    return bytes;
  }

  it.each(REQUESTS)('%s is sent in full', async (_what, path) => {
    const began = performance.now();
    const socket = await request(path());
    expect(await readSlowly(socket, RECORDS * 255 * 1024)).toBeGreaterThan(RECORDS * 255 * 1024);
    expect(socket.destroyed).toBe(false);
    expect(performance.now() - began).toBeGreaterThan(IDLE_MS);
    socket.destroy();
  });

  it('a socket gets its message, and its pings are no reason to end it', async () => {
    const raw = await openKnown(server, server.acme.token);
    const { socket } = raw;
    const began = performance.now();
    raw.say({ type: 'subscribe', id: '1', payload: { query: LIST } });
    const timer = setInterval(() => {
      socket.pause();
      setTimeout(() => socket.resume(), 300);
    }, 310);
    const { payload } = (await raw.hear({ type: 'next', id: '1' })) as { payload?: { data?: unknown } };
    clearInterval(timer);
    expect(JSON.stringify(payload?.data).length).toBeGreaterThan(RECORDS * 255 * 1024);
    // The rest of this test: a socket without traffic but pings stays open.
    await sleep(Math.max(0, 2 * IDLE_MS - (performance.now() - began)));
    expect(socket.readyState).toBe(socket.OPEN);
    socket.close();
  });
});

describe('clients that read', () => {
  it('may send many requests on one connection, one after another or at once', async () => {
    const socket = await request('/v1/groups');
    let text = '';
    socket.on('data', (part: Buffer) => (text += part.toString('latin1')));
    const head = `Host: a\r\nAuthorization: Bearer ${server.acme.token}\r\n\r\n`;
    socket.write(`GET /v1/groups HTTP/1.1\r\n${head}`.repeat(199));
    await expect.poll(() => text.split('HTTP/1.1 200 OK').length - 1).toBe(200);
    socket.destroy();
    await expect.poll(() => metric('http_waiting_bytes')).toBe(0);
  });
});
