import { systemClock } from '../platform/clock.js';
import { DomainError, type DomainCode } from '../platform/errors.js';

/** Whether a code is of a fault of the storage itself, not of a single request. */
export const isStorageCode = (code: DomainCode): boolean =>
  code.startsWith('storage_') || code === 'db_corrupt';

/**
 * Milliseconds after a fault in which no write is tried: a small one may succeed where larger ones still
 * fail.
 */
const RECENT_MS = 5_000;

/** State of the storage, derived from its latest results. */
export class DatabaseHealth {
  #fault: DomainCode | null = null;
  /** Whether the file is damaged or an fsync failed: the state does not change until the process restarts. */
  #lasting = false;
  #reportedAt = -Infinity;

  /** The code of the latest fault; null before the first one and after a successful write. */
  get fault(): DomainCode | null {
    return this.#fault;
  }

  /** Whether the fault stays until the process restarts. */
  get isLasting(): boolean {
    return this.#lasting;
  }

  /** Whether to try a write: only that can show that the fault is over, and enough time has passed since. */
  get isWorthATry(): boolean {
    const isRecent = systemClock.elapsed() - this.#reportedAt < RECENT_MS;
    return this.#fault !== null && !this.#lasting && !isRecent;
  }

  report(code: DomainCode): void {
    if (this.#lasting || !isStorageCode(code)) return;
    this.#reportedAt = systemClock.elapsed();
    this.#fault = code;
    this.#lasting = code === 'db_corrupt';
  }

  /** Records a failed fsync: written data may be lost. */
  reportFatal(): void {
    if (!this.#lasting) this.#fault = 'storage_unavailable';
    this.#lasting = true;
  }

  /** Records a committed write, which ends a fault that does not last. */
  recovered(): void {
    if (!this.#lasting) this.#fault = null;
  }

  /** Refuses writes after a lasting fault. Errors: `db_corrupt`, `storage_unavailable`. */
  demandWritable(): void {
    if (!this.#lasting || this.#fault === null) return;
    throw this.#fault === 'db_corrupt'
      ? new DomainError('db_corrupt', 'The database file is damaged: nothing is written.', {
          retryAfter: 300,
        })
      : new DomainError('storage_unavailable', 'The storage failed: nothing is written.', {
          retryAfter: 10,
        });
  }
}
