import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

import { systemClock } from '../../platform/clock.js';
import { noteBackup } from '../../platform/storage/last-backup.js';
import { DatabaseRefused } from '../refused.js';
import { storageFields, storageLines } from '../tools.js';
import type { DatabaseTools, Description, Progress, TouchedTable } from '../tools.js';
import { backupTo, restoreFrom } from './file/backup.js';
import { checkFile, countRows, describeFile, refuseNone } from './file/check.js';
import { compactFile, type Compacted } from './file/compact.js';
import { inspectFile, refusalOf } from './file/inspect.js';
import { lockFile } from './file/lock.js';
import { keepLog, lossOf, refuseLoss } from './file/marker/loss.js';
import { lastBackupOf } from './file/paths.js';
import { foreignObjects } from './foreign-objects.js';

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
        rows: countRows(this.file),
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

  #describe(): Description {
    const { bytes, logBytes, engine, state, applied, pending, companies, users, records, sizes, oldest } =
      describeFile(this.file);
    const loss = lossOf(this.file)?.problem ?? null;
    const migrations = [...applied, ...pending.map((name) => `${name} (pending)`)].join(', ');
    const counts = Object.entries({ companies, users, ...records });
    return {
      fields: {
        ...{ ...this.place, bytes, log_bytes: logBytes, sqlite: engine, state, applied, pending },
        ...{ companies, users, records, loss },
        ...storageFields(sizes, oldest),
      },
      lines: [
        `${this.file}: ${bytes} bytes, ${logBytes} in its log, SQLite ${engine}`,
        `schema ${state}: ${migrations}`,
        ...counts.map(([name, count]) => `${name}: ${count}`),
        ...storageLines(sizes, oldest),
        ...(loss === null ? [] : [loss]),
      ],
    };
  }
}

/** Errors: `DatabaseRefused` instead of an error about a file of the database. */
async function attempt<T>(use: () => T): Promise<T> {
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
