import Sqlite from 'better-sqlite3';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

import { systemClock } from '../../platform/clock.js';
import { noteBackup } from '../../platform/files.js';
import { DatabaseRefused, unusable } from '../database.js';
import {
  type DatabaseTools,
  type Description,
  description,
  type Drill,
  OLDEST_ROWS,
  type OldestRow,
  type Progress,
  TOTAL_ROWS,
  type TotalRow,
  type TouchedTable,
} from '../tools.js';
import { rowsIn } from './copy.js';
import { fileDrill } from './drill.js';
import { isBusy, translate } from './faults.js';
import { backupTo, restoreFrom } from './file/backup.js';
import { checkFile, foreignObjects, refuseNone } from './file/check.js';
import { inspectFile, refusalOf } from './file/inspect.js';
import { lockFile } from './file/lock.js';
import { keepLog, lossOf, refuseLoss } from './file/loss.js';
import { canonicalPath, closing, fileBytes, lastBackupOf, reading, walPath } from './file/open-file.js';
import { WholeFile } from './file/whole-file.js';
import { freeBytesAt } from './write-ahead-log.js';

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
    const rows = await attempt(() => reading(this.file, (database) => rowsIn(database)));
    const lock = 'write lock of the file';
    return pending.map((migration) => ({ migration, table: '*', lock, rows, isRewritten: false }));
  }

  check() {
    return attempt(() => {
      const { file } = this;
      const inspection = refuseNone(file);
      const loss = lossOf(file);
      // A database that has lost changes is not changed.
      const endLog = loss === null ? keepLog(file) : (): void => undefined;
      try {
        const lost = loss === null ? [] : [loss.problem];
        const foreign = inspection.state === 'current' ? foreignObjects(file) : [];
        // Sums of missing tables cannot be compared.
        const state = foreign.length === 0 ? inspection.state : 'older';
        return { problems: [...lost, ...checkFile(file, { state }), ...foreign], rows: null };
      } finally {
        endLog();
      }
    });
  }

  async backup(target: string, onProgress: Progress): Promise<string | null> {
    await attempt(() => refuseLoss(this.file));
    await backupTo(this.file, target, onProgress);
    try {
      noteBackup(lastBackupOf(this.file), systemClock);
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  }

  async restore(source: string, onProgress: Progress): Promise<void> {
    await restoreFrom(source, this.file, onProgress);
  }

  drill(folder: string, into: unknown = null): Promise<Drill> {
    return attempt(() => {
      if (into !== null) throw unusable('--into is for PostgreSQL. Nothing was done.');
      refuseNone(this.file);
      refuseLoss(this.file);
      return fileDrill(this.file, folder, (file) => new FileTools(file).check());
    });
  }

  compact(): Promise<{ readonly before: number; readonly after: number }> {
    return attempt(() => compactFile(this.file));
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

  describe(): Promise<Description> {
    return attempt(async () => {
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
    });
  }
}

/** Errors: `DatabaseRefused` instead of an error about a file of the database. */
async function attempt<T>(use: () => T | Promise<T>): Promise<T> {
  try {
    return await Promise.resolve().then(use);
  } catch (error) {
    throw refusalOf(error);
  }
}

/** Copies of the rows that need room: a temporary file, and the former pages in a journal until the end. */
const COPIES = 2;

/** Rewrites a file, which no server may use, without its free pages. Errors: `DatabaseRefused`; `storage_full`. */
function compactFile(file: string): { readonly before: number; readonly after: number } {
  refuseNone(file);
  refuseLoss(file);
  const lock = lockFile(file);
  const inUse = new DatabaseRefused('in_use', `${file} is in use by another command. Nothing was changed.`);
  try {
    return closing(new Sqlite(file, { fileMustExist: true, timeout: 5_000 }), (database) => {
      if (database.pragma('journal_mode = delete', { simple: true }) !== 'delete') throw inUse;
      database.pragma('synchronous = FULL');
      const before = fileBytes(file);
      requireRoom(database, file);
      database.exec('vacuum');
      return { before, after: fileBytes(file) };
    });
  } catch (error) {
    throw isBusy(error) ? inUse : translate(error);
  } finally {
    lock.release();
  }
}

function requireRoom(database: Sqlite.Database, file: string): void {
  const pages = (name: string): number => database.pragma(name, { simple: true }) as number;
  const needed = COPIES * (pages('page_count') - pages('freelist_count')) * pages('page_size');
  const free = freeBytesAt(dirname(canonicalPath(file)));
  if (free >= needed) return;
  throw unusable(
    `This needs ${needed} free bytes on the disk of ${file}, which has ${free}. Nothing was changed. ` +
      `Copy the database to another disk with db copy instead: the copy has no free pages.`,
  );
}
