import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect } from 'vitest';
import { WebSocket } from 'ws';

import type { TestPlace } from '../support/databases/place.js';
import { prepareDatabase } from '../support/prepared-database.js';
import { startProgram, type Program } from '../support/program.js';
import { ask, openKnown, openRaw, type RawSocket } from '../support/raw-socket.js';
import { addLargeValues, LARGE_VALUE } from './large-group.js';
import { itUnless, memoryOf, noProc, useDatabase } from './machine.js';

let place: TestPlace;
useDatabase((given) => ({ place } = given));

const MIB = 1024 * 1024;
const RECORDS = 100;
const PATH = '/v1/metacontents?per_page=100&name=large';

const ends: (() => void)[] = [];
afterEach(() => ends.splice(0).forEach((end) => end()));

/** A server with a heap of 128 MiB and 26 MB of metacontents, whose memory has grown as far as one list needs. */
async function start(): Promise<{ program: Program; token: string; before: number }> {
  const { token } = await prepareDatabase(place, (work) => addLargeValues(work, RECORDS));
  const program = await startProgram(place.url, { nodeOptions: ['--max-old-space-size=128'] });
  const headers = { authorization: `Bearer ${token}` };
  const list = await fetch(`${program.url}${PATH}`, { headers });
  expect((await list.arrayBuffer()).byteLength).toBeGreaterThan(RECORDS * LARGE_VALUE.length);
  return { program, token, before: memoryOf(program, 'VmHWM') };
}

/**
 * Sends small requests from another address, one after the other, while `use` runs. Each must be served; on a busy
 * machine some are refused first, which tells their client to ask again.
 */
async function serveOthers(program: Program, token: string, use: () => Promise<void>): Promise<void> {
  const done = use().then(() => true);
  for (let isDone = false; !isDone;) {
    await expect.poll(async () => (await program.client(token).get('groups')).status).toBe(200);
    isDone = await Promise.race([done, sleep(20, false)]);
  }
}

describe('LS-10 clients that never read, and a heap of 128 MiB', () => {
  const READERS = 80;

  /** Requests the list; resolves to the status, and reads no further. */
  async function begin({ url }: Program, token: string): Promise<string> {
    const { port, hostname: host } = new URL(url);
    const socket: Socket = connect({ port: Number(port), host, localAddress: '127.0.0.5' });
    ends.push(() => socket.destroy());
    socket.write(`GET ${PATH} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    return await new Promise((resolve, reject) => {
      socket.once('error', reject).once('readable', () => {
        resolve(String(socket.read(12)).slice(9));
      });
    });
  }

  itUnless(noProc)('80 of a list of 26 MB get 503 at once, but the first', async () => {
    const { program, token, before } = await start();
    let statuses: string[] = [];
    await serveOthers(program, token, async () => {
      statuses = await Promise.all(Array.from({ length: READERS }, () => begin(program, token)));
    });
    expect(statuses.filter((status) => status === '200').length).toBeGreaterThan(0);
    expect(new Set(statuses)).toEqual(new Set(['200', '503']));
    expect(memoryOf(program, 'VmHWM') - before).toBeLessThan(200 * MIB);
    const refused = await fetch(`${program.url}${PATH}`, { headers: { authorization: `Bearer ${token}` } });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await refused.json()).toMatchObject({ code: 'busy' });
    for (const end of ends.splice(0)) end();
    await expect.poll(() => begin(program, token)).toBe('200');
    for (const end of ends.splice(0)) end();
    expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  itUnless(noProc)('50 sockets with 60 queries each do not take more than 200 MB', async () => {
    const { program, token, before } = await start();
    const sockets: RawSocket[] = [];
    for (let n = 0; n < 50; n += 1) {
      sockets.push(await openKnown(program, token, { localAddress: '127.0.0.5' }));
    }
    for (const { socket } of sockets) ends.push(() => socket.terminate());
    await serveOthers(program, token, async () => {
      for (const raw of sockets) {
        raw.socket.pause();
        for (let id = 0; id < 60; id += 1) {
          const query = '{ metacontents(first: 1) { nodes { value } } }';
          raw.say({ type: 'subscribe', id: String(id), payload: { query } });
        }
      }
      await sleep(3_000);
    });
    expect(memoryOf(program, 'VmHWM') - before).toBeLessThan(200 * MIB);
    for (const end of ends.splice(0)) end();
    expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });
});

describe('GQ-17 sockets that ask for too much', () => {
  /** A text message in fragments of one byte each, masked with zeros. */
  function inFragments(count: number): Buffer {
    const frames = Array.from({ length: count }, (_none, index) => {
      const opcode = index === 0 ? 0x01 : 0x00;
      return [index === count - 1 ? opcode | 0x80 : opcode, 0x81, 0, 0, 0, 0, 0x20];
    });
    return Buffer.from(frames.flat());
  }

  itUnless(noProc)('are closed or refused, in little memory; others are served', async () => {
    const { token } = await prepareDatabase(place);
    const program = await startProgram(place.url, { nodeOptions: ['--max-old-space-size=128'] });
    for (let n = 0; n < 100; n += 1) await program.client(token).get('groups');
    const before = memoryOf(program, 'VmHWM');
    await serveOthers(program, token, async () => {
      const many = await openKnown(program, token);
      for (let id = 0; id < 1_000; id += 1) {
        const query = 'subscription { ledgerAppended { sequence } }';
        many.say({ type: 'subscribe', id: String(id), payload: { query } });
      }
      await expect.poll(() => many.heard.filter(({ type }) => type === 'error').length).toBe(980);
      expect(many.heard.at(-1)?.payload).toMatchObject([{ extensions: { code: 'TOO_MANY_OPERATIONS' } }]);
      many.say({ type: 'connection_init' });
      expect((await many.ended).code).toBe(4429);

      const large = await openKnown(program, token);
      large.say({ type: 'ping', payload: { x: 'x'.repeat(2 * MIB) } });
      expect((await large.ended).code).toBe(1009);

      const fragmented = await openRaw(program);
      (fragmented.socket as unknown as { _socket: Socket })._socket.write(inFragments(200_000));
      expect((await fragmented.ended).code).toBe(1008);

      const allowed = await Promise.all(Array.from({ length: 50 }, () => openKnown(program, token)));
      for (const { socket } of allowed) ends.push(() => socket.terminate());
      const one = await openRaw(program);
      one.say({ type: 'connection_init', payload: { accessToken: token } });
      expect((await one.ended).code).toBe(1013);
      expect(allowed.map(({ socket }) => socket.readyState)).toEqual(allowed.map(() => WebSocket.OPEN));
      const [some] = allowed;
      expect(some && (await ask(some, '{ viewer { role } }')).payload.data).toEqual({
        viewer: { role: 'ADMIN' },
      });
    });
    expect(memoryOf(program, 'VmHWM') - before).toBeLessThan(50 * MIB);
    for (const end of ends.splice(0)) end();
    expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });
});
