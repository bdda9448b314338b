import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';

import { namingPath } from '../../../platform/storage/file-errors.js';
import { syncPath } from '../../../platform/storage/sync-path.js';
import { hasLog } from './inspect.js';
import { canonicalPath, fileBytes, isOpenInProcess, rollbackJournalPath, walPath } from './open-file.js';

/**
 * Identity of a database and end of its ledger: every acknowledged change is at or before it
 * (decisions.md#lost-files).
 */
export interface Mark {
  /** Random number of the database, `user_version` in the header of its file. */
  readonly identity: number;
  /** Position of the last ledger entry, among those of all companies; 0 if there is none. */
  readonly head: number;
  /** Time of that entry, in milliseconds since 1970. */
  readonly at: number;
}

/** Content of a marker file. */
export interface Marks {
  readonly latest: Mark;
  /**
   * Process id of a server that has not closed a sound database; 0 if the last server has closed it, and null if
   * there was none.
   */
  readonly serverPid: number | null;
}

interface MarkRecord extends Mark {
  readonly pid?: number;
}

/** Writer of a record: the server, or a command beside it. */
export type Slot = 'server' | 'command';

/**
 * Offsets of the records. Each has its own sector of the disk, so that a power cut damages at most the one
 * being written.
 */
const OFFSETS: Readonly<Record<Slot, number>> = { server: 0, command: 512 };
const RECORD_BYTES = 512;

/** Path of the file that records up to which entry the ledger of a database was acknowledged. */
function markerPath(file: string): string {
  return `${canonicalPath(file)}.marker`;
}

/** The marks beside a database; null if there is no file, or no intact record in it. */
export function readMarks(file: string): Marks | null {
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

/**
 * Whether the last server has closed a sound database, and nothing has opened it since without closing it. False
 * while this process has it open.
 */
export function hasCleanStop(file: string): boolean {
  if (isOpenInProcess(file) || fileBytes(file) === 0) return false;
  if (fileBytes(walPath(file)) > 0 || fileBytes(rollbackJournalPath(file)) > 0) return false;
  return !hasLog(file) && readMarks(file)?.serverPid === 0;
}

/** The open marker of a database. */
export class Marker {
  #descriptor: number;
  #last: MarkRecord | null = null;

  constructor(
    private readonly file: string,
    private readonly slot: Slot,
  ) {
    this.#descriptor = openSync(markerPath(file), 'r+');
  }

  /** Creates the file again if it was removed or replaced. */
  ensure(): void {
    const mark = this.#last;
    const inode = statSync(markerPath(this.file), { throwIfNoEntry: false })?.ino;
    if (mark === null || inode === fstatSync(this.#descriptor).ino) return;
    replaceMarker(this.file, mark);
    closeSync(this.#descriptor);
    this.#descriptor = openSync(markerPath(this.file), 'r+');
    this.#put(mark);
  }

  /** Overwrites one record without waiting for the disk, if the mark has changed. */
  write(mark: MarkRecord): void {
    if (mark.head !== this.#last?.head || mark.at !== this.#last.at) this.#put(mark);
  }

  /** Waits until the last mark is on the disk: it is then certain to survive a power cut. */
  sync(): void {
    fdatasyncSync(this.#descriptor);
  }

  /** To be called after the database was closed: records that no server has it open, unless damage is known. */
  close(isSound: boolean): void {
    try {
      if (isSound && this.#last !== null) this.#put({ ...this.#last, pid: 0 });
    } finally {
      closeSync(this.#descriptor);
    }
  }

  #put(mark: MarkRecord): void {
    const record = encode(this.slot === 'server' ? { pid: process.pid, ...mark } : mark);
    writeSync(this.#descriptor, record, 0, RECORD_BYTES, OFFSETS[this.slot]);
    this.#last = mark;
  }
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
