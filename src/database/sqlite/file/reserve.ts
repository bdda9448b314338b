import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

import { canonicalPath, fileBytes } from './paths.js';

const RESERVE_BYTES = 4 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;
/** Bytes that must stay free on the disk, besides the reserve, for it to be restored. */
const MARGIN_BYTES = 2 * 1024 * 1024;
/**
 * Free bytes below which the log is kept short: otherwise it has 16 MiB and more, and its pages need as much
 * in the file.
 */
const LOW_BYTES = 32 * 1024 * 1024;

/**
 * Disk space reserved for deletions: a file that is removed when the disk is full. Until the disk has room
 * for it again, only deletions may use this space (decisions.md#full-disk).
 */
export class Reserve {
  readonly #path: string;
  #isInUse = false;

  constructor(file: string) {
    this.#path = `${canonicalPath(file)}.reserve`;
    this.#ensure();
  }

  /**
   * Reserve of a command that only deletes: on a full disk it is in use from now on, even if another process
   * has removed the file.
   */
  static taken(file: string): Reserve {
    const reserve = new Reserve(file);
    if (reserve.#freeBytes() < MARGIN_BYTES) {
      reserve.#isInUse = true;
      rmSync(reserve.#path, { force: true });
    }
    return reserve;
  }

  /** Restores the reserve if it is missing and there is room: a command may have used it. */
  keep(): void {
    if (!this.#isInUse || this.admits()) this.#ensure();
  }

  /** To be called before a deletion is stored. `isFull`: the latest change found the disk full. */
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

  /** Whether the disk has room for the part of the log that could not be copied into the file. */
  hasRoomFor(bytes: number): boolean {
    return bytes === 0 || this.#freeBytes() >= bytes;
  }

  #ensure(): void {
    if (fileBytes(this.#path) !== RESERVE_BYTES) this.#restore();
  }

  #freeBytes(): number {
    const { bavail, bsize } = statfsSync(dirname(this.#path));
    return bavail * bsize;
  }

  /** Writes the whole file, since a file system reserves no space for a file that has only a length. */
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
