import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';

import { systemClock } from '../../../platform/clock.js';
import { fileBytes, walPath } from './paths.js';

const PROBE_BYTES = 4_096;

/** Milliseconds for which a result is cached, since many requests may fail at once. */
const KEEP_MS = 1_000;
let latest = { file: '', at: -Infinity, code: null as string | null };

/**
 * Code of the operating system for the error of a write beside a database, for example ENOSPC, EROFS or EIO;
 * null if writing a page succeeds. SQLite has one code for several of these.
 */
export function probeStorage(file: string): string | null {
  const now = systemClock.elapsed();
  if (latest.file !== file || now - latest.at > KEEP_MS) latest = { file, at: now, code: probe(file) };
  return latest.code;
}

function probe(file: string): string | null {
  const path = `${file}.probe`;
  try {
    const descriptor = openSync(path, 'w', 0o600);
    try {
      writeSync(descriptor, Buffer.alloc(PROBE_BYTES, 1), 0, PROBE_BYTES, 0);
      // At the offset of SQLite's next write at the end of a file, since the size of files may be limited.
      writeSync(descriptor, Buffer.alloc(PROBE_BYTES), 0, 1, lengthToReach(file));
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
      rmSync(path, { force: true });
    }
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? null;
  }
}

function lengthToReach(file: string): number {
  return Math.max(fileBytes(file), fileBytes(walPath(file))) + PROBE_BYTES;
}
