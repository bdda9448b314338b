import { copyFileSync, mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';

import { DatabaseRefused } from '../../../src/database/database.js';
import { placeAt, urlOf } from '../../support/databases/sqlite-place.js';
import { prepareDatabase } from '../../support/prepared-database.js';
import { serveHere, type Program } from '../../support/program.js';
import { openServer, type Client } from '../../support/server.js';
import { startPrepared, useScratchFolder } from '../machine.js';
import { problemsIn } from '../soundness.js';

const STORAGE_EXIT = 74;

let folder: string;
let file: string;
useScratchFolder((scratch) => ({ folder, file } = scratch));

function replaceWithCopy(path: string): void {
  copyFileSync(path, `${path}.copy`);
  renameSync(`${path}.copy`, path);
}

const HARMS: readonly (readonly [string, () => void])[] = [
  ['rm of the database', () => rmSync(file)],
  ['mv of the database', () => renameSync(file, join(folder, 'moved.db'))],
  ['a copy in place of the database', () => replaceWithCopy(file)],
  ['other bytes in the database', () => writeFileSync(file, 'x'.repeat(10_000))],
  ['truncate -s 0 of the database', () => truncateSync(file, 0)],
  ['rm of its log', () => rmSync(`${file}-wal`)],
  ['mv of its log', () => renameSync(`${file}-wal`, join(folder, 'moved-wal'))],
  ['a copy in place of its log', () => replaceWithCopy(`${file}-wal`)],
  ['rm of the index of its log', () => rmSync(`${file}-shm`)],
];

/** The server also finds the fault by itself, and ends: then there is no answer. */
const NO_ANSWER = 0;
const REFUSED = [503, NO_ANSWER];

async function statusOf(client: Client, name: string): Promise<number> {
  const reply = await client.post('groups', { name }).catch(() => null);
  return reply?.status ?? NO_ANSWER;
}

async function startWithGroup(): Promise<{ program: Program; client: Client; token: string }> {
  const { token, client, program } = await startPrepared(placeAt(file));
  expect((await client.post('groups', { name: 'before' })).status).toBe(201);
  return { program, client, token };
}

describe('CF-40 files pulled away under the server', () => {
  // The servers of this process call `onFatal` where the program ends.
  it.each(HARMS)('%s: no request after it is acknowledged, and the fault is fatal', async (_what, harm) => {
    const { server, client, onFatal } = await serveWithGroup();
    harm();
    for (let n = 0; n < 10; n += 1) expect(await statusOf(client, `after ${n}`)).toBe(503);
    await expect.poll(() => onFatal.mock.calls.length).toBeGreaterThan(0);
    expect(server.output()).toContain('the database is gone');
    await server.stop();
  });

  it.each(HARMS.filter(([what]) => /^(rm|truncate)/.test(what)))(
    '%s: without any write, readiness turns 503, and the fault is fatal',
    async (_what, harm) => {
      const { server, client, onFatal } = await serveWithGroup();
      harm();
      await expect.poll(async () => (await client.get('/readyz')).status).toBe(503);
      await expect.poll(() => onFatal.mock.calls.length).toBeGreaterThan(0);
      await server.stop();
    },
  );

  it('no request after rm of the database is acknowledged by the program, and it ends with 74', async () => {
    const { program, client } = await startWithGroup();
    rmSync(file);
    for (let n = 0; n < 10; n += 1) expect(REFUSED).toContain(await statusOf(client, `after ${n}`));
    expect(await program.ended).toEqual({ code: STORAGE_EXIT, signal: null });
    expect(program.stdout()).toContain('the database is gone');
  });

  it('ends with 74 on SIGTERM too, and the next start is refused', async () => {
    const { program } = await startWithGroup();
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix);
    expect(await program.end('SIGTERM')).toEqual({ code: STORAGE_EXIT, signal: null });
    await expect(openServer(urlOf(file))).rejects.toThrow(DatabaseRefused);
  });

  it.each([
    ['only the log was removed', false],
    ['an empty log is in the place of the one that was removed', true],
  ])('keeps what was acknowledged if %s', async (_what, hasEmptyLog) => {
    const { program, client, token } = await startWithGroup();
    for (let n = 0; n < 20; n += 1) expect((await client.post('groups', { name: `${n}` })).status).toBe(201);
    rmSync(`${file}-wal`);
    if (hasEmptyLog) writeFileSync(`${file}-wal`, '');
    expect(await program.ended).toEqual({ code: STORAGE_EXIT, signal: null });
    const again = await serveHere(urlOf(file));
    expect((await again.client(token).get('groups')).body.pagination).toMatchObject({
      total_entries: 21,
    });
    await again.stop();
    expect(await problemsIn(placeAt(file))).toEqual([]);
  });

  it('acknowledges nothing into a moved folder', async () => {
    const data = join(folder, 'data');
    mkdirSync(data);
    file = join(data, 'gateway.db');
    const { server, client, onFatal } = await serveWithGroup();
    renameSync(data, join(folder, 'elsewhere'));
    expect(await statusOf(client, 'after')).toBe(503);
    await expect.poll(() => onFatal.mock.calls.length).toBeGreaterThan(0);
    await server.stop();
  });
});

async function serveWithGroup() {
  const { token } = await prepareDatabase(placeAt(file));
  const onFatal = vi.fn<() => void>();
  const server = await serveHere(urlOf(file), {}, { onFatal });
  const client = server.client(token);
  expect((await client.post('groups', { name: 'before' })).status).toBe(201);
  return { server, client, onFatal };
}
