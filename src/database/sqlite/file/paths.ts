import {
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/**
 * Absolute path without symbolic links. The folder must exist; the file, or the target of a link, need not.
 */
export function canonicalPath(file: string): string {
  if (existsSync(file)) return realpathSync(file);
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true) {
    return canonicalPath(resolve(dirname(file), readlinkSync(file)));
  }
  return join(realpathSync(dirname(file)), basename(file));
}

/** Size in bytes; 0 if there is no such file. */
export function fileBytes(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Path of the write-ahead log (WAL) of a database file. */
export function walPath(file: string): string {
  return `${canonicalPath(file)}-wal`;
}

/** Path of the rollback journal, which remains if a process dies while it writes without a WAL. */
export function rollbackJournalPath(file: string): string {
  return `${canonicalPath(file)}-journal`;
}

const CHUNK_BYTES = 1024 * 1024;

/**
 * Whether two files have the same content; reads 1 MiB at a time, since databases may not fit into memory.
 */
export function sameBytes(one: string, other: string): boolean {
  if (fileBytes(one) !== fileBytes(other)) return false;
  const files = [one, other].map((path) => ({
    descriptor: openSync(path, 'r'),
    chunk: Buffer.alloc(CHUNK_BYTES),
  }));
  try {
    for (;;) {
      const chunks = files.map(({ descriptor, chunk }) => chunk.subarray(0, readSync(descriptor, chunk)));
      const [first = Buffer.of(), second = Buffer.of()] = chunks;
      if (!first.equals(second)) return false;
      if (first.length === 0) return true;
    }
  } finally {
    for (const { descriptor } of files) closeSync(descriptor);
  }
}

interface OpenFile {
  /** Number of `markOpen` calls in effect. */
  users: number;
  /** Descriptor that stays open until there are no users. */
  descriptor: number | null;
}

const openFiles = new Map<string, OpenFile>();

/**
 * Records that this process has a file open, until the returned function is called. Meanwhile the file must
 * not be opened without SQLite: closing any descriptor of it would release SQLite's POSIX locks.
 */
export function markOpen(file: string): () => void {
  const path = canonicalPath(file);
  const opened = openFiles.get(path) ?? { users: 0, descriptor: null };
  opened.users += 1;
  openFiles.set(path, opened);
  let isOpen = true;
  return () => {
    if (!isOpen) return;
    isOpen = false;
    opened.users -= 1;
    if (opened.users > 0) return;
    openFiles.delete(path);
    if (opened.descriptor !== null) closeSync(opened.descriptor);
  };
}

/** A descriptor for reading a file that is marked as open. The caller must never close it. */
export function openDescriptor(file: string): number {
  const opened = openFiles.get(canonicalPath(file));
  if (opened === undefined) throw new Error(`${file} is not marked as open`);
  return (opened.descriptor ??= openSync(file, 'r'));
}

export function isOpenInProcess(file: string): boolean {
  return existsSync(file) && openFiles.has(canonicalPath(file));
}

/** Path of the file whose modification time is the time of the last backup. */
export const lastBackupOf = (file: string): string => `${file}.last-backup`;
