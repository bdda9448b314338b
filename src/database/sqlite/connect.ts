import Sqlite from 'better-sqlite3';
import { sql, type Kysely } from 'kysely';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { DomainError } from '../../platform/errors.js';
import { inMemory } from '../../platform/limits/windows.js';
import type { Tables } from '../../schema/schema.js';
import { type Database, DatabaseHealth, type OpenOptions } from '../database.js';
import { hasAllMigrations } from '../migrations.js';
import { StatementListeners } from '../statements.js';
import { SqliteConnection } from './connection.js';
import type { Watcher } from './faults.js';
import { FileGuard } from './file/guard.js';
import { readMarks, type Slot } from './file/marker.js';
import {
  closeWhole,
  fileBytes,
  lastBackupOf,
  markOpen,
  MAX_WAL_BYTES,
  openFile,
  walPath,
} from './file/open-file.js';
import { Reserve } from './file/reserve.js';
import { WholeFile } from './file/whole-file.js';
import { Readers } from './readers.js';
import { WriteGroups } from './write-groups.js';

export interface ConnectOptions extends OpenOptions {
  /** Slot of the marker that records acknowledged changes. Without it, they are not recorded. */
  readonly slot?: Slot;
  /** Reserve of a command; a server creates its own. */
  readonly reserve?: Reserve | null;
  /** False if the whole file must still be checked for damage. */
  readonly isChecked?: boolean;
}

/**
 * Parts of `Database` that are for several nodes: only one node uses a file, and there are no connections.
 * SQLite has one writer at a time, so nothing else must be locked.
 */
const SINGLE_NODE = {
  isShared: false,
  announce: () => undefined,
  onAnnounced: () => undefined,
  alone: async (_task, use) => {
    await use();
    return true;
  },
  aboveCompanies: (_db, use) => use(),
  lockCompanies: () => Promise.resolve(),
  connections: () => ({}),
  windows: inMemory,
  windowFailures: () => 0,
} satisfies Partial<Database>;

/** Opens a file that has the current schema. */
export function connect(file: string, options: ConnectOptions = {}): Database {
  const parts = openParts(file, options);
  const { groups, guard, health, readers, reserve, statements, verify, wholeFile } = parts;
  const base = {
    ...SINGLE_NODE,
    ...readers.handles,
    name: file,
    system: 'sqlite' as const,
    health,
    verify,
    admit: admitting(reserve, health),
    writes: groups.single,
    write: ((_scope, use) => groups.run(use)) satisfies Database['write'],
  };
  return {
    ...base,
    watchStatements: (listener) => statements.add(listener),
    checks: databaseChecks({ ...base, file, wholeFile }, options),
    bytes: () => ({ file: fileBytes(file), log: fileBytes(walPath(file)) }),
    sizes: () => wholeFile.measure(),
    maintain: async () => {
      reserve?.keep();
      await trimLog(file, groups.single);
    },
    spoolPath: `${file}.upload-`,
    lastBackupPath: lastBackupOf(file),
    begin: () => wholeFile.check(),
    close: async () => {
      await closeParts(parts);
      guard?.close(!health.isLasting);
      parts.unmark();
    },
  };
}

/** Opens all connections to a file. It is marked as open until `unmark` is called. */
function openParts(file: string, options: ConnectOptions) {
  const isServer = options.slot === 'server';
  const statements = new StatementListeners();
  const health = new DatabaseHealth();
  const database = openFile(file, { readonly: false });
  const unmark = markOpen(file);
  const reserve = isServer ? new Reserve(file) : (options.reserve ?? null);
  const guard = guardOf(database, health, options);
  const watcher: Watcher = {
    ...reportingTo(health, options),
    onStatement: (sql) => statements.notify(sql),
    isDiskLow: () => reserve?.isDiskLow() === true,
    onLongLog: () => {
      // While the check reads, the log cannot be copied into the file.
      if (reserve?.isDiskLow() === true) wholeFile.putOffCheck();
      readers.restartLog();
    },
  };
  const writer = new SqliteConnection(database, watcher, { guard, hasCheckpointThread: isServer });
  // Keeps the data that undoes a savepoint in memory: SQLite would write it to a temporary file, which takes
  // longer than the changes themselves.
  database.pragma('temp_store = memory');
  const groups = new WriteGroups({ connection: writer, isCautious: () => health.fault !== null });
  const readers = new Readers({ ...options, file, watcher, restartLog: () => writer.log.restart() });
  const wholeFile = new WholeFile(file, {
    isChecked: options.isChecked,
    onProgress: options.onProgress,
    onDamage: (detail) => watcher.onFault('db_corrupt', new Sqlite.SqliteError(detail, 'SQLITE_CORRUPT')),
  });
  const verify = (): string | null => guard?.verify() ?? null;
  return { groups, guard, health, readers, reserve, statements, unmark, verify, wholeFile, writer };
}

/** Waits for writes, and closes all connections. */
async function closeParts(parts: ReturnType<typeof openParts>): Promise<void> {
  const { groups, readers, verify, wholeFile, writer } = parts;
  // Writes are refused from now on.
  const finished = groups.finish();
  await wholeFile.close();
  await finished;
  await readers.close();
  await writer.log.close();
  if (verify() === null) closeWhole(writer.database);
  else writer.database.close();
}

/** Null if nothing is to be recorded: in tests. */
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

function admitting(reserve: Reserve | null, health: DatabaseHealth): Database['admit'] {
  return (change) => {
    if (reserve === null) return;
    if (change === 'deletion') reserve.giveUpIfFull(health.fault === 'storage_full');
    else if (!reserve.admits()) {
      throw new DomainError(
        'storage_full',
        'The storage is full: nothing was changed. Reading and deleting are still possible.',
        { retryAfter: 60 },
      );
    }
  };
}

function reportingTo(health: DatabaseHealth, options: ConnectOptions): Pick<Watcher, 'onFatal' | 'onFault'> {
  let isFatal = false;
  return {
    onFatal: (error) => {
      health.reportFatal();
      if (!isFatal) options.onFatal?.(error);
      isFatal = true;
    },
    onFault: (code, error) => {
      health.report(code);
      options.onFault?.(code, error);
    },
  };
}

/** Free bytes on the disk below which a change and its WAL might not fit. */
const MIN_FREE_BYTES = 8 * 1024 * 1024;

/** Readiness checks; see `Database.checks`. */
function databaseChecks(
  database: Pick<Database, 'reads' | 'write' | 'health' | 'verify' | 'admit'> & {
    readonly file: string;
    readonly wholeFile: Pick<WholeFile, 'state'>;
  },
  { maxLogBytes = Infinity }: { readonly maxLogBytes?: number },
): Database['checks'] {
  let attempt: Promise<void> | null = null;
  return {
    files: () => Promise.resolve(database.verify() === null ? null : 'gone'),
    log: () => Promise.resolve(fileBytes(walPath(database.file)) < maxLogBytes ? null : 'too_long'),
    database: async () => {
      await sql`select 1`.execute(database.reads);
      if (database.health.isWorthATry) {
        attempt ??= tryToWrite(database).finally(() => (attempt = null));
        await attempt;
      }
      return database.health.fault;
    },
    whole_file: () => Promise.resolve(database.wholeFile.state),
    migrations: async () => ((await hasAllMigrations(database.reads)) ? null : 'not_current'),
    disk: async () => ((await freeBytes(database.file)) < MIN_FREE_BYTES ? 'full' : null),
  };
}

/**
 * Makes a small write, which shows whether the fault is over. A server that is not ready may get no requests,
 * so no change of a client would show it.
 */
async function tryToWrite({
  write,
  health,
  admit,
}: Pick<Database, 'write' | 'health' | 'admit'>): Promise<void> {
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

async function freeBytes(file: string): Promise<number> {
  const { bavail, bsize } = await statfs(dirname(file));
  return bavail * bsize;
}

/** 2 seconds in all; housekeeping tries again at its next run. */
const ATTEMPTS = 20;
const PAUSE_MS = 100;

/**
 * Truncates a WAL of more than 16 MiB. It shrinks with the next changes too, but a server that is not ready may get
 * none.
 */
async function trimLog(file: string, writes: Kysely<Tables>): Promise<void> {
  // A checkpoint or a reader may prevent that for some time.
  for (let attempt = 1; attempt <= ATTEMPTS && fileBytes(walPath(file)) > MAX_WAL_BYTES; attempt += 1) {
    if (attempt > 1) await sleep(PAUSE_MS);
    await sql`pragma wal_checkpoint(truncate)`.execute(writes);
  }
}
