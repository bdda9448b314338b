import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFailed } from 'vitest';

import { createGroup } from '../../src/domain/fleet/group/group.service.js';
import type { Client, Reply } from '../support/client.js';
import type { TestPlace } from '../support/databases/place.js';
import { prepareDatabase } from '../support/prepared-database.js';
import { type Program, startProgram } from '../support/program.js';
import { addLargeValues, LARGE_VALUE } from './large-group.js';
import { limited, MEGABYTE, startPrepared, upload, useDatabase } from './machine.js';
import { problemsIn } from './soundness.js';

let place: TestPlace;
useDatabase((given) => ({ place } = given));

/** Opens connections without sending anything; errors of refused connections are ignored. */
function openIdle(program: Program, count: number): Socket[] {
  const { port, hostname } = new URL(program.url);
  return Array.from({ length: count }, () => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    return socket;
  });
}

describe('CF-28 more connections than file descriptors', () => {
  it('are refused without harm, and are accepted again after others close', async () => {
    const { token, client, program } = await startPrepared(place, limited('-n 64'));
    expect((await client.post('groups', { name: 'before' })).status).toBe(201);
    const idle = openIdle(program, 200);
    await Promise.all(idle.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])));
    // Without free descriptors the request may fail, but the program must not end.
    await program
      .client(token)
      .post('groups', { name: 'meanwhile' })
      .catch(() => undefined);
    // The server looks at the files of its database twice a second.
    for (let time = 0; time < 20; time += 1) {
      idle.push(...openIdle(program, 20));
      await sleep(100);
    }
    expect(program.process.exitCode).toBeNull();
    for (const socket of idle) socket.destroy();
    const status = async (): Promise<number> =>
      (await client.get('groups').catch(() => ({ status: 0 }))).status;
    await expect.poll(status).toBe(200);
    expect((await client.post('groups', { name: 'after' })).status).toBe(201);
    expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(await problemsIn(place)).toEqual([]);
  });
});

describe('CF-29 a heap of 128 MiB', () => {
  const LARGEST = 32 * 1024 * 1024;

  it('is enough for the largest file 4 times at once, over REST and GraphQL, and for 20 lists', async () => {
    const { token } = await prepareDatabase(place, async (work) => {
      for (let n = 0; n < 100; n += 1) await createGroup(work, { name: `${n}`.padEnd(255, '-') });
    });
    const program = await startProgram(place.url, { nodeOptions: ['--max-old-space-size=128'] });
    const client = program.client(token);
    const uploaded = await uploadLargest(client);
    const id = String(uploaded.record('file').id);
    const four = async (path: string): Promise<ReadonlySet<number>> =>
      new Set(await Promise.all(Array.from({ length: 4 }, () => download(program, token, path))));
    expect(await four(`/v1/files/${id}`)).toEqual(new Set([uploaded.text.length]));
    const query = encodeURIComponent(`{ file(databaseId: ${id}) { content } }`);
    const frame = JSON.stringify({
      data: { file: { content: '' } },
      extensions: { cost: { requested: 101, actual: 101 } },
    });
    const size = frame.length + Math.ceil(LARGEST / 3) * 4;
    expect(await four(`/graphql?query=${query}`)).toEqual(new Set([size]));
    const lists = await Promise.all(
      Array.from({ length: 20 }, () => client.get('groups', undefined, { query: { per_page: 100 } })),
    );
    expect(lists.map((list) => list.status)).toEqual(lists.map(() => 200));
    expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  it('is enough for 8 GraphQL lists of the largest records at once', async () => {
    const { token } = await prepareDatabase(place, (work) => addLargeValues(work, 60));
    const program = await startProgram(place.url, { nodeOptions: ['--max-old-space-size=128'] });
    onTestFailed(() => void process.stderr.write(program.output().slice(-4_000)));
    const query = encodeURIComponent('{ metacontents(first: 60) { nodes { value } } }');
    const path = `/graphql?query=${query}`;
    const downloads = Array.from({ length: 8 }, () => downloadWithRetries(program, token, path));
    for (const size of await Promise.all(downloads)) expect(size).toBeGreaterThan(60 * LARGE_VALUE.length);
    expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  async function uploadLargest(client: Client): Promise<Reply> {
    const uploaded = await client.post('files', upload('largest', LARGEST / MEGABYTE));
    expect(uploaded.status).toBe(201);
    return uploaded;
  }
});

/** Like `download`; retries while the server refuses because too many responses are in flight, or too many units read. */
async function downloadWithRetries(program: Program, token: string, path: string): Promise<number> {
  for (;;) {
    const response = await fetchPath(program, token, path);
    const text = await response.text();
    if (response.status === 200) {
      if (text.length > 1_000) return text.length;
      expect(text).toContain('"code":"UNAVAILABLE"');
    } else {
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    }
    await sleep(200);
  }
}

/** Reads a response and returns its number of bytes. */
async function download(program: Program, token: string, path: string): Promise<number> {
  const response = await fetchPath(program, token, path);
  expect(response.status).toBe(200);
  return await countBytes(response);
}

async function fetchPath(program: Program, token: string, path: string): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, 'apollo-require-preflight': '1' };
  return await fetch(`${program.url}${path}`, { headers });
}

async function countBytes(response: Response): Promise<number> {
  let size = 0;
  for await (const bytes of response.body ?? []) size += (bytes as Uint8Array).length;
  return size;
}
