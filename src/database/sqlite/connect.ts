import Sqlite from 'better-sqlite3';
import { Kysely } from 'kysely';

import { DomainError } from '../../platform/errors.js';
import { inMemory } from '../../platform/limits/network-counter.js';
import type { Tables } from '../../schema/schema.js';
import type { Database, OpenOptions } from '../database.js';
import { DatabaseHealth } from '../health.js';
import { StatementListeners } from '../statements.js';
import { Checkpoints } from './checkpoints/checkpoints.js';
import { LogRestart } from './checkpoints/log-restart.js';
import { SqliteConnection } from './connections/connection.js';
import { SqliteConnectionDialect } from './connections/dialect.js';
import type { Watcher } from './connections/watcher.js';
import { ReaderThreads } from './examining/reader-threads.js';
import { FileCheck } from './file/file-check.js';
import { FileGuard } from './file/marker/guard.js';
import { Marker, readMarks, type Slot } from './file/marker/marker.js';
import { closeWhole, openFile } from './file/open-file.js';
import { lastBackupOf, markOpen } from './file/paths.js';
import { Reserve } from './file/reserve.js';
import { FileSizes } from './sizes/file-sizes.js';
import { Snapshots } from './snapshots.js';
import { databaseBytes, databaseChecks, trimLog } from './upkeep.js';
import { WriteGroups, createWriters } from './writes/groups.js';
import { Transactions } from './writes/transactions.js';

export interface ConnectOptions extends OpenOptions {
  /** Slot of the marker that records acknowledged changes. Without it, they are not recorded. */
  readonly slot?: Exclude<Slot, 'synced'>;
  /** Reserve of a command; a server creates its own. */
  readonly reserve?: Reserve | null;
  /** False if the whole file must still be checked for damage. */
  readonly isChecked?: boolean;
}

/** Opens a file that has the current schema. */
export function connect(file: string, options: ConnectOptions = {}): Database {
  const statements = new StatementListeners();
  const health = new DatabaseHealth();
  const watcher: Watcher = {
    ...reportingTo(health, options),
    ...{ onStatement: (sql) => statements.notify(sql), isDiskLow: () => reserve?.isDiskLow() === true },
    onLongLog: (isUrgent) => endReads(isUrgent, { readers, fileCheck, reserve }),
  };
  const writer = new SqliteConnection(openFile(file, { readonly: false }), watcher);
  const groups = groupsOf(writer, health);
  const unmark = markOpen(file);
  writer.guard = guardOf(writer, file, health, options);
  const reserve = options.slot === 'server' ? new Reserve(file) : (options.reserve ?? null);
  const checkpoints = options.slot === 'server' ? checkpointsOf(writer, file) : null;
  const readers = openReaders(file, writer, options);
  const fileCheck = options.isChecked === false ? fileCheckOf(file, watcher, options) : null;
  const transactions = new Transactions(groups);
  const verify = (): string | null => writer.guard?.verify() ?? null;
  const writing = writingTo(transactions);
  const state = { health, verify, admit: admitting(reserve, health, writer) };
  return {
    ...{ name: file, system: 'sqlite', ...state },
    ...{ ...readers.handles, ...SINGLE_NODE },
    ...writing,
    watchStatements: (listener) => statements.add(listener),
    ...upkeepOf(file, { ...state, ...writing, reads: readers.handles.reads, fileCheck, reserve }, options),
    begin: () => fileCheck?.begin(),
    close: async () => {
      // Writes are refused from now on.
      const finished = groups.finish();
      await fileCheck?.close();
      await finished;
      await readers.close();
      await checkpoints?.close();
      closeWriter(writer, health);
      unmark();
    },
  };
}

function writingTo(
  transactions: Transactions,
): Pick<Database, 'writes' | 'write' | 'aboveCompanies' | 'lockCompanies'> {
  return {
    writes: transactions.single,
    write: (_scope, use) => transactions.run(use),
    aboveCompanies: (_db, use) => use(),
    // SQLite has one writer at a time anyway.
    lockCompanies: () => Promise.resolve(),
  };
}

function groupsOf(connection: SqliteConnection, health: DatabaseHealth): WriteGroups {
  // Keeps the data that undoes a savepoint in memory: SQLite would write it to a temporary file, which takes
  // longer than the changes themselves.
  connection.database.pragma('temp_store = memory');
  return new WriteGroups({
    ...{ connection, writers: createWriters() },
    isCautious: () => health.fault !== null,
  });
}

function upkeepOf(
  file: string,
  parts: Pick<Database, 'reads' | 'writes' | 'write' | 'health' | 'verify' | 'admit'> & {
    readonly fileCheck: FileCheck | null;
    readonly reserve: Reserve | null;
  },
  { maxLogBytes = Infinity }: ConnectOptions,
): Pick<Database, 'checks' | 'bytes' | 'maintain' | 'spoolPath' | 'lastBackupPath'> {
  return {
    checks: databaseChecks({ file, ...parts }, { maxLogBytes }),
    bytes: () => databaseBytes(file),
    maintain: async () => {
      parts.reserve?.keep();
      await trimLog(file, parts.writes);
    },
    spoolPath: `${file}.upload-`,
    lastBackupPath: lastBackupOf(file),
  };
}

/**
 * Parts of `Database` that are for several nodes: only one node uses a file, and there are no connections.
 */
const SINGLE_NODE: Pick<
  Database,
  'isShared' | 'announce' | 'onAnnounced' | 'alone' | 'connections' | 'windows' | 'windowFailures'
> = {
  isShared: false,
  announce: () => undefined,
  onAnnounced: () => undefined,
  alone: async (_task, use) => {
    await use();
    return true;
  },
  connections: () => ({}),
  windows: inMemory,
  windowFailures: () => 0,
};

interface Readers {
  readonly readers: ReturnType<typeof openReaders>;
  readonly fileCheck: FileCheck | null;
  readonly reserve: Reserve | null;
}

/** Lets reads end soon that keep the write-ahead log from being copied into the file. */
function endReads(isUrgent: boolean, { readers, fileCheck, reserve }: Readers): void {
  if (reserve?.isDiskLow() === true) fileCheck?.putOff();
  else fileCheck?.hurry();
  readers.restartLog(isUrgent);
}

function fileCheckOf(file: string, watcher: Watcher, { onProgress }: ConnectOptions): FileCheck {
  return new FileCheck({
    file,
    onProgress: (message) => onProgress?.(message),
    onDamage: (detail) => watcher.onFault('db_corrupt', new Sqlite.SqliteError(detail, 'SQLITE_CORRUPT')),
  });
}

function checkpointsOf(writer: SqliteConnection, file: string): Checkpoints {
  const checkpoints = new Checkpoints({
    file,
    verify: () => writer.guard?.verify() ?? null,
    onDone: (isWhole) => writer.checkpointed(isWhole),
    onError: (error) => writer.checkpointFailed(error),
  });
  writer.checkpoints = checkpoints;
  return checkpoints;
}

function openReaders(file: string, writer: SqliteConnection, options: ConnectOptions) {
  const { watcher } = writer;
  const openReader = (): SqliteConnection =>
    new SqliteConnection(openFile(file, { readonly: true }), watcher);
  const reader = openReader();
  const snapshots = new Snapshots(reader, openReader);
  const threads = new ReaderThreads({
    ...{ file, watcher, limits: options.examining },
    verify: () => writer.guard?.verify() ?? null,
    onThreadLost: (error) => options.onThreadLost?.(error),
  });
  const logRestart = new LogRestart(snapshots, threads, () => writer.restartLog());
  const sizes = new FileSizes(file);
  const handles: Pick<Database, 'reads' | 'snapshot' | 'examine' | 'examining' | 'sizes'> = {
    reads: new Kysely<Tables>({ dialect: new SqliteConnectionDialect(reader, null) }),
    snapshot: (scope, use) => snapshots.use(scope === null, use),
    examine: (companyId, use) => threads.use(companyId, use),
    examining: () => threads.state,
    sizes: () => sizes.measure(),
  };
  return {
    handles,
    restartLog: (isUrgent: boolean) => logRestart.request(isUrgent),
    close: async () => {
      await Promise.all([threads.close(), sizes.close()]);
      snapshots.close();
      reader.database.close();
    },
  };
}

/** Null without a marker: the database is older than markers, and no server has opened it since. */
function guardOf(
  { database }: SqliteConnection,
  file: string,
  health: DatabaseHealth,
  options: ConnectOptions,
): FileGuard | null {
  if (options.slot === undefined || readMarks(file) === null) return null;
  return new FileGuard(database, {
    marker: new Marker(file, options.slot),
    onLost: (problem) => {
      health.reportFatal();
      options.onLost?.(problem);
    },
    onMarkerFault: (error) => options.onFault?.('storage_unavailable', error),
  });
}

function closeWriter({ database, guard }: SqliteConnection, health: DatabaseHealth): void {
  const isInPlace = (guard?.verify() ?? null) === null;
  const isWhole = isInPlace && closeWhole(database);
  database.close();
  guard?.close(isWhole && !health.isLasting);
}

function admitting(
  reserve: Reserve | null,
  health: DatabaseHealth,
  writer: SqliteConnection,
): Database['admit'] {
  return (change) => {
    if (reserve === null) return;
    if (change === 'deletion') reserve.useIfFull(health.fault === 'storage_full');
    else if (!reserve.admits() || !reserve.hasRoomFor(writer.bytesWithoutRoom)) {
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
