import Sqlite from 'better-sqlite3';
import { existsSync, mkdirSync, rmSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';

import { systemClock } from '../../platform/clock.js';
import { noteBackup } from '../../platform/storage/last-backup.js';
import { DatabaseRefused } from '../database.js';
import {
  type DatabaseTools,
  type Description,
  description,
  OLDEST_ROWS,
  type OldestRow,
  type Progress,
  TOTAL_ROWS,
  type TotalRow,
  type TouchedTable,
} from '../tools.js';
import { isBusy, translate } from './faults.js';
import { backupTo, restoreFrom } from './file/backup.js';
import { checkFile, foreignObjects, refuseNone } from './file/check.js';
import { inspectFile, refusalOf } from './file/inspect.js';
import { lockFile } from './file/lock.js';
import { keepLog, lossOf, refuseLoss } from './file/loss.js';
import { canonicalPath, closing, fileBytes, lastBackupOf, reading, walPath } from './file/open-file.js';
import { WholeFile } from './file/whole-file.js';

/** The commands for a SQLite file. */
export class FileTools implements DatabaseTools {
  readonly place: Readonly<Record<string, string>>;

  constructor(private readonly file: string) {
    this.place = { file };
  }

  pending(): Promise<readonly string[]> {
    return attempt(() => {
      const { pending } = inspectFile(this.file);
      refuseLoss(this.file);
      return pending;
    });
  }

  async touched(): Promise<readonly TouchedTable[]> {
    const pending = await this.pending();
    if (!existsSync(this.file) || pending.length === 0) return [];
    return await attempt(() => {
      const whole = {
        table: '*',
        lock: 'write lock of the file',
        rows: reading(this.file, rowsIn),
        isRewritten: false,
      };
      return pending.map((migration) => ({ migration, ...whole }));
    });
  }

  async check(): Promise<readonly string[]> {
    const loss = await attempt(() => {
      refuseNone(this.file);
      return lossOf(this.file);
    });
    // A database that has lost changes is not changed.
    const endLog = loss === null ? keepLog(this.file) : (): void => undefined;
    try {
      const lost = loss === null ? [] : [loss.problem];
      return [...lost, ...checkFile(this.file), ...(await foreignObjects(this.file))];
    } finally {
      endLog();
    }
  }

  rowCounts(): Promise<null> {
    return Promise.resolve(null);
  }

  async backup(target: string, onProgress: Progress): Promise<void> {
    await attempt(() => {
      refuseExisting(target);
      refuseLoss(this.file);
    });
    await backupTo(this.file, target, onProgress);
  }

  noteBackup(): void {
    noteBackup(lastBackupOf(this.file), systemClock);
  }

  async restore(source: string, onProgress: Progress): Promise<void> {
    refuseExisting(this.file);
    await restoreFrom(source, this.file, onProgress);
  }

  compact(): Promise<Compacted> {
    return attempt(() => compactFile(this.file));
  }

  describe(): Promise<Description> {
    return attempt(() => this.#describe());
  }

  makeEmpty(): Promise<void> {
    return attempt(() => {
      mkdirSync(dirname(this.file), { recursive: true, mode: 0o700 });
      const lock = lockFile(this.file);
      for (const suffix of ['', '-wal', '-shm', '.secret', '.marker', '.reserve'])
        rmSync(`${this.file}${suffix}`, { force: true });
      lock.release();
    });
  }

  async #describe(): Promise<Description> {
    const { file } = this;
    const { applied, pending } = refuseNone(file);
    const sizes = await new WholeFile(file).measure();
    const { sqlite, ...found } = reading(file, (database) => ({
      sqlite: String(database.prepare('select sqlite_version()').pluck().get()),
      totals: database.prepare(TOTAL_ROWS).all() as TotalRow[],
      // An older schema may lack some of the tables.
      oldest: pending.length === 0 ? (database.prepare(OLDEST_ROWS).all() as OldestRow[]) : [],
    }));
    const bytes = fileBytes(file);
    const logBytes = fileBytes(walPath(file));
    const loss = lossOf(file)?.problem ?? null;
    const { fields, lines } = description(
      `${file}: ${bytes} bytes, ${logBytes} in its log, SQLite ${sqlite}`,
      { file, bytes, log_bytes: logBytes, sqlite, loss },
      { applied, pending, sizes, ...found },
    );
    return { fields, lines: loss === null ? lines : [...lines, loss] };
  }
}

/** Number of rows in all tables. */
function rowsIn(database: Sqlite.Database): number {
  const tables = database
    .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
    .pluck()
    .all();
  const counts = tables.map((table) =>
    Number(
      database
        .prepare(`select count(*) from "${String(table)}"`)
        .pluck()
        .get(),
    ),
  );
  return counts.reduce((sum, rows) => sum + rows, 0);
}

/** Errors: `DatabaseRefused` instead of an error about a file of the database. */
async function attempt<T>(use: () => T | Promise<T>): Promise<T> {
  try {
    return await Promise.resolve().then(use);
  } catch (error) {
    throw refusalOf(error);
  }
}

function refuseExisting(file: string): void {
  if (!existsSync(file)) return;
  throw new DatabaseRefused(
    'exists',
    `${file} exists and is not overwritten: move it away, or name another file.`,
  );
}

/**
 * Copies of the rows that need room: SQLite writes them to a temporary file first, and keeps the former pages
 * in a journal until the end.
 */
const COPIES = 2;

interface Compacted {
  readonly before: number;
  readonly after: number;
}

/**
 * Rewrites a file without its free pages; after a crash it is unchanged. No server may use it. Returns its
 * sizes in bytes. (`auto_vacuum` would have to be set before the first table, and moves pages with each
 * deletion.) Errors: `DatabaseRefused`; `storage_full`.
 */
function compactFile(file: string): Compacted {
  refuseNone(file);
  refuseLoss(file);
  const lock = lockFile(file);
  try {
    return closing(new Sqlite(file, { fileMustExist: true, timeout: 5_000 }), (database) => {
      if (database.pragma('journal_mode = delete', { simple: true }) !== 'delete') throw inUse(file);
      database.pragma('synchronous = FULL');
      const before = fileBytes(file);
      demandRoom(database, file);
      database.exec('vacuum');
      return { before, after: fileBytes(file) };
    });
  } catch (error) {
    throw isBusy(error) ? inUse(file) : translate(error);
  } finally {
    lock.release();
  }
}

function demandRoom(database: Sqlite.Database, file: string): void {
  const pages = (name: string): number => database.pragma(name, { simple: true }) as number;
  const needed = COPIES * (pages('page_count') - pages('freelist_count')) * pages('page_size');
  const { bavail, bsize } = statfsSync(dirname(canonicalPath(file)));
  if (bavail * bsize >= needed) return;
  throw new DatabaseRefused(
    'unusable',
    `This needs ${needed} free bytes on the disk of ${file}, which has ${bavail * bsize}. Nothing was changed. ` +
      `Copy the database to another disk with db copy instead: the copy has no free pages.`,
  );
}

function inUse(file: string): DatabaseRefused {
  return new DatabaseRefused('in_use', `${file} is in use by another command. Nothing was changed.`);
}
