import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';

import { createGroup } from '../../../src/domain/fleet/group/group.service.js';
import type { Client } from '../../support/client.js';
import { placeAt, urlOf } from '../../support/databases/sqlite-place.js';
import { prepareDatabase } from '../../support/prepared-database.js';
import { runCommand, runProgram, serveHere, startProgram } from '../../support/program.js';
import {
  faultyStorage,
  fillDisk,
  itUnless,
  lacking,
  onSmallDisk,
  runTool,
  useScratchFolder,
} from '../machine.js';
import { problemsIn } from '../soundness.js';

const EIO = 5;
const EROFS = 30;
const STORAGE_EXIT = 74;
const MEGABYTE = 1024 * 1024;

let folder: string;
let file: string;
useScratchFolder((scratch) => ({ folder, file } = scratch));

const onDisk = (use: (mounted: string) => Promise<void>): Promise<void> =>
  onSmallDisk(folder, 40, async (small) => {
    file = join(small, 'gateway.db');
    await use(small);
  });

describe('CF-41 a storage without room at the start', () => {
  itUnless(lacking.mount())('ends it with 74 and the reason, and starts once there is room', async () => {
    await onDisk(async (small) => {
      await prepareDatabase(placeAt(file));
      const filler = fillDisk(small);
      const serving = await runProgram(['serve'], urlOf(file));
      for (const { code, output } of [serving, await runCommand(['user', 'list'], urlOf(file))]) {
        expect([code, output]).toEqual([STORAGE_EXIT, expect.stringContaining('The storage is full')]);
        expect(output).toMatch(/SQLITE_\w+|ENOSPC/);
        expect(output.trimEnd().split('\n')).toHaveLength(1);
      }
      rmSync(filler);
      await (await serveHere(urlOf(file))).stop();
      expect(await problemsIn(placeAt(file))).toEqual([]);
    });
  });

  itUnless(lacking.mount())('ends it with 74 where there is no database yet', async () => {
    await onDisk(async (small) => {
      fillDisk(small);
      const { code, output } = await runCommand(['serve'], urlOf(file));
      expect([code, output]).toEqual([STORAGE_EXIT, expect.stringContaining('The storage is full')]);
    });
  });

  itUnless(lacking.mount())('ends it with 74 where the disk is mounted read-only', async () => {
    await onDisk(async (small) => {
      await prepareDatabase(placeAt(file));
      runTool('mount', '-o', 'remount,ro', small);
      const { code, output } = await runCommand(['serve'], urlOf(file));
      expect([code, output]).toEqual([STORAGE_EXIT, expect.stringContaining('The storage is read-only')]);
      expect(output).not.toContain('full');
    });
  });
});

describe('CF-41 a storage that fails at run time', () => {
  itUnless(lacking.compiler())('is named as what it is, with the code of SQLite in the log', async () => {
    const { token } = await prepareDatabase(placeAt(file));
    const storage = faultyStorage(folder);
    const program = await startProgram(urlOf(file), storage.options);
    const client = program.client(token);
    for (const [error, code] of [
      [EIO, 'storage_unavailable'],
      [EROFS, 'storage_read_only'],
    ] as const) {
      storage.fail('write', error);
      const refused = await client.post('groups', { name: code });
      expect([refused.status, refused.body.code]).toEqual([503, code]);
      expect((await client.get('/readyz')).status).toBe(503);
      storage.heal();
      // The result of the storage check is cached for one second.
      await expect
        .poll(async () => (await client.post('groups', { name: `${code} healed` })).status)
        .toBe(201);
      await new Promise((resolve) => setTimeout(resolve, 1_100));
    }
    const lines = program
      .stdout()
      .split('\n')
      .filter((line) => line.includes('storage fault'));
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { code: 'storage_unavailable', storage_code: 'SQLITE_IOERR_WRITE' },
      { code: 'storage_read_only', storage_code: 'SQLITE_IOERR_WRITE' },
    ]);
    expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });
});

async function deleteGroups(client: Client, names: readonly string[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const name of names) statuses.push((await client.delete(`groups/${name}`)).status);
  return statuses;
}

describe('CF-05 a full disk', () => {
  const DELETED = 600;
  const names = Array.from({ length: DELETED + 1 }, (_, n) => `group-${n}`);

  itUnless(lacking.mount())('has room in reserve for deletions, on REST and GraphQL', async () => {
    await onDisk(async (small) => {
      const { token } = await prepareDatabase(placeAt(file), async (work) => {
        for (const name of names) await createGroup(work, { name });
      });
      const server = await serveHere(urlOf(file));
      const client = server.client(token);
      const reserve = `${file}.reserve`;
      expect(statSync(reserve).size).toBe(4 * MEGABYTE);
      const filler = fillDisk(small);
      let refused = await client.post('groups', { name: 'full 0' });
      for (let n = 1; refused.status === 201 && n < 1_000; n += 1) {
        refused = await client.post('groups', { name: `full ${n}` });
      }
      expect([refused.status, refused.body.code]).toEqual([503, 'storage_full']);

      const deleted = await deleteGroups(client, names.slice(0, DELETED));
      expect(new Set(deleted)).toEqual(new Set([deleted[0]]));
      expect(deleted[0]).toBeLessThan(300);
      const rest = (await client.get(`groups/${names[DELETED] ?? ''}`)).record('group');
      const id = Buffer.from(`Group:${String(rest.id)}`).toString('base64');
      const query = 'mutation ($id: ID!) { groupDelete(id: $id) { deletedId userErrors { code } } }';
      const reply = await client.post('/graphql', { query, variables: { id } });
      expect(reply.body, reply.text).toMatchObject({ data: { groupDelete: { userErrors: [] } } });
      expect(existsSync(reserve)).toBe(false);
      // The room is for deletions only.
      const create = await client.post('groups', { name: 'while in use' });
      expect([create.status, create.body.code]).toEqual([503, 'storage_full']);
      expect((await client.get('/readyz')).status).toBe(503);

      rmSync(filler);
      // It needs no change of a client to find that there is room.
      await expect.poll(async () => (await client.get('/readyz')).body).toMatchObject({ status: 'ready' });
      expect((await client.post('groups', { name: 'after' })).status).toBe(201);
      expect(statSync(reserve).size).toBe(4 * MEGABYTE);
      await server.stop();
      expect(await problemsIn(placeAt(file))).toEqual([]);
    });
  });
});
