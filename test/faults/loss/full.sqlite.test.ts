import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';

import { reading } from '../../../src/database/sqlite/file/open-file.js';
import { freeBytesAt } from '../../../src/database/sqlite/write-ahead-log.js';
import { createGroup } from '../../../src/domain/fleet/group/group.service.js';
import { DAY, systemClock } from '../../../src/platform/clock.js';
import type { Client } from '../../support/client.js';
import { placeAt, urlOf } from '../../support/databases/sqlite-place.js';
import { prepareDatabase } from '../../support/prepared-database.js';
import { killPrograms, runCommand, runProgram, serveHere } from '../../support/program.js';
import { insertTransactions } from '../../support/retention.js';
import {
  faultyStorage,
  fillDisk,
  itUnless,
  lacking,
  MEGABYTE,
  onSmallDisk,
  runTool,
  startPrepared,
  useScratchFolder,
} from '../machine.js';
import { problemsIn } from '../soundness.js';

const EIO = 5;
const EROFS = 30;
const STORAGE_EXIT = 74;

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
});

describe('CF-41 a storage that fails at run time', () => {
  itUnless(lacking.compiler())('is named as what it is, with the code of SQLite in the log', async () => {
    const storage = faultyStorage(folder);
    const { client, program } = await startPrepared(placeAt(file), storage.options);
    for (const [error, code] of [
      [EIO, 'storage_unavailable'],
      [EROFS, 'storage_read_only'],
    ] as const) {
      storage.fail('write', error);
      const refused = await client.post('groups', { name: code });
      expect([refused.status, refused.body.code]).toEqual([503, code]);
      await expect.poll(async () => (await client.get('/readyz')).status).toBe(503);
      storage.heal();
      await expect
        .poll(async () => (await client.post('groups', { name: `${code} healed` })).status)
        .toBe(201);
      // The reason of a fault is kept for one second, since many requests may fail at once.
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
  const DELETED = 300;
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
      // The server finds that there is room without a change of a client.
      await expect.poll(async () => (await client.get('/readyz')).body).toMatchObject({ status: 'ready' });
      expect((await client.post('groups', { name: 'after' })).status).toBe(201);
      expect(statSync(reserve).size).toBe(4 * MEGABYTE);
      await server.stop();
      expect(await problemsIn(placeAt(file))).toEqual([]);
    });
  });
});

const OLD = 5_000;
const PRUNE = ['db', 'prune', '--transactions', '24 months'];

async function onFullDisk(
  use: (file: string, token: string, fill: () => void) => Promise<void>,
): Promise<void> {
  await onSmallDisk(folder, 60, async (small) => {
    const file = join(small, 'gateway.db');
    const place = placeAt(file);
    const { companyId, token } = await prepareDatabase(place);
    const now = systemClock.now().getTime();
    await insertTransactions(place, companyId, OLD, { first: new Date(now - 900 * DAY), stepMs: 60_000 });
    await insertTransactions(place, companyId, 5, { first: new Date(now - DAY), stepMs: 1_000 });
    await use(file, token, () => {
      fillDisk(small);
      expect(freeBytesAt(small)).toBe(0);
    });
    expect(await place.sql('select count(*) as total from transactions')).toEqual([{ total: 5 }]);
    expect(await problemsIn(place)).toEqual([]);
  });
}

describe('CF-05 a disk without a free byte', () => {
  itUnless(lacking.mount())('has room for db prune, and then for new records, without a server', async () => {
    await onFullDisk(async (file, token, fill) => {
      // A server makes the reserve. After its stop there is no log, for which every other command needs room.
      await (await serveHere(urlOf(file))).stop();
      expect(statSync(`${file}.reserve`).size).toBe(4 * MEGABYTE);
      fill();
      expect((await runCommand(['user', 'list'], urlOf(file))).code).toBe(74);
      const { size } = statSync(file);
      const { code, output } = await runCommand(PRUNE, urlOf(file));
      expect([code, output]).toEqual([0, expect.stringContaining(`transactions ${OLD}`)]);
      expect(statSync(file).size).toBeLessThanOrEqual(size);
      const server = await serveHere(urlOf(file));
      expect((await server.client(token).post('groups', { name: 'new' })).status).toBe(201);
      await server.stop();
    });
  });

  itUnless(lacking.mount())('has it also while a server runs that cannot store anything', async () => {
    await onFullDisk(async (file, token, fill) => {
      const server = await serveHere(urlOf(file));
      const client = server.client(token);
      fill();
      let refused = 201;
      for (let n = 0; refused === 201 && n < 2_000; n += 1) {
        refused = (await client.post('groups', { name: `group ${n}`.padEnd(100, 'x') })).status;
      }
      expect(refused).toBe(503);
      const { code, output } = await runProgram(PRUNE, urlOf(file));
      expect([code, output]).toEqual([0, expect.stringContaining(`transactions ${OLD}`)]);
      expect(existsSync(`${file}.reserve`)).toBe(false);
      await expect
        .poll(async () => (await client.post('groups', { name: `new ${Math.random()}` })).status)
        .toBe(201);
      await server.stop();
    });
  });
});

const PAGE_BYTES = 4096;
const WRITERS = 16;
const REFUSALS = 200;

/** A file system on a disk of 16 MB, with the blocks and the journal of a real one. */
async function onRealDisk(use: (file: string) => Promise<void>): Promise<void> {
  const disk = join(folder, 'disk.img');
  const small = join(folder, 'small');
  runTool('truncate', '-s', '16M', disk);
  runTool('mkfs.ext4', '-q', '-F', '-m', '0', disk);
  mkdirSync(small);
  runTool('mount', '-o', 'loop', disk, small);
  try {
    await use(join(small, 'gateway.db'));
  } finally {
    await killPrograms();
    runTool('umount', '-l', small);
  }
}

/** Bytes of the write-ahead log that are not in the database file yet. */
function bytesLeftInLog(file: string): number {
  return reading(file, (connection) => {
    const [state] = connection.pragma('wal_checkpoint(noop)') as { log: number; checkpointed: number }[];
    return ((state?.log ?? 0) - (state?.checkpointed ?? 0)) * PAGE_BYTES;
  });
}

const keyOf = (call: string): { headers: Record<string, string> } => ({
  headers: { 'Idempotency-Key': call.padEnd(200, 'k') },
});

describe('RU-61 a disk that writers with idempotency keys have filled', () => {
  itUnless(lacking.loop())('has room for deletions, and for a start after kill -9', async () => {
    await onRealDisk(async (file) => {
      const DELETED = 300;
      const { token, client, program: server } = await startPrepared(placeAt(file));
      const names: string[] = [];
      let calls = 0;
      let refusals = 0;
      const writer = async (): Promise<void> => {
        while (refusals < REFUSALS) {
          const name = `group-${(calls += 1)}-`.padEnd(255, 'n');
          const { status } = await client.post('groups', { name }, keyOf(String(calls)));
          if (status === 201) names.push(name);
          else refusals += 1;
        }
      };
      await Promise.all(Array.from({ length: WRITERS }, writer));

      const statuses = new Set<number>();
      const remove = async (name: string): Promise<void> => {
        statuses.add(
          (
            await client.delete(
              `groups/${name}`,
              undefined,
              keyOf(name.replace('group', 'delete').slice(0, 100)),
            )
          ).status,
        );
      };
      // Log pages not checkpointed yet will use some of the 4 MiB that are reserved for deletions.
      expect(bytesLeftInLog(file)).toBeLessThan(MEGABYTE);
      for (const name of names.slice(0, DELETED)) await remove(name);
      expect([...statuses]).toEqual([200]);
      await server.end('SIGKILL');

      const again = await serveHere(urlOf(file));
      const { pagination } = (await again.client(token).get('groups')).body;
      expect(pagination).toMatchObject({ total_entries: names.length - DELETED });
      await again.stop();
      expect(await problemsIn(placeAt(file))).toEqual([]);
    });
  });
});
