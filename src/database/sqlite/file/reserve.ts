import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

import { systemClock } from '../../../platform/clock.js';
import { DomainError } from '../../../platform/errors.js';
import { canonicalPath, fileBytes } from './open-file.js';

const RESERVE_BYTES = 4 * 1024 * 1024;
/** Free bytes, besides the reserve, that changes other than deletions need. */
const MARGIN_BYTES = 2 * 1024 * 1024;
/** Free bytes below which the log is kept short. Otherwise it, and its pages in the file, take 16 MiB and more. */
const LOW_BYTES = 32 * 1024 * 1024;
/** Milliseconds for which the free bytes of a disk with more room than that are not read again. */
const LOOK_MS = 50;

/** Disk space for deletions: a file that is removed when the disk is full (decisions.md#full-disk). */
export class Reserve {
  readonly #path: string;
  #isGivenUp = false;
  #free = { bytes: 0, at: -Infinity };

  constructor(file: string) {
    this.#path = `${canonicalPath(file)}.reserve`;
    this.keep();
  }

  /** Restores the reserve if it is missing and there is room. */
  keep(): void {
    if (this.#freeBytes() < RESERVE_BYTES + MARGIN_BYTES) return;
    if (fileBytes(this.#path) !== RESERVE_BYTES) this.#restore();
    this.#isGivenUp = false;
  }

  /** `isFull`: the latest change found the disk full. Errors: `storage_full` for changes other than deletions. */
  admit(change: 'deletion' | 'other', isFull: boolean): void {
    if (change === 'deletion') {
      this.giveUpIfFull(isFull);
      return;
    }
    if (this.#isGivenUp) this.keep();
    if (!this.#isGivenUp && this.#freeBytes() >= MARGIN_BYTES) return;
    const message = 'The storage is full: nothing was changed. Reading and deleting are still possible.';
    throw new DomainError('storage_full', message, { retryAfter: 60 });
  }

  /** Gives up the reserve if the disk has too little room. */
  giveUpIfFull(isFull: boolean): void {
    if (!isFull && this.#freeBytes() >= MARGIN_BYTES) return;
    if (fileBytes(this.#path) > 0) this.#isGivenUp = true;
    rmSync(this.#path, { force: true });
  }

  /** Whether the disk has less room than the log and the file may take until the next checkpoint. */
  isDiskLow(): boolean {
    return this.#isGivenUp || this.#freeBytes() < LOW_BYTES;
  }

  #freeBytes(): number {
    const now = systemClock.elapsed();
    const { bytes, at } = this.#free;
    if (bytes >= LOW_BYTES && now - at < LOOK_MS) return bytes;
    this.#free = { bytes: freeBytesAt(dirname(this.#path)), at: now };
    return this.#free.bytes;
  }

  /** Writes the whole file, since a file system reserves no space for a file that has only a length. */
  #restore(): void {
    try {
      writeFileSync(this.#path, Buffer.alloc(RESERVE_BYTES, 1), { mode: 0o600 });
    } catch {
      rmSync(this.#path, { force: true });
    }
  }
}

/** Free bytes of the disk of a folder; Infinity if the folder is gone, which the guard of the file reports. */
export function freeBytesAt(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Infinity;
  }
}
