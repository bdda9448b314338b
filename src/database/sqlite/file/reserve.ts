import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

import { canonicalPath, fileBytes } from './paths.js';

const RESERVE_BYTES = 4 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;
/** The reserve is made again only if this much stays free beside it. */
const MARGIN_BYTES = 2 * 1024 * 1024;
/** A log that is not kept short has 16 MiB and more, and its pages need as much in the file. */
const LOW_BYTES = 32 * 1024 * 1024;

/**
 * Room on the disk that is kept for deletions: a file that is removed when the disk is full. Until the disk has room
 * to make it again, nothing but deletions may use what it gave (decisions.md#full-disk).
 */
export class Reserve {
  readonly #path: string;
  #isInUse = false;

  constructor(file: string) {
    this.#path = `${canonicalPath(file)}.reserve`;
    this.#ensure();
  }

  /** That of a command which only deletes: on a full disk it is used from now on, also if another process has. */
  static taken(file: string): Reserve {
    const reserve = new Reserve(file);
    if (reserve.#freeBytes() < MARGIN_BYTES) {
      reserve.#isInUse = true;
      rmSync(reserve.#path, { force: true });
    }
    return reserve;
  }

  /** Makes the reserve if there is none, and room for it: a command may have used it. */
  keep(): void {
    if (!this.#isInUse || this.admits()) this.#ensure();
  }

  /** Before a deletion is stored. `isFull` says that the latest change found the disk full. */
  useIfFull(isFull: boolean): void {
    if (!isFull && this.#freeBytes() >= MARGIN_BYTES) return;
    if (fileBytes(this.#path) > 0) this.#isInUse = true;
    rmSync(this.#path, { force: true });
  }

  /** Whether changes other than deletions may be stored. */
  admits(): boolean {
    if (this.#isInUse && this.#freeBytes() >= RESERVE_BYTES + MARGIN_BYTES) {
      this.#restore();
      this.#isInUse = false;
    }
    return !this.#isInUse;
  }

  /** Whether the disk has less room than the log and the file may take until the next checkpoint. */
  isDiskLow(): boolean {
    return !this.admits() || this.#freeBytes() < LOW_BYTES;
  }

  #ensure(): void {
    if (fileBytes(this.#path) !== RESERVE_BYTES) this.#restore();
  }

  #freeBytes(): number {
    const { bavail, bsize } = statfsSync(dirname(this.#path));
    return bavail * bsize;
  }

  /** Written, since a file system gives no room to a file that has only a length. */
  #restore(): void {
    if (this.#freeBytes() < RESERVE_BYTES + MARGIN_BYTES) return;
    try {
      const descriptor = openSync(this.#path, 'w', 0o600);
      try {
        const chunk = Buffer.alloc(CHUNK_BYTES, 1);
        for (let at = 0; at < RESERVE_BYTES; at += CHUNK_BYTES)
          writeSync(descriptor, chunk, 0, CHUNK_BYTES, at);
      } finally {
        closeSync(descriptor);
      }
    } catch {
      rmSync(this.#path, { force: true });
    }
  }
}
