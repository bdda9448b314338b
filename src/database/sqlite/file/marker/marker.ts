import {
  closeSync,
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

import { namingPath } from '../../../../platform/storage/file-errors.js';
import { syncPath } from '../../../../platform/storage/sync-path.js';
import { canonicalPath } from '../paths.js';

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
  /** Process id of a server that has not closed the database; 0 if there is none. */
  readonly serverPid: number;
}

const MAGIC = 0x54474d31;
const RECORD_BYTES = 64;
/**
 * Offsets of the records. Each has its own sector of the disk, so that a power cut damages at most the one
 * being written.
 */
const OFFSETS = { server: 0, command: 512, synced: 1_024 } as const;
/** Offset of the record of `clean-stop.ts`. */
export const CLEAN_STOP_OFFSET = 1_536;
const FILE_BYTES = 4_096;
const CHECKSUM_OFFSET = 60;

/** Writer of a record: the server, a command beside it, or either of them at a checkpoint, with a sync. */
export type Slot = keyof typeof OFFSETS;

/** Path of the file that records up to which entry the ledger of a database was acknowledged. */
export function markerPath(file: string): string {
  return `${canonicalPath(file)}.marker`;
}

/** The marks beside a database; null if there is no file, or no intact record in it. */
export function readMarks(file: string): Marks | null {
  const bytes = contentOf(markerPath(file));
  const records = (Object.keys(OFFSETS) as Slot[]).map((slot) => decode(bytes, OFFSETS[slot]));
  const marks = records.filter((record) => record !== null).sort((a, b) => b.head - a.head);
  const [latest] = marks;
  if (latest === undefined) return null;
  const { identity, head, at } = latest;
  return { latest: { identity, head, at }, serverPid: records[0]?.pid ?? 0 };
}

/** Writes a new marker in place of an old one, and syncs it. */
export function replaceMarker(file: string, mark: Mark): void {
  const path = markerPath(file);
  const unfinished = `${path}.unfinished`;
  const bytes = Buffer.alloc(FILE_BYTES);
  encode(mark, 0).copy(bytes, OFFSETS.synced);
  rmSync(unfinished, { force: true });
  writeFileSync(unfinished, bytes, { flag: 'wx', mode: 0o600, flush: true });
  renameSync(unfinished, path);
  syncPath(dirname(path));
}

export function removeMarker(file: string): void {
  rmSync(markerPath(file), { force: true });
}

/** The open marker of a database. */
export class Marker {
  #descriptor: number;
  readonly #record = Buffer.alloc(RECORD_BYTES);
  #last: Mark | null = null;

  constructor(
    private readonly file: string,
    private readonly slot: Exclude<Slot, 'synced'>,
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
    this.#last = null;
    this.write(mark);
  }

  /** Overwrites one record without waiting for the disk. */
  write(mark: Mark): void {
    if (mark.head === this.#last?.head && mark.at === this.#last.at) return;
    encode(mark, this.slot === 'server' ? process.pid : 0, this.#record);
    writeSync(this.#descriptor, this.#record, 0, RECORD_BYTES, OFFSETS[this.slot]);
    this.#last = mark;
  }

  /** Writes the last mark to the disk as well: it is then certain to survive a power cut. */
  sync(): void {
    if (this.#last === null) return;
    encode(this.#last, 0, this.#record);
    writeSync(this.#descriptor, this.#record, 0, RECORD_BYTES, OFFSETS.synced);
    fdatasyncSync(this.#descriptor);
  }

  /** To be called after the database was closed: records that no server has it open. */
  close(): void {
    try {
      if (this.#last !== null) {
        encode(this.#last, 0, this.#record);
        writeSync(this.#descriptor, this.#record, 0, RECORD_BYTES, OFFSETS[this.slot]);
      }
    } finally {
      closeSync(this.#descriptor);
    }
  }
}

function encode({ identity, head, at }: Mark, pid: number, record = Buffer.alloc(RECORD_BYTES)): Buffer {
  record.writeUInt32LE(MAGIC, 0);
  record.writeUInt32LE(identity, 4);
  record.writeDoubleLE(head, 8);
  record.writeDoubleLE(at, 16);
  record.writeUInt32LE(pid, 24);
  record.writeUInt32LE(crc32(record.subarray(0, CHECKSUM_OFFSET)), CHECKSUM_OFFSET);
  return record;
}

function decode(bytes: Buffer, offset: number): (Mark & { readonly pid: number }) | null {
  const record = bytes.subarray(offset, offset + RECORD_BYTES);
  if (record.length < RECORD_BYTES || record.readUInt32LE(0) !== MAGIC) return null;
  if (record.readUInt32LE(CHECKSUM_OFFSET) !== crc32(record.subarray(0, CHECKSUM_OFFSET))) return null;
  return {
    identity: record.readUInt32LE(4),
    head: record.readDoubleLE(8),
    at: record.readDoubleLE(16),
    pid: record.readUInt32LE(24),
  };
}

function contentOf(path: string): Buffer {
  try {
    return namingPath(path, () => readFileSync(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}
