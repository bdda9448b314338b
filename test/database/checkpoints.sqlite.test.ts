import Sqlite from 'better-sqlite3';
import { CompiledQuery } from 'kysely';
import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { connect } from '../../src/database/sqlite/connect.js';
import { SqliteConnection } from '../../src/database/sqlite/connection.js';
import { SILENT } from '../../src/database/sqlite/file/migrate.js';
import { openFile } from '../../src/database/sqlite/file/open-file.js';
import { openDatabase } from '../../src/database/sqlite/open.js';
import { Checkpoints } from '../../src/database/sqlite/write-ahead-log.js';
import { createUnits } from '../../src/database/units.js';
import type { Units } from '../../src/database/work.js';
import { testClock } from '../support/clock.js';
import { add } from './added-companies.js';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'checkpoints-'));
  file = join(folder, 'gateway.db');
  await (await openDatabase(file)).close();
});
afterEach(() => rmSync(folder, { recursive: true }));

const PAGE = 4_096;
/** Pages of the log that are not in the file yet. */
function pagesLeft(): number {
  const database = new Sqlite(file);
  const [state] = database.pragma('wal_checkpoint(noop)') as [{ log: number; checkpointed: number }];
  database.close();
  return state.log - state.checkpointed;
}

/** Like `pagesLeft`, read from SQLite's WAL index file: a second connection would delay the checkpoint. */
function pagesLeftInIndex(): number {
  const index = readFileSync(`${file}-shm`);
  return index.readUInt32LE(16) - index.readUInt32LE(96);
}

/** Adds names that take about so many pages of the log. */
const write = (units: Units, pages: number, n: number): Promise<void> =>
  add(units, `company ${n} ${'x'.repeat(pages * PAGE)}`);

describe('the log of a server', () => {
  it('is copied into the file in a thread, and stays short', async () => {
    const database = connect(file, { slot: 'server' });
    const units = createUnits(database, testClock());
    for (let n = 0; n < 8; n += 1) {
      const before = statSync(file).size;
      await write(units, 1_200, n);
      await expect.poll(pagesLeftInIndex).toBe(0);
      expect(statSync(file).size).toBeGreaterThan(before + 1_000 * PAGE);
    }
    expect(statSync(`${file}-wal`).size).toBeLessThan(20 * 1024 * 1024);
    await database.close();
    expect(pagesLeft()).toBeLessThanOrEqual(0);
  });

  it('is whole in the file after the end, also while a checkpoint is running', async () => {
    const database = connect(file, { slot: 'server' });
    const units = createUnits(database, testClock());
    for (let n = 0; n < 4; n += 1) await write(units, 1_200, n);
    await database.close();
    const copy = new Sqlite(file, { readonly: true });
    expect(copy.prepare('select count(*) as n from companies').get()).toEqual({ n: 4 });
    copy.close();
  });
});

describe('the log of a full disk', () => {
  it('stays short while deletions use the reserve, without waiting for the thread', async () => {
    const watcher = { ...SILENT, isDiskLow: () => true };
    const database = openFile(file, { readonly: false });
    const connection = new SqliteConnection(database, watcher, { hasCheckpointThread: true });
    const insert = CompiledQuery.raw('insert into log_test (text) values (?)', ['x'.repeat(7 * PAGE)]);
    connection.database.exec('create table log_test (text text)');
    const before = statSync(`${file}-wal`).size;
    for (let unit = 0; unit < 300; unit += 1) {
      await connection.begin(0);
      await connection.executeQuery(insert);
      connection.commit();
    }
    expect(statSync(`${file}-wal`).size - before).toBeLessThan(1024 * 1024);
    connection.database.close();
  });
});

describe('checkpoints', () => {
  /** Makes one checkpoint: resolves to whether the whole log was copied, or to the error. */
  const outcomeOf = (path: string): Promise<boolean | Error> =>
    new Promise((resolve) => {
      const end = (outcome: boolean | Error) => void checkpoints.close().then(() => resolve(outcome));
      const checkpoints = new Checkpoints(path, end, end);
      checkpoints.request();
    });

  it('say whether the log is whole in the file, which a reader that needs pages of it prevents', async () => {
    const database = connect(file);
    const units = createUnits(database, testClock());
    const reader = new Sqlite(file, { readonly: true });
    await write(units, 10, 1);
    reader.exec('begin; select count(*) from companies');
    await write(units, 10, 2);
    expect(await outcomeOf(file)).toBe(false);
    reader.close();
    expect(await outcomeOf(file)).toBe(true);
    await database.close();
  });

  it('say what failed', async () => {
    expect(await outcomeOf(join(folder, 'none.db'))).toMatchObject({ code: 'SQLITE_CANTOPEN' });
  });

  it('leave another file in the place of the one that is open as it is', async () => {
    let isDone = false;
    const end = (): void => void (isDone = true);
    const checkpoints = new Checkpoints(file, end, end);
    copyFileSync(file, `${file}.copy`);
    renameSync(`${file}.copy`, file);
    checkpoints.request();
    await checkpoints.close();
    expect(isDone).toBe(false);
  });
});
