import { closeSync, existsSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Absolute path without symbolic links. The file need not exist, but its folder must. */
export function canonicalPath(file: string): string {
  return existsSync(file) ? realpathSync(file) : join(realpathSync(dirname(file)), basename(file));
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

/** Whether two files have the same content; reads 1 MiB at a time, since databases may not fit into memory. */
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

/** Number of `markOpen` calls in effect, by path. */
const openFiles = new Map<string, number>();

/**
 * Records that this process has a file open, until the returned function is called. Meanwhile the file must not be
 * opened without SQLite: closing any descriptor of it would release SQLite's POSIX locks.
 */
export function markOpen(file: string): () => void {
  const path = canonicalPath(file);
  openFiles.set(path, (openFiles.get(path) ?? 0) + 1);
  let isOpen = true;
  return () => {
    if (isOpen) openFiles.set(path, (openFiles.get(path) ?? 1) - 1);
    isOpen = false;
  };
}

export function isOpenInProcess(file: string): boolean {
  return existsSync(file) && (openFiles.get(canonicalPath(file)) ?? 0) > 0;
}
