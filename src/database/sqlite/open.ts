import type Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';

import { codeOf, faultOfSystem } from '../../platform/errors.js';
import { requireCompleteCopy } from '../copy.js';
import { copied, type Database, DatabaseRefused, type OpenOptions, unusable } from '../database.js';
import { MIGRATION_NAMES, MIGRATIONS } from '../migrations.js';
import { connect } from './connect.js';
import { unfinishedCopyIn } from './copy.js';
import { isStorageFault, probeStorage, translate } from './faults.js';
import { inspectFile, recognizeFile, refusalOf } from './file/inspect.js';
import { requireNoServer, lockFile, lockFileSoon, type FileLock } from './file/lock.js';
import { ensureMarker, headOf, lossOf, lost } from './file/loss.js';
import { hasCleanStop, readMarks, removeMarker } from './file/marker.js';
import { migrateFile, SILENT } from './file/migrate.js';
import { canonicalPath, closing, fileBytes, openFile, reading, walPath } from './file/open-file.js';
import { Reserve } from './write-ahead-log.js';

/** Creates or migrates a file, which may be an unfinished copy. Errors: as `openDatabase`. */
export async function prepareFile(file: string): Promise<void> {
  await explained(file, () => bringUpToDate(file, null, {}));
}

/** Opens a SQLite file; creates and migrates it if necessary. Errors: `DatabaseRefused`, `busy`, storage faults. */
export async function openDatabase(file: string, options: OpenOptions = {}): Promise<Database> {
  return await explained(file, () => openOrThrow(file, options));
}

/** Calls `use` for a database of this program, or for a file to be created. */
async function explained<T>(file: string, use: () => Promise<T>): Promise<T> {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    refuseSecondName(file);
    recognizeFile(file);
    return await use();
  } catch (error) {
    throw explain(error, file);
  }
}

async function openOrThrow(file: string, options: OpenOptions): Promise<Database> {
  const { exclusive: isServer = false, usesReserve = false } = options;
  // Opening needs room too, for the index of the log.
  const reserve = usesReserve && existsSync(file) ? new Reserve(file) : null;
  reserve?.giveUpIfFull(false);
  const lock = isServer ? lockFile(file) : null;
  try {
    const isChecked = await bringUpToDate(file, lock, options);
    requireCompleteCopy(file, unfinishedCopyIn(file));
    const isMoved = isServer && requireOriginal(file, options);
    const database = connect(file, {
      ...options,
      reserve: isServer ? new Reserve(file) : reserve,
      slot: isServer ? 'server' : 'command',
      isChecked,
      onClosed: () => {
        reserve?.keep();
        lock?.release();
      },
    });
    if (isMoved)
      await sql`update applied_migrations set place = ${canonicalPath(file)}`.execute(database.writes);
    return database;
  } catch (error) {
    lock?.release();
    throw error;
  }
}

/** True if a server uses the file at a new place. Errors: `DatabaseRefused` for a copy while one uses the original. */
function requireOriginal(file: string, { acceptCopy }: OpenOptions): boolean {
  const placeOf = (database: Sqlite.Database) =>
    database.prepare('select place from applied_migrations order by name').pluck().get() as string | null;
  const place = reading(file, placeOf);
  if (place === canonicalPath(file)) return false;
  if (acceptCopy === true || place === null || !existsSync(place)) return true;
  const marks = readMarks(place);
  const isCopy = marks !== null && marks.latest.identity === headOf(file).identity;
  if (isCopy && isRunning(marks.serverPid ?? 0)) throw copied(file, place);
  return true;
}

function isRunning(pid: number): boolean {
  try {
    // 0 would be the group of this process.
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** Migrates a file if necessary. False if the whole file must still be checked for damage. */
async function bringUpToDate(
  file: string,
  lock: FileLock | null,
  { acceptLoss, onProgress = () => undefined }: OpenOptions,
): Promise<boolean> {
  // SQLite itself would open a file that cannot be written, and fail later.
  if (existsSync(file)) accessSync(file, constants.R_OK | constants.W_OK);
  const checksLater = lock !== null && hasCleanStop(file);
  const inspection = inspectFile(file, MIGRATION_NAMES, { checksLater });
  const isUnused = inspection.state === 'new' || readMarks(file)?.serverPid === null;
  if (lock !== null && !checksLater && !isUnused)
    onProgress('the whole database file was checked before the start: the last server has not closed it');
  const loss = lossOf(file);
  if (loss !== null && acceptLoss === undefined) throw lost(loss);
  if (lock === null && inspection.pending.length === 0) {
    ensureMarker(file);
    return true;
  }
  const held = lock ?? (await lockFileSoon(file));
  try {
    if (loss !== null) removeMarker(file);
    // SQLite gives its log and other files the mode of the database file.
    if (!existsSync(file)) closeSync(openSync(canonicalPath(file), 'a', 0o600));
    if (lock !== null) await takeOver(file);
    // While this process waited for the lock, another one may have migrated the file.
    await migrateFile(file, MIGRATIONS, SILENT, lock === null ? undefined : inspection);
    writeLogBack(file);
    ensureMarker(file);
    if (loss !== null) acceptLoss?.(loss);
    return !checksLater || inspection.pending.length > 0;
  } finally {
    if (lock === null) held.release();
  }
}

/** Prepares a file for a server: no other user may be able to lock it, and no other server have it open. */
async function takeOver(file: string): Promise<void> {
  for (const path of ['', '-wal', '-shm'].map((suffix) => canonicalPath(file) + suffix)) {
    const status = statSync(path, { throwIfNoEntry: false });
    if (status?.uid === process.getuid?.() && ((status?.mode ?? 0) & 0o077) !== 0) chmodSync(path, 0o600);
  }
  if (recognizeFile(file) === 'new') return;
  const marks = readMarks(file);
  ensureMarker(file);
  await requireNoServer(file, marks === null ? null : (marks.serverPid ?? 0));
}

/** Copies the log of a crashed process, if there is one, into the file: a part of it may not have reached the disk. */
function writeLogBack(file: string): void {
  if (fileBytes(walPath(file)) === 0) return;
  closing(openFile(file, { readonly: false }), (database) => database.pragma('wal_checkpoint(truncate)'));
}

/** Refuses a file with several hard links: SQLite looks for the log beside the name that it opens only. */
function refuseSecondName(file: string): void {
  const names = statSync(file, { throwIfNoEntry: false })?.nlink ?? 1;
  if (names === 1 || !statSync(file).isFile()) return;
  throw unusable(
    `${file} has ${names} names (hard links), and its log is beside one of them only. Nothing was changed. Remove the other names; to copy a database, use terminal-gateway db backup.`,
  );
}

/** Names the disk as the cause if it is full or fails, which makes file operations fail too. */
function explain(error: unknown, file: string): unknown {
  if (!(error instanceof Error)) return error;
  const cause = error instanceof DatabaseRefused ? error.cause : error;
  const code = codeOf(cause);
  if (!(cause instanceof Error) || code === null) return error;
  if (error instanceof DatabaseRefused && error.reason === 'damaged' && !isStorageFault(cause)) return error;
  const refusal = refusalOf(cause);
  if (refusal !== cause) return error === cause ? refusal : error;
  const fault = faultOfSystem(code, cause) ?? faultOfSystem(probeStorage(canonicalPath(file)), cause);
  return fault ?? translate(isStorageFault(cause) ? cause : error);
}
