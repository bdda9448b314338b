import Sqlite from 'better-sqlite3';
import { sql, type Kysely } from 'kysely';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { systemClock } from '../../platform/clock.js';
import { ageSeconds } from '../../platform/files.js';
import { inMemory } from '../../platform/windows.js';
import type { Tables } from '../../schema/schema.js';
import type { Database, OpenOptions } from '../database.js';
import { hasAllMigrations } from '../migrations.js';
import { DatabaseHealth, StatementListeners, type StatementListener } from '../statements.js';
import { SqliteConnection } from './connection.js';
import type { Watcher } from './faults.js';
import { FileGuard, readMarks, type Slot } from './file/marker.js';
import {
  closeWhole,
  fileBytes,
  lastBackupOf,
  markOpen,
  MAX_WAL_BYTES,
  openFile,
  walPath,
} from './file/open-file.js';
import { WholeFile } from './file/whole-file.js';
import { Readers } from './readers.js';
import { freeBytesAt, type Reserve } from './write-ahead-log.js';
import { WriteGroups } from './write-groups.js';

export interface ConnectOptions extends OpenOptions {
  /** Slot of the marker that records acknowledged changes. Without it, in tests, they are not recorded. */
  readonly slot?: Slot;
  readonly reserve?: Reserve | null;
  /** False if the whole file must still be checked for damage. */
  readonly isChecked?: boolean;
  /** Called when all connections are closed. */
  readonly onClosed?: () => void;
}

/** Parts of `Database` for several nodes. One node uses a file, with one writer at a time: nothing must be locked. */
const SINGLE_NODE = {
  isShared: false,
  announce: () => undefined,
  onAnnounced: () => undefined,
  alone: async (_task, use) => {
    await use();
    return true;
  },
  acrossCompanies: (_db, use) => use(),
  everywhere: (db) => db,
  lockCompanies: () => Promise.resolve(),
  connections: () => ({}),
  waitingTurns: () => null,
  windows: inMemory,
  windowFailures: () => 0,
} satisfies Partial<Database>;

/** Opens a file that has the current schema. */
export function connect(file: string, options: ConnectOptions = {}): Database {
  const { groups, guard, health, readers, unmark, watching, wholeFile, writer } = openParts(file, options);
  const { reserve, onClosed } = options;
  const base = {
    ...SINGLE_NODE,
    ...readers.handles,
    name: file,
    system: 'sqlite' as const,
    health,
    verify: () => guard?.verify() ?? null,
    admit: reserve?.checkFor(health) ?? (() => undefined),
    writes: groups.single,
    write: groups.write,
  } satisfies Partial<Database>;
  return {
    ...base,
    ...watching,
    checks: databaseChecks(base, wholeFile, options),
    ...measuresOf(file, wholeFile),
    maintain: async () => {
      reserve?.keep();
      await trimLog(file, groups.single);
    },
    spoolPath: `${file}.upload-`,
    lastBackupPath: lastBackupOf(file),
    begin: () => wholeFile.check(),
    close: async () => {
      // Writes are refused from now on.
      const finished = groups.finish();
      await wholeFile.close();
      await finished;
      await Promise.all([readers.close(), writer.log.close()]);
      if (base.verify() === null) closeWhole(writer.database);
      else writer.database.close();
      guard?.close(!health.isLasting);
      unmark();
      onClosed?.();
    },
  };
}

/** Only a checkpoint writes to the file itself, so its time is that of the last one. */
const measuresOf = (file: string, wholeFile: WholeFile) =>
  ({
    bytes: () => ({ file: fileBytes(file), log: fileBytes(walPath(file)) }),
    sizes: () => wholeFile.measure(),
    vitals: () =>
      Promise.resolve({
        checkpointAgeSeconds: ageSeconds(file, systemClock) ?? 0,
        diskFreeBytes: freeBytesAt(dirname(file)),
      }),
  }) satisfies Partial<Database>;

/** Opens all connections to a file. It is marked as open until `unmark` is called. */
function openParts(file: string, options: ConnectOptions) {
  const { slot, reserve, isChecked, onProgress, onFault } = options;
  let { onFatal } = options;
  const [statements, waits] = [new StatementListeners(), new StatementListeners()];
  const health = new DatabaseHealth();
  const database = openFile(file, { readonly: false });
  const unmark = markOpen(file);
  const guard = guardOf(database, health, options);
  const watcher: Watcher = {
    onStatement: statements.notify,
    waits,
    onFatal: (error) => {
      health.reportFatal();
      onFatal?.(error);
      onFatal = undefined;
    },
    onFault: (code, error) => {
      health.report(code);
      onFault?.(code, error);
    },
    isDiskLow: () => reserve?.isDiskLow() === true,
    onLongLog: () => {
      // While the check reads, the log cannot be copied into the file.
      if (reserve?.isDiskLow() === true) wholeFile.putOffCheck();
      readers.restartLog();
    },
  };
  const writer = new SqliteConnection(database, watcher, { guard, hasCheckpointThread: slot === 'server' });
  // For savepoints: SQLite would write what undoes them to a file, which takes longer than the changes themselves.
  database.pragma('temp_store = memory');
  const groups = new WriteGroups(writer, health);
  const readers = new Readers({ ...options, file, watcher, restartLog: () => writer.log.restart() });
  const onDamage = (detail: string): void =>
    watcher.onFault('db_corrupt', new Sqlite.SqliteError(detail, 'SQLITE_CORRUPT'));
  const wholeFile = new WholeFile(file, { isChecked, onProgress, onDamage });
  const watching = {
    watchStatements: (listener: StatementListener) => statements.add(listener),
    watchWaits: (listener: StatementListener) => waits.add(listener),
  };
  return { groups, guard, health, readers, unmark, watching, wholeFile, writer };
}

/** Null if nothing is to be recorded. */
function guardOf(
  database: Sqlite.Database,
  health: DatabaseHealth,
  { slot, onLost, onFault }: ConnectOptions,
): FileGuard | null {
  if (slot === undefined || readMarks(database.name) === null) return null;
  return new FileGuard(database, {
    slot,
    onLost: (problem) => {
      health.reportFatal();
      onLost?.(problem);
    },
    onMarkerFault: (error) => onFault?.('storage_unavailable', error),
  });
}

/** Free bytes on the disk below which a change and its WAL might not fit. */
const MIN_FREE_BYTES = 8 * 1024 * 1024;

type Checked = Pick<Database, 'name' | 'reads' | 'write' | 'health' | 'verify' | 'admit'>;

/** Readiness checks; see `Database.checks`. */
function databaseChecks(database: Checked, wholeFile: WholeFile, { maxLogBytes = Infinity }: OpenOptions) {
  const { name, reads, health } = database;
  let attempt: Promise<void> | null = null;
  return {
    files: () => Promise.resolve(database.verify() === null ? null : 'gone'),
    log: () => Promise.resolve(fileBytes(walPath(name)) < maxLogBytes ? null : 'too_long'),
    database: async () => {
      await sql`select 1`.execute(reads);
      if (health.mayRetry) {
        attempt ??= tryToWrite(database).finally(() => (attempt = null));
        await attempt;
      }
      return health.fault;
    },
    whole_file: () => Promise.resolve(wholeFile.state),
    migrations: async () => ((await hasAllMigrations(reads)) ? null : 'not_current'),
    disk: () => Promise.resolve(freeBytesAt(dirname(name)) < MIN_FREE_BYTES ? 'full' : null),
  };
}

/** Makes a small write, which shows whether the fault is over: a server that is not ready may get no requests. */
async function tryToWrite({ write, health, admit }: Checked): Promise<void> {
  try {
    admit('other');
    await write(null, async (db) => {
      // The two updates cancel each other out. Without a change, SQLite would not write a page.
      await sql`update applied_migrations set applied_at = applied_at + 1`.execute(db);
      await sql`update applied_migrations set applied_at = applied_at - 1`.execute(db);
    });
    health.recovered();
  } catch {
    // The fault stays as it was reported.
  }
}

/** 2 seconds in all; housekeeping tries again at its next run. */
const ATTEMPTS = 20;
const PAUSE_MS = 100;

/** Truncates a WAL of more than 16 MiB, as the next changes would: a server that is not ready may get none. */
async function trimLog(file: string, writes: Kysely<Tables>): Promise<void> {
  // A checkpoint or a reader may prevent that for some time.
  for (let attempt = 1; attempt <= ATTEMPTS && fileBytes(walPath(file)) > MAX_WAL_BYTES; attempt += 1) {
    if (attempt > 1) await sleep(PAUSE_MS);
    await sql`pragma wal_checkpoint(truncate)`.execute(writes);
  }
}
