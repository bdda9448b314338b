import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { createGroup } from '../../src/resources/group/group.service.js';
import type { Client, Reply } from '../support/client.js';
import { removeFolder, scratchFolder } from '../support/database.js';
import { prepareDatabase } from '../support/prepared-database.js';
import { killPrograms, startProgram, type Program } from '../support/program.js';
import { limited } from './machine.js';
import { problemsIn } from './soundness.js';

let folder: string;
let file: string;
beforeEach(() => {
  folder = scratchFolder();
  file = join(folder, 'gateway.db');
});
afterEach(async () => {
  await killPrograms();
  removeFolder(folder);
});

/** Connections on which nothing is sent; those that are refused or cut are left at that. */
function openIdle(program: Program, count: number): Socket[] {
  const { port, hostname } = new URL(program.url);
  return Array.from({ length: count }, () => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    return socket;
  });
}

describe('CF-28 more connections than file descriptors', () => {
  it('are refused, do no harm, and are served again once others have closed', async () => {
    const { token } = await prepareDatabase(file);
    const program = await startProgram(file, limited('-n 64'));
    const client = program.client(token);
    expect((await client.post('groups', { name: 'before' })).status).toBe(201);
    const idle = openIdle(program, 200);
    await Promise.all(idle.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])));
    // Under pressure: any clean answer, or none, but no end.
    await program
      .client(token)
      .post('groups', { name: 'meanwhile' })
      .catch(() => undefined);
    expect(program.process.exitCode).toBeNull();
    for (const socket of idle) socket.destroy();
    await expect.poll(async () => (await client.get('groups').catch(() => ({ status: 0 }))).status).toBe(200);
    expect((await client.post('groups', { name: 'after' })).status).toBe(201);
    expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(problemsIn(file)).toEqual([]);
  });
});

describe('CF-29 little memory', () => {
  const LARGEST = 32 * 1024 * 1024;

  it('is enough for the largest answers and files, many at once', async () => {
    const { token } = await prepareDatabase(file, async (work) => {
      for (let n = 0; n < 100; n += 1) await createGroup(work, { name: `${n}`.padEnd(255, '-') });
    });
    const program = await startProgram(file, { nodeOptions: ['--max-old-space-size=128'] });
    const client = program.client(token);
    const uploaded = await upload(client);
    const path = `/v1/files/${String(uploaded.record('file').id)}`;
    const sizes = await Promise.all(Array.from({ length: 8 }, () => download(program, token, path)));
    expect(new Set(sizes)).toEqual(new Set([uploaded.text.length]));
    const lists = await Promise.all(
      Array.from({ length: 20 }, () => client.get('groups', undefined, { query: { per_page: 100 } })),
    );
    expect(lists.map((list) => list.status)).toEqual(lists.map(() => 200));
    expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  it('is enough for the largest contents over GraphQL, many at once', async () => {
    const { token } = await prepareDatabase(file);
    const program = await startProgram(file, { nodeOptions: ['--max-old-space-size=128'] });
    const { id } = (await upload(program.client(token))).record('file');
    const query = encodeURIComponent(`{ file(databaseId: ${String(id)}) { content } }`);
    const answers = Array.from({ length: 10 }, () => download(program, token, `/graphql?query=${query}`));
    const sizes = new Set(await Promise.all(answers));
    const frame = JSON.stringify({
      data: { file: { content: '' } },
      extensions: { cost: { requested: 101, actual: 101 } },
    });
    expect(sizes).toEqual(new Set([frame.length + Math.ceil(LARGEST / 3) * 4]));
    expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  it('is enough for the largest records over GraphQL, many at once', async () => {
    const { token } = await prepareDatabase(file, async (work) => {
      await createGroup(work, { name: 'large' });
    });
    const program = await startProgram(file, { nodeOptions: ['--max-old-space-size=128'] });
    const client = program.client(token);
    const value = 'x'.repeat(255 * 1024);
    for (let n = 0; n < 60; n += 1) {
      const reply = await client.post('metacontents', { name: 'large', key: `${n}`, value });
      expect(reply.status).toBe(201);
    }
    const query = encodeURIComponent('{ metacontents(first: 60) { nodes { value } } }');
    const answers = Array.from({ length: 20 }, () => persist(program, token, `/graphql?query=${query}`));
    for (const size of await Promise.all(answers)) expect(size).toBeGreaterThan(60 * value.length);
    expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  async function upload(client: Client): Promise<Reply> {
    const form = new FormData();
    form.set('asset', new Blob([Buffer.alloc(LARGEST, 1)]), 'largest');
    const uploaded = await client.post('files', form);
    expect(uploaded.status).toBe(201);
    return uploaded;
  }
});

/** The same, again where the server says that too many answers wait to be read. */
async function persist(program: Program, token: string, path: string): Promise<number> {
  for (;;) {
    const response = await ask(program, token, path);
    if (response.status === 200) return await sizeOf(response);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    await response.text();
    await sleep(500);
  }
}

/** Number of bytes in an answer, of which nothing is kept. */
async function download(program: Program, token: string, path: string): Promise<number> {
  const response = await ask(program, token, path);
  expect(response.status).toBe(200);
  return await sizeOf(response);
}

async function ask(program: Program, token: string, path: string): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, 'apollo-require-preflight': '1' };
  return await fetch(`${program.url}${path}`, { headers });
}

async function sizeOf(response: Response): Promise<number> {
  let size = 0;
  for await (const bytes of response.body ?? []) size += (bytes as Uint8Array).length;
  return size;
}
