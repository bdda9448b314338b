import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';

import { Connections, IDLE_RULE } from '../../src/http/server/connections.js';
import { type HttpListener, listen, TIMEOUTS } from '../../src/http/server/listen.js';
import { Slots } from '../../src/platform/client-limits.js';
import { systemClock } from '../../src/platform/clock.js';
import { openConnection } from '../support/raw-http.js';

const IDLE_MS = 300;

/** A connection to a server that responds `after` milliseconds. */
async function open(after: number): Promise<Socket> {
  const rule = { idleMs: IDLE_MS, leastBytes: 1 };
  const listening = await listen(
    (_request, response) => void setTimeout(() => response.end('done'), after),
    { host: '127.0.0.1', port: 0, tls: null },
    new Connections(new Slots(), rule, () => true, systemClock),
    { ...TIMEOUTS, idleMs: IDLE_MS },
  );
  onTestFinished(() => listening.stop(0));
  return await openConnection(listening.url);
}

it('a response that is made for longer than the idle time is sent', async () => {
  const socket = await open(4 * IDLE_MS);
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1.1 200 OK[^]*done$/);
});

it('a connection without a request is closed at the idle time', async () => {
  const socket = await open(0);
  expect(await text(socket)).toBe('');
});

/** More than the sockets of a client that does not read hold. */
const BYTES = 30_000_000;

/** Writes a large response at once, or the path as a short one. */
const respond: RequestListener = (request, response) => {
  response.end(request.url === '/large' ? Buffer.alloc(BYTES) : request.url);
};

async function startListening(): Promise<HttpListener> {
  const connections = new Connections(new Slots(), IDLE_RULE, () => true, systemClock);
  const listening = await listen(respond, { host: '127.0.0.1', port: 0, tls: null }, connections);
  onTestFinished(() => listening.stop(0));
  return listening;
}

/** Sends a request on a new connection. `end` holds the last 400 bytes of the response. */
async function request({ url }: HttpListener, path: string) {
  const socket = await openConnection(url);
  const client = { socket, bytes: 0, end: '', ask: (of: string) => ask(socket, of) };
  client.ask(path);
  socket.on('data', (part: Buffer) => {
    client.bytes += part.length;
    client.end = (client.end + part.toString('latin1')).slice(-400);
  });
  return client;
}

const ask = (socket: Socket, path: string): void =>
  void socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);

it('a response that is written is sent in full, also to a client that reads it later', async () => {
  const listening = await startListening();
  const client = await request(listening, '/large');
  await once(client.socket, 'data');
  client.socket.pause();
  const stopped = listening.stop(20_000);
  const other = await request(listening, '/refused').catch(() => null);
  expect(other).toBeNull();
  client.socket.resume();
  await once(client.socket, 'close');
  expect(client.bytes).toBeGreaterThan(BYTES);
  await stopped;
});

it('meanwhile other connections are served, and end after the next response', async () => {
  const listening = await startListening();
  const slow = await request(listening, '/large');
  await once(slow.socket, 'data');
  slow.socket.pause();
  const other = await request(listening, '/first');
  await expect.poll(() => other.end).toContain('/first');
  const stopped = listening.stop(20_000);
  other.ask('/second');
  await once(other.socket, 'close');
  expect(other.end).toMatch(/Connection: close\r\n[^]*\/second$/);
  slow.socket.resume();
  await Promise.all([stopped, once(slow.socket, 'close')]);
  expect(slow.bytes).toBeGreaterThan(BYTES);
});

it('connections without a request serve one more at first, and end soon', async () => {
  const listening = await startListening();
  const clients = [await request(listening, '/first'), await request(listening, '/first')] as const;
  await Promise.all(clients.map((client) => expect.poll(() => client.end).toContain('/first')));
  const stopped = listening.stop(10_000);
  clients[0].ask('/second');
  await stopped;
  expect(clients[0].end).toMatch(/Connection: close\r\n[^]*\/second$/);
  expect(clients[1].end).toMatch(/\/first$/);
});
