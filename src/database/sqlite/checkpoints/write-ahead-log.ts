import type { CommitGuard } from '../file/marker/guard.js';
import type { Statements } from '../connections/statements.js';
import type { Watcher } from '../connections/watcher.js';
import type { Checkpoints } from './checkpoints.js';

/** In pages of 4 KiB. */
interface LogLimits {
  /** Pages of the log that are not yet in the database file, from which on they are copied there. */
  readonly checkpoint: number;
  /** Pages of the log from which on it is to be restarted. */
  readonly long: number;
}
/** The log is restarted from 16 MiB on. */
const USUAL_LIMITS: LogLimits = { checkpoint: 1_000, long: 4_000 };
/** At most 1 MiB of the log is not in the file when the disk becomes full: most of the 4 MiB that are kept for deletions is left. */
const LOW_DISK_LIMITS: LogLimits = { checkpoint: 64, long: 256 };
/** The length of the log is looked up after commits that changed about so many pages: that takes as long as a small one. */
const PAGES_PER_LOOK = 64;
const PAGE_BYTES = 4096;
/** Fewer than these are copied in the event loop. */
const FEW_PAGES = 100;

/** What the connection has, once it is open. */
export interface LogSurroundings {
  readonly watcher: Watcher;
  readonly guard: CommitGuard | null;
  /** Makes checkpoints outside of the event loop. Without it, they are made after commits. */
  readonly checkpoints: Pick<Checkpoints, 'request'> | null;
}

/** The log, as the connection that writes sees it: keeps it short. */
export class WriteAheadLog {
  readonly #statements: Statements;
  readonly #surroundings: LogSurroundings;
  /** Pages that were changed, about so many, since the length of the log was looked up. */
  #changedPages = 0;
  #pagesPerLook = PAGES_PER_LOOK;
  /** Whether the last checkpoint has left little to write to the disk. */
  #isSynced = false;

  constructor(statements: Statements, surroundings: LogSurroundings) {
    this.#statements = statements;
    this.#surroundings = surroundings;
  }

  /** Counts what a statement has changed: so many rows, with these values. */
  countPages(rows: number, values: readonly unknown[]): void {
    let bytes = 0;
    for (const value of values)
      if (typeof value === 'string' || value instanceof Uint8Array) bytes += value.length;
    this.#changedPages += 1 + rows + bytes / PAGE_BYTES;
  }

  /** After a commit: checkpoints the log if it has grown. SQLite's automatic checkpoints would hide a failed fsync. */
  committed(): void {
    if (this.#changedPages < this.#pagesPerLook) return;
    this.#changedPages = 0;
    // The rows of one commit may change many more pages than are counted.
    this.#pagesPerLook = this.#isDiskLow ? 1 : PAGES_PER_LOOK;
    const { guard, checkpoints } = this.#surroundings;
    const { log, left } = this.#state();
    if (left >= this.#limits.checkpoint) {
      // A thread may come too late: copying the log needs room in the file, which a full disk has only in the reserve.
      if (checkpoints !== null && !this.#isDiskLow) checkpoints.request();
      else {
        this.#statements.get('pragma wal_checkpoint(passive)').get();
        this.#isSynced = this.#state().left === 0;
        guard?.checkpointed();
      }
    }
    this.#reportLength(log);
  }

  /** After a checkpoint outside of the event loop; `mayLook` is false while the connection cannot look at the log. */
  checkpointed(isWhole: boolean, mayLook: () => boolean): void {
    this.#isSynced = isWhole;
    this.#surroundings.guard?.checkpointed();
    if (!mayLook()) return;
    const { log, left } = this.#state();
    // Unless a reader keeps pages in the log, these were written meanwhile.
    if (isWhole && left >= this.#limits.checkpoint) this.#surroundings.checkpoints?.request();
    this.#reportLength(log);
  }

  /** Copies the log into the file, so that the next write starts the log anew. False while much is to be copied before. */
  restart(): boolean {
    const { checkpoints } = this.#surroundings;
    if (checkpoints !== null && !(this.#isSynced && this.#state().left < FEW_PAGES)) {
      checkpoints.request();
      return false;
    }
    this.#statements.get('pragma wal_checkpoint(restart)').get();
    return true;
  }

  #reportLength(log: number): void {
    const { long } = this.#limits;
    if (log >= long) this.#surroundings.watcher.onLongLog?.(log >= 2 * long);
  }

  get #limits(): LogLimits {
    return this.#isDiskLow ? LOW_DISK_LIMITS : USUAL_LIMITS;
  }

  get #isDiskLow(): boolean {
    return this.#surroundings.watcher.isDiskLow?.() === true;
  }

  /** Pages of the log, and those of them that are not in the file yet. */
  #state(): { readonly log: number; readonly left: number } {
    const { log, checkpointed } = this.#statements.get('pragma wal_checkpoint(noop)').get() as {
      log: number;
      checkpointed: number;
    };
    return { log, left: log - checkpointed };
  }
}
