import { DomainError, type DomainCode } from '../platform/errors.js';

/** Codes that say something about the storage; the others are a single request's. */
const FAULTS: readonly DomainCode[] = [
  'storage_full',
  'storage_read_only',
  'storage_unavailable',
  'db_corrupt',
];

/** How the storage is doing, as its latest answers tell. */
export class DatabaseHealth {
  #fault: DomainCode | null = null;
  /** Only a new start, on a good file, heals a damaged one or an unkept promise. */
  #lasting = false;

  /** The code of the storage's latest fault, until a write succeeds again; null where there is none. */
  get fault(): DomainCode | null {
    return this.#fault;
  }

  report(code: DomainCode): void {
    if (this.#lasting || !FAULTS.includes(code)) return;
    this.#fault = code;
    this.#lasting = code === 'db_corrupt';
  }

  /** The storage no longer promises to keep what is written. */
  reportFatal(): void {
    if (!this.#lasting) this.#fault = 'storage_unavailable';
    this.#lasting = true;
  }

  /** A write was kept. */
  recovered(): void {
    if (!this.#lasting) this.#fault = null;
  }

  /** Errors: `db_corrupt`, `storage_unavailable`, where writing could only make things worse. */
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
