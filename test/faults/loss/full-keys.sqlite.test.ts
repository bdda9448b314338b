import BetterSqlite3 from 'better-sqlite3';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';

import { placeAt, urlOf } from '../../support/databases/sqlite-place.js';
import { prepareDatabase } from '../../support/prepared-database.js';
import { killPrograms, serveHere, startProgram } from '../../support/program.js';
import { itUnless, lacking, runTool, useScratchFolder } from '../machine.js';
import { problemsIn } from '../soundness.js';

const MEGABYTE = 1024 * 1024;
const PAGE_BYTES = 4096;
const WRITERS = 16;
const REFUSALS = 200;
const DELETED = 300;

let folder: string;
useScratchFolder((scratch) => ({ folder } = scratch));

async function onSmallDisk(use: (file: string) => Promise<void>): Promise<void> {
  const disk = join(folder, 'disk.img');
  const small = join(folder, 'small');
  runTool('truncate', '-s', '24M', disk);
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
  const connection = new BetterSqlite3(file, { readonly: true });
  try {
    const [state] = connection.pragma('wal_checkpoint(noop)') as { log: number; checkpointed: number }[];
    return ((state?.log ?? 0) - (state?.checkpointed ?? 0)) * PAGE_BYTES;
  } finally {
    connection.close();
  }
}

const keyOf = (call: string): { headers: Record<string, string> } => ({
  headers: { 'Idempotency-Key': call.padEnd(200, 'k') },
});

describe('RU-61 a disk that writers with idempotency keys have filled', () => {
  itUnless(lacking.loop())('has room for deletions, and for a start after kill -9', async () => {
    await onSmallDisk(async (file) => {
      const { token } = await prepareDatabase(placeAt(file));
      const server = await startProgram(urlOf(file));
      const client = server.client(token);
      const names: string[] = [];
      let calls = 0;
      let refusals = 0;
      const writer = async (): Promise<void> => {
        while (refusals < REFUSALS) {
          const name = `group-${(calls += 1)}`;
          const { status } = await client.post('groups', { name }, keyOf(name));
          if (status === 201) names.push(name);
          else refusals += 1;
        }
      };
      await Promise.all(Array.from({ length: WRITERS }, writer));

      const statuses = new Set<number>();
      const remove = async (name: string): Promise<void> => {
        statuses.add((await client.delete(`groups/${name}`, undefined, keyOf(`delete ${name}`))).status);
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
