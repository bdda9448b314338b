import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';

import type { Client, Reply } from '../support/client.js';
import { placeAt, urlOf } from '../support/databases/sqlite-place.js';
import { ingestRows, ndjson, sendLines, totalsOf } from '../support/line-stream.js';
import { prepareDatabase } from '../support/prepared-database.js';
import { type Program, serveHere, startProgram } from '../support/program.js';
import {
  faultyStorage,
  itUnless,
  lacking,
  limited,
  MEGABYTE,
  namesOf,
  onSmallDisk,
  runTool,
  startPrepared,
  upload,
  useScratchFolder,
} from './machine.js';
import { problemsIn } from './soundness.js';

const EIO = 5;
const ENOSPC = 28;
/** Exit code of the program after its storage failed. */
const STORAGE_EXIT = 74;

let folder: string;
let file: string;
useScratchFolder((scratch) => ({ folder, file } = scratch));

function expectFull(reply: Reply): void {
  expect([reply.status, reply.body.code]).toEqual([503, 'storage_full']);
  expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
}

/** Uploads until the storage is full, calls `freeSpace`, and checks that no acknowledged file is lost. */
async function fillAndRecover(
  file: string,
  program: Program,
  token: string,
  freeSpace: () => void,
): Promise<void> {
  const client = program.client(token);
  const acknowledged: string[] = [];
  let refused: Reply | undefined;
  for (let n = 0; refused === undefined && n < 100; n += 1) {
    const reply = await client.post('files', upload(`file ${n}`));
    if (reply.status === 201) acknowledged.push(`file ${n}`);
    else refused = reply;
  }
  expect(acknowledged.length).toBeGreaterThan(0);
  expectFull(refused ?? (await client.get('files')));
  expectFull(await client.post('files', upload('still full')));
  expect(await namesOf(client, 'files')).toEqual(acknowledged);
  expect((await client.get('/readyz')).status).toBe(503);
  expect((await client.get('/healthz')).status).toBe(200);

  freeSpace();
  expect((await client.post('files', upload('after'))).status).toBe(201);
  expect((await client.get('/readyz')).status).toBe(200);
  expect(program.process.exitCode).toBeNull();
  expect(await problemsIn(placeAt(file))).toEqual([]);
  expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });

  const again = await serveHere(urlOf(file));
  expect(await namesOf(again.client(token), 'files')).toEqual([...acknowledged, 'after']);
  await again.stop();
}

describe('a full storage makes writes fail with 503, reads work, and no restart is needed afterwards', () => {
  itUnless(lacking.mount())('CF-05 on a file system of 24 MB', async () => {
    await onSmallDisk(folder, 24, async (small) => {
      const smallFile = join(small, 'gateway.db');
      const filler = join(small, 'filler');
      const { token } = await prepareDatabase(placeAt(smallFile));
      writeFileSync(filler, Buffer.alloc(14 * MEGABYTE, 1));
      const program = await startProgram(urlOf(smallFile));
      await fillAndRecover(smallFile, program, token, () => rmSync(filler));
    });
  });

  itUnless(lacking.limits())('CF-06 with a file size limit of 4 MB', async () => {
    const { token, program } = await startPrepared(placeAt(file), limited('-S -f 4000'));
    await fillAndRecover(file, program, token, () =>
      runTool('prlimit', '--pid', String(program.pid), '--fsize=unlimited'),
    );
  });
});

/** Creates groups with concurrent requests; returns the names of those that were acknowledged. */
async function createGroups(client: Client, prefix: string, count: number): Promise<string[]> {
  const all = Array.from({ length: count }, (_, n) => `${prefix} ${n}`);
  const replies = await Promise.all(
    all.map((name) => client.post('groups', { name }).catch((): null => null)),
  );
  for (const reply of replies) {
    if (reply !== null && reply.status !== 201) expect(reply.status, reply.text).toBe(503);
  }
  return all.filter((_, n) => replies[n]?.status === 201);
}

async function expectOnlyAcknowledged(file: string, client: Client, acknowledged: string[]): Promise<void> {
  expect((await namesOf(client, 'groups')).sort()).toEqual([...acknowledged].sort());
  expect(await problemsIn(placeAt(file))).toEqual([]);
}

describe('every 97th write to the disk fails', () => {
  const every = 97;

  itUnless(lacking.compiler())(
    'CF-07 no failed change is acknowledged, and every acknowledged change is stored',
    async () => {
      const storage = faultyStorage(folder);
      const { client } = await startPrepared(placeAt(file), storage.options);
      const acknowledged: string[] = [];
      for (const error of [ENOSPC, EIO]) {
        storage.fail('write', error, { every });
        const now = await createGroups(client, `error ${error}`, 100);
        expect(now.length).toBeGreaterThan(0);
        expect(now.length).toBeLessThan(100);
        acknowledged.push(...now);
      }
      storage.heal();
      acknowledged.push(...(await createGroups(client, 'healed', 10)));
      expect(acknowledged.filter((name) => name.startsWith('healed'))).toHaveLength(10);
      await expectOnlyAcknowledged(file, client, acknowledged);
    },
  );
});

describe('a failed fsync', () => {
  itUnless(lacking.compiler())('CF-08 ends the program, and no further change is acknowledged', async () => {
    const storage = faultyStorage(folder);
    const { token, program } = await startPrepared(placeAt(file), storage.options);
    const before = await createGroups(program.client(token), 'before', 5);
    storage.fail('sync', EIO);
    expect(await createGroups(program.client(token), 'unkept', 10)).toEqual([]);
    expect(await program.ended).toEqual({ code: STORAGE_EXIT, signal: null });
    const again = await serveHere(urlOf(file));
    // Created at the same time, so in any order.
    expect((await namesOf(again.client(token), 'groups')).slice(0, before.length).sort()).toEqual(before);
    expect(await createGroups(again.client(token), 'anew', 5)).toHaveLength(5);
    expect(await problemsIn(placeAt(file))).toEqual([]);
  });

  itUnless(lacking.compiler())('CF-08 ends the program if only a checkpoint fails, too', async () => {
    const storage = faultyStorage(folder);
    const { token, client, program } = await startPrepared(placeAt(file), storage.options);
    const acknowledged: string[] = [];
    storage.fail('sync', EIO, { files: 'gateway.db' });
    for (let n = 0; n < 200; n += 1) {
      const reply = await client.post('files', upload(`file ${n}`)).catch((): null => null);
      if (reply === null) break;
      expect(reply.status).toBe(201);
      acknowledged.push(`file ${n}`);
    }
    expect(await program.ended).toEqual({ code: STORAGE_EXIT, signal: null });
    expect(acknowledged.length).toBeGreaterThan(1);
    const again = await serveHere(urlOf(file));
    expect((await namesOf(again.client(token), 'files')).slice(0, acknowledged.length)).toEqual(acknowledged);
    expect(await problemsIn(placeAt(file))).toEqual([]);
  });
});

const ROWS = 3_000;

describe('CF-06 storage that is full in the middle of a stream to ingest', () => {
  itUnless(lacking.limits())(
    'ends it with the totals of what is stored; the rest is stored later',
    async () => {
      const place = placeAt(file);
      const { token, program } = await startPrepared(place, limited('-S -f 2000'));
      const body = ndjson(ingestRows(ROWS));
      const { status, lines } = await sendLines(program.url, token, body);
      const [{ total }] = (await place.sql<{ total: number }>(
        'select count(*) as total from transactions',
      )) as [{ total: number }];
      expect([status, total > 0, total < ROWS, total % 500]).toEqual([503, true, true, 0]);
      const error = { code: 'storage_full', message: any, request_id: any };
      expect(lines).toEqual([{ error, ...totalsOf(total) }]);

      // Rows that are stored already need no room.
      const again = await sendLines(program.url, token, body);
      expect([again.status, again.lines]).toEqual([503, [{ error, ...totalsOf(0, total) }]]);

      runTool('prlimit', '--pid', String(program.pid), '--fsize=unlimited');
      const often = { interval: 200 };
      await expect.poll(async () => (await program.client(token).get('/readyz')).status, often).toBe(200);
      expect((await sendLines(program.url, token, body)).lines).toEqual([totalsOf(ROWS - total, total)]);
      expect(await problemsIn(place)).toEqual([]);
    },
  );
});

const any = expect.any(String) as string;
