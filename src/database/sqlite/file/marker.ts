import type Sqlite from 'better-sqlite3';
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';

import { DomainError } from '../../../platform/errors.js';
import { namingPath, syncPath } from '../../../platform/files.js';
import { hasLog } from './inspect.js';
import {
  canonicalPath,
  fileBytes,
  isOpenInProcess,
  openDescriptor,
  rollbackJournalPath,
  walPath,
} from './open-file.js';

/** Offset in the database file of `user_version`, which holds the random number of the database. */
export const IDENTITY_OFFSET = 60;

/** Identity of a database, and end of its ledger as acknowledged (decisions.md#lost-files). */
export interface Mark {
  /** Random number of the database, `user_version` in the header of its file. */
  readonly identity: number;
  /** Position of the last ledger entry, among those of all companies; 0 if there is none. */
  readonly head: number;
  /** Time of that entry, in milliseconds since 1970. */
  readonly at: number;
}

interface MarkRecord extends Mark {
  /** Process id of a server that has not closed a sound database; 0 once it has. */
  readonly pid?: number;
}

/** Writer of a record: the server, or a command beside it. */
export type Slot = 'server' | 'command';

/** Offsets of the records, each in a sector of its own: a power cut damages at most the one being written. */
const OFFSETS: Readonly<Record<Slot, number>> = { server: 0, command: 512 };
const RECORD_BYTES = 512;

/** Path of the file that records up to which entry the ledger of a database was acknowledged. */
const markerPath = (file: string): string => `${canonicalPath(file)}.marker`;

/** The marks beside a database; null without an intact record. `serverPid` is null if there was no server. */
export function readMarks(file: string): { readonly latest: Mark; readonly serverPid: number | null } | null {
  const path = markerPath(file);
  if (!existsSync(path)) return null;
  const bytes = namingPath(path, () => readFileSync(path));
  const server = decode(bytes, 'server');
  const command = decode(bytes, 'command');
  const [latest] = [server, command].filter((record) => record !== null).sort((a, b) => b.head - a.head);
  if (latest === undefined) return null;
  const { identity, head, at } = latest;
  return { latest: { identity, head, at }, serverPid: server?.pid ?? null };
}

/** Writes a new marker in place of an old one, and syncs it. */
export function replaceMarker(file: string, mark: Mark): void {
  const path = markerPath(file);
  const unfinished = `${path}.unfinished`;
  rmSync(unfinished, { force: true });
  writeFileSync(unfinished, encode(mark), { flag: 'wx', mode: 0o600, flush: true });
  renameSync(unfinished, path);
  syncPath(dirname(path));
}

export function removeMarker(file: string): void {
  rmSync(markerPath(file), { force: true });
}

/** True if the last server, and all commands since, have closed a sound database. False while it is open here. */
export function hasCleanStop(file: string): boolean {
  if (isOpenInProcess(file) || fileBytes(file) === 0) return false;
  if (fileBytes(walPath(file)) > 0 || fileBytes(rollbackJournalPath(file)) > 0) return false;
  return !hasLog(file) && readMarks(file)?.serverPid === 0;
}

/** A checksum, and the values as JSON: `8c736521 {"identity":17,"head":34,"at":1764147162000}`. */
function encode(record: MarkRecord): Buffer {
  const text = JSON.stringify(record);
  return Buffer.from(`${checksumOf(text)} ${text}`.padEnd(RECORD_BYTES - 1).concat('\n'));
}

function decode(bytes: Buffer, slot: Slot): MarkRecord | null {
  const record = bytes.toString('latin1', OFFSETS[slot], OFFSETS[slot] + RECORD_BYTES);
  const [, checksum, text = ''] = /^(\w{8}) (\{.*\}) *\n$/.exec(record) ?? [];
  return checksum === checksumOf(text) ? (JSON.parse(text) as MarkRecord) : null;
}

const checksumOf = (text: string): string => crc32(text).toString(16).padStart(8, '0');

/** Calls of a connection around its commits. */
export type CommitGuard = Pick<FileGuard, 'committing' | 'committed' | 'checkpointed'>;

interface GuardOptions {
  readonly slot: Slot;
  /** Called once, as soon as a file is found to be missing, with the problem. */
  readonly onLost: (problem: string) => void;
  /** Called when the marker could not be written. */
  readonly onMarkerFault: (error: unknown) => void;
}

/**
 * Records acknowledged changes of an open database in its marker. SQLite commits into files that were removed, moved or
 * replaced, so they are compared with the opened ones before each commit is acknowledged.
 */
export class FileGuard {
  readonly #head: Sqlite.Statement;
  readonly #identity: number;
  /** Device and inode of the database, its log and the index of that. */
  readonly #places: readonly { readonly path: string; readonly dev: number; readonly ino: number }[];
  readonly #file: string;
  readonly #descriptor: number;
  /** Descriptor of the marker, and its last record. */
  #marker: number;
  #written: Mark | null = null;
  /** End of the ledger at the latest commit. */
  #mark: Mark;
  #lost: string | null = null;
  #isClosed = false;

  constructor(
    private readonly database: Sqlite.Database,
    private readonly options: GuardOptions,
  ) {
    this.#file = canonicalPath(database.name);
    this.#marker = openSync(markerPath(this.#file), 'r+');
    this.#descriptor = openDescriptor(this.#file);
    this.#identity = Number(database.pragma('user_version', { simple: true }));
    this.#head = database.prepare('select position as head, at from ledger order by position desc limit 1');
    this.#mark = this.#readHead();
    // The statement above has opened the log.
    this.#places = ['', '-wal', '-shm'].map((suffix) => {
      const path = this.#file + suffix;
      const { dev, ino } = statSync(path);
      return { path, dev, ino };
    });
    this.#attempt(() => this.#put(this.#mark));
  }

  /** Called in the transaction, just before its commit. */
  committing(): void {
    this.#mark = this.#readHead();
  }

  /** Called after a commit, before it is acknowledged. Errors: `storage_unavailable` if files are missing. */
  committed(): void {
    this.#lookForFiles();
    if (this.#lost !== null) {
      const message = `The storage of the database is gone: ${this.#lost}.`;
      throw new DomainError('storage_unavailable', message, { retryAfter: 10 });
    }
    const { head, at } = this.#mark;
    if (head !== this.#written?.head || at !== this.#written.at) this.#attempt(() => this.#put(this.#mark));
  }

  /** Called once log and file are on the disk: writes the last mark to the disk, too. */
  checkpointed(): void {
    this.#attempt(() => fdatasyncSync(this.#marker));
  }

  /** Null, or the problem with a file of the database. Creates the marker again if it was removed or replaced. */
  verify(): string | null {
    this.#lookForFiles();
    if (this.#lost === null) this.#attempt(() => this.#ensureMarker());
    return this.#lost;
  }

  /** To be called after the connection was closed. `isSound`: no damage is known. */
  close(isSound: boolean): void {
    // A second close could close descriptors that other files have by then.
    if (this.#isClosed) return;
    this.#isClosed = true;
    const written = this.#written;
    if (isSound && written !== null) this.#attempt(() => this.#put({ ...written, pid: 0 }));
    closeSync(this.#marker);
  }

  #readHead(): Mark {
    const { head, at } = (this.#head.get() ?? { head: 0, at: 0 }) as { head: number; at: number };
    return { identity: this.#identity, head, at };
  }

  /** Overwrites one record without waiting for the disk. */
  #put(mark: MarkRecord): void {
    const { slot } = this.options;
    const record = encode(slot === 'server' ? { pid: process.pid, ...mark } : mark);
    writeSync(this.#marker, record, 0, RECORD_BYTES, OFFSETS[slot]);
    this.#written = mark;
  }

  #ensureMarker(): void {
    const path = markerPath(this.#file);
    const inode = statSync(path, { throwIfNoEntry: false })?.ino;
    if (this.#written === null || inode === fstatSync(this.#marker).ino) return;
    replaceMarker(this.#file, this.#written);
    closeSync(this.#marker);
    this.#marker = openSync(path, 'r+');
    this.#put(this.#written);
  }

  /** Calls `use`, which writes the marker. If that fails, committed changes stay acknowledged. */
  #attempt(use: () => void): void {
    try {
      use();
    } catch (error) {
      this.options.onMarkerFault(error);
    }
  }

  #lookForFiles(): void {
    if (this.#lost !== null) return;
    this.#lost = this.#problemOfFiles();
    if (this.#lost === null) return;
    this.#saveLog();
    this.options.onLost(this.#lost);
  }

  /** Copies the log, which can still be read, into the file if only the log was removed or replaced by an empty one. */
  #saveLog(): void {
    // The problem begins with the path of the file that is gone.
    const isFileGone = this.#lost?.startsWith(`${this.#file} `) === true;
    if (isFileGone || fileBytes(walPath(this.#file)) > 0) return;
    try {
      this.database.pragma('wal_checkpoint(passive)');
    } catch {
      // During a transaction, or on a failed storage: the next start finds what is missing.
    }
  }

  #problemOfFiles(): string | null {
    for (const { path, dev, ino } of this.#places) {
      const status = statSync(path, { throwIfNoEntry: false });
      if (status === undefined) return `${path} was removed or moved away`;
      if (status.ino !== ino || status.dev !== dev) return `${path} was replaced by another file`;
    }
    // Overwriting a file, or cutting it off, does not change its path or inode.
    const isSame =
      readSync(this.#descriptor, NUMBER, 0, 4, IDENTITY_OFFSET) === 4 &&
      NUMBER.readUInt32BE(0) === this.#identity;
    return isSame ? null : `${this.#file} was overwritten or cut off`;
  }
}

const NUMBER = Buffer.alloc(4);
