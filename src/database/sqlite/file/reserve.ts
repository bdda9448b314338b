import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

import { systemClock } from '../../../platform/clock.js';
import { canonicalPath, fileBytes } from './open-file.js';

const RESERVE_BYTES = 4 * 1024 * 1024;
/** Free bytes, besides the reserve, that changes other than deletions need. */
const MARGIN_BYTES = 2 * 1024 * 1024;
/**
 * Free bytes below which the log is kept short: otherwise it has 16 MiB and more, and its pages need as much
 * in the file.
 */
const LOW_BYTES = 32 * 1024 * 1024;
/** Milliseconds for which the free bytes of a disk with more room than that are not read again. */
const LOOK_MS = 50;

/**
 * Disk space reserved for deletions: a file that is removed when the disk is full. Until the disk has room
 * for it again, this process stores only deletions (decisions.md#full-disk).
 */
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

  /** Whether changes other than deletions may be stored. */
  admits(): boolean {
    if (this.#isGivenUp) this.keep();
    return !this.#isGivenUp && this.#freeBytes() >= MARGIN_BYTES;
  }

  /** To be called before a deletion is stored. `isFull`: the latest change found the disk full. */
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

/** Infinity if the folder is gone, which the guard of the file reports. */
function freeBytesAt(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Infinity;
  }
}
