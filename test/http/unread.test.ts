import { once } from 'node:events';
import type { Socket } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';

import { insertLarge, LARGE } from '../support/databases/rows.js';
import { fleet } from '../support/fleet.js';
import { openConnection } from '../support/raw-http.js';
import { openKnown } from '../support/raw-socket.js';
import { useServer } from '../support/server.js';

const IDLE_MS = 600;
const RECORDS = 60;
/** Bytes of a file whose base64 text is more than the sockets hold of a client that does not read. */
const FILE_BYTES = 16 * 1024 * 1024;

const server = useServer(
  { maxFileBytes: FILE_BYTES },
  { timeouts: { idleMs: IDLE_MS }, live: { pingMs: 200, heartbeatMs: 200 } },
);
let fileId: number;
beforeAll(async () => {
  const { client } = server.acme;
  const groupId = await fleet.group(client, 'large');
  await insertLarge(server.place, server.acme.caller, RECORDS, (n) => ({ group_id: groupId, key: `${n}` }));
  fileId = await fleet.file(client, 'large', Buffer.alloc(FILE_BYTES, 1));
  server.clock.stop();
});

const LIST = `{ metacontents(first: ${RECORDS}) { nodes { value } } }`;
const query = (text: string): string => encodeURIComponent(text);

const REQUESTS: readonly (readonly [string, () => string])[] = [
  ['a list of /v1', () => '/v1/metacontents?per_page=100&name=large'],
  ['a file of /v1', () => `/v1/files/${fileId}`],
  ['a response of GraphQL', () => `/graphql?query=${query(LIST)}`],
  ['a file in GraphQL', () => `/graphql?query=${query(`{ file(databaseId: ${fileId}) { content } }`)}`],
  ['a stream', () => `/graphql/stream?query=${query(LIST)}`],
];

/** Requests a path on a connection of its own. */
async function request(path: string): Promise<Socket> {
  const socket = await openConnection(server.url);
  const head = [`GET ${path} HTTP/1.1`, 'Host: a', `Authorization: Bearer ${server.acme.token}`];
  head.push(`Accept: ${path.startsWith('/graphql/stream') ? 'text/event-stream' : '*/*'}`);
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  return socket;
}

/** Waits until the server cuts the connection of `begin`, whose client is idle for as long as the test lets time pass. */
async function expectCut(begin: () => Promise<unknown>): Promise<void> {
  const cut = await server.metric('http_connections_cut_total');
  await begin();
  await expect.poll(() => server.metric('http_waiting_bytes')).toBeGreaterThan(0);
  expect(await server.metric('http_connections_cut_total')).toBe(cut);
  const afterIdleTime = (): Promise<number> => {
    server.clock.advance(IDLE_MS);
    return server.metric('http_connections_cut_total');
  };
  await expect.poll(afterIdleTime).toBe(cut + 1);
  await expect.poll(() => server.metric('http_waiting_bytes')).toBe(0);
}

describe('LS-10 a client that does not read', () => {
  it.each(REQUESTS)('%s is cut at the idle time, and is counted no more', async (_what, path) => {
    await expectCut(async () => (await request(path())).pause());
  });

  it('a socket is cut at the idle time', async () => {
    const raw = await openKnown(server, server.acme.token);
    raw.socket.pause();
    await expectCut(() => {
      raw.say({ type: 'subscribe', id: '1', payload: { query: LIST } });
      return Promise.resolve();
    });
  });

  it('that takes a byte now and then is cut as well', async () => {
    const socket = (await request('/v1/metacontents?per_page=100&name=large')).pause();
    const timer = setInterval(() => void socket.read(1), 100);
    await expectCut(() => Promise.resolve());
    clearInterval(timer);
  });
});

describe('a client that reads slowly, for longer than the idle time', () => {
  const PART_BYTES = 2 * 1024 * 1024;

  /**
   * Pauses `socket` after each 2 MB, while a sixth of the idle time passes; returns how many bytes have come. The 15 MB
   * of a response take longer than the idle time, and the up to 10 MB that the system holds less.
   */
  function readSlowly(socket: Socket): () => number {
    let bytes = 0;
    socket.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes % PART_BYTES >= part.length) return;
      socket.pause();
      server.clock.advance(IDLE_MS / 6);
      // Longer than the interval in which the server looks at its connections.
      setTimeout(() => socket.resume(), IDLE_MS / 7);
    });
    return () => bytes;
  }

  it.each(REQUESTS)('%s is sent in full', async (_what, path) => {
    const began = server.clock.elapsed();
    const socket = await request(path());
    const received = readSlowly(socket);
    await expect.poll(() => socket.destroyed || received() > RECORDS * LARGE).toBe(true);
    expect(socket.destroyed).toBe(false);
    expect(server.clock.elapsed() - began).toBeGreaterThan(IDLE_MS);
    socket.destroy();
  });

  it('a socket gets its message, and its pings are no reason to end it', async () => {
    const raw = await openKnown(server, server.acme.token);
    const { socket } = raw;
    const began = server.clock.elapsed();
    readSlowly((socket as unknown as { _socket: Socket })._socket);
    raw.say({ type: 'subscribe', id: '1', payload: { query: LIST } });
    const { payload } = (await raw.hear({ type: 'next', id: '1' })) as { payload?: { data?: unknown } };
    expect(JSON.stringify(payload?.data).length).toBeGreaterThan(RECORDS * LARGE);
    expect(server.clock.elapsed() - began).toBeGreaterThan(IDLE_MS);
    // A socket without traffic but pings stays open.
    for (let quarter = 0; quarter < 5; quarter += 1) {
      // With the second ping, the answer to the first one has come.
      await once(socket, 'ping');
      await once(socket, 'ping');
      server.clock.advance(IDLE_MS / 4);
    }
    expect(socket.readyState).toBe(socket.OPEN);
    socket.close();
  });
});
