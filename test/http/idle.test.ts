import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';

import { Connections } from '../../src/http/server/connections.js';
import { listen, TIMEOUTS } from '../../src/http/server/listen.js';
import { systemClock } from '../../src/platform/clock.js';
import { Slots } from '../../src/platform/limits/slots.js';

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
  const { hostname, port } = new URL(listening.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  return socket;
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
