import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import type { Client } from '../support/client.js';
import { placeAt, urlOf } from '../support/databases/sqlite-place.js';
import { holdWriteLock } from '../support/other-process.js';
import { prepareDatabase } from '../support/prepared-database.js';
import { runCommand, runProgram, serveHere } from '../support/program.js';
import { useScratchFolder } from './machine.js';
import { problemsIn } from './soundness.js';

let folder: string;
let file: string;
useScratchFolder((scratch) => ({ folder, file } = scratch));

describe('CC-12 another process that holds the write lock', () => {
  it('makes writes wait, but not reads', async () => {
    const { token } = await prepareDatabase(placeAt(file));
    const server = await serveHere(urlOf(file));
    const client = server.client(token);
    await client.get('groups');
    await holdWriteLock(file, 1_500);
    let waiting = true;
    const writes = Promise.all(['one', 'two'].map((name) => client.post('groups', { name }))).finally(
      () => (waiting = false),
    );
    let reads = 0;
    const stillWaiting = (): boolean => waiting;
    while (stillWaiting()) {
      expect((await client.get('/healthz')).status).toBe(200);
      expect((await client.get('groups')).status).toBe(200);
      reads += 1;
      await sleep(50);
    }
    expect((await writes).map((reply) => reply.status)).toEqual([201, 201]);
    expect(reads).toBeGreaterThan(5);
  });

  it('makes a write fail with 503 after 5 seconds, and the server stays ready', async () => {
    const { token } = await prepareDatabase(placeAt(file));
    const server = await serveHere(urlOf(file));
    const client = server.client(token);
    await client.get('groups');
    const holder = await holdWriteLock(file, 60_000);
    const refused = await client.post('groups', { name: 'one' });
    expect([refused.status, refused.body.code]).toEqual([503, 'busy']);
    expect(refused.headers.get('retry-after')).toBe('1');
    holder.kill('SIGKILL');
    expect((await client.post('groups', { name: 'one' })).status).toBe(201);
    expect((await client.get('/readyz')).status).toBe(200);
  });
});

async function groupNames(client: Client): Promise<string[]> {
  const names: string[] = [];
  for (let page = 1; ; page += 1) {
    const list = (await client.get('groups', undefined, { query: { page, per_page: 100 } })).list('groups');
    names.push(...list.map((fields) => String(fields.name)));
    if (list.length < 100) return names;
  }
}

describe('CF-30 a backup under writes, restored elsewhere', () => {
  it('has every change acknowledged before it, and can be served', async () => {
    const { token } = await prepareDatabase(placeAt(file));
    const server = await serveHere(urlOf(file));
    const client = server.client(token);
    const acknowledged: string[] = [];
    let done = false;
    const write = async (writer: number): Promise<void> => {
      for (let n = 0; !isDone(); n += 1) {
        const name = `group ${writer}.${n}`;
        expect((await client.post('groups', { name })).status).toBe(201);
        acknowledged.push(name);
      }
    };
    const isDone = (): boolean => done;
    const writing = Promise.all([1, 2, 3, 4].map(write));
    await expect.poll(() => acknowledged.length).toBeGreaterThan(50);

    const backup = join(folder, 'backup.db');
    const before = [...acknowledged];
    expect((await runProgram(['db', 'backup', backup], urlOf(file))).code).toBe(0);
    done = true;
    await writing;
    expect(statSync(backup).mode & 0o777).toBe(0o600);

    const restoredFile = join(folder, 'elsewhere', 'gateway.db');
    expect((await runCommand(['db', 'restore', backup], urlOf(restoredFile))).code).toBe(0);
    expect(await problemsIn(placeAt(restoredFile))).toEqual([]);
    const restored = await serveHere(urlOf(restoredFile));
    const names = new Set(await groupNames(restored.client(token)));
    expect(before.filter((name) => !names.has(name))).toEqual([]);
    expect([...names].filter((name) => !acknowledged.includes(name))).toEqual([]);
    expect((await restored.client(token).post('groups', { name: 'served' })).status).toBe(201);
  });

  it('never overwrites an existing file', async () => {
    await prepareDatabase(placeAt(file));
    const backup = join(folder, 'backup.db');
    writeFileSync(backup, 'precious');
    for (const [command, database] of [
      ['backup', file],
      ['restore', file],
    ] as const) {
      const refused = await runCommand(['db', command, backup], urlOf(database));
      expect(refused.code).not.toBe(0);
    }
    expect(statSync(backup).size).toBe('precious'.length);
    expect(await problemsIn(placeAt(file))).toEqual([]);
  });
});
