import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Writes a file, or the entries of a folder, to the disk: what was written before survives a power failure. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
