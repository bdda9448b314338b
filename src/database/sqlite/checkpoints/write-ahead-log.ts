import type { Statements } from '../connections/statements.js';
import type { Watcher } from '../connections/watcher.js';
import type { CommitGuard } from '../file/marker/guard.js';
import type { Checkpoints } from './checkpoints.js';

/** Limits in pages of 4 KiB. */
interface LogLimits {
  /**
   * Pages of the log that are not yet in the database file: from this number on, a checkpoint copies them.
   */
  readonly checkpoint: number;
  /** Pages of the log from which on it should be restarted. */
  readonly long: number;
}
/** A log of 16 MiB is restarted. */
const USUAL_LIMITS: LogLimits = { checkpoint: 1_000, long: 4_000 };
/**
 * Limits on a disk with little room. When it becomes full, at most 1 MiB of the log is not in the file, so
 * that most of the 4 MiB reserved for deletions is left.
 */
const LOW_DISK_LIMITS: LogLimits = { checkpoint: 64, long: 256 };
/**
 * Approximate number of changed pages after which the length of the log is read, which takes as long as a
 * small commit.
 */
const PAGES_PER_LOOK = 64;
const PAGE_BYTES = 4096;
/** Maximum pages that are copied in the event loop. */
const FEW_PAGES = 100;

/** Parts of the connection that the log needs, set once the connection is open. */
export interface LogSurroundings {
  readonly watcher: Watcher;
  readonly guard: CommitGuard | null;
  /** Makes checkpoints outside of the event loop. Without it, they are made after commits. */
  readonly checkpoints: Pick<Checkpoints, 'request'> | null;
}

/** The log of the connection that writes; keeps it short. */
export class WriteAheadLog {
  readonly #statements: Statements;
  readonly #surroundings: LogSurroundings;
  /** Approximate number of pages that were changed since the length of the log was read. */
  #changedPages = 0;
  #pagesPerLook = PAGES_PER_LOOK;
  /** Whether the last checkpoint has left little to write to the disk. */
  #isSynced = false;

  #bytesWithoutRoom = 0;

  constructor(statements: Statements, surroundings: LogSurroundings) {
    this.#statements = statements;
    this.#surroundings = surroundings;
  }

  /**
   * Adds the approximate number of pages that a statement has changed, given its number of rows and its
   * values.
   */
  countPages(rows: number, values: readonly unknown[]): void {
    let bytes = 0;
    for (const value of values)
      if (typeof value === 'string' || value instanceof Uint8Array) bytes += value.length;
    this.#changedPages += 1 + rows + bytes / PAGE_BYTES;
  }

  /**
   * Bytes of the log that the last checkpoint could not copy, since the disk was full; 0 if it could. Further commits would
   * still succeed in the room that the log has already, and would have to be copied too.
   */
  get bytesWithoutRoom(): number {
    return this.#bytesWithoutRoom;
  }

  /**
   * To be called after a commit: makes a checkpoint if the log has grown. SQLite's automatic checkpoints
   * would hide a failed fsync.
   */
  committed(): void {
    if (this.#changedPages < this.#pagesPerLook) return;
    this.#changedPages = 0;
    // The rows of one commit may change many more pages than are counted.
    this.#pagesPerLook = this.#isDiskLow ? 1 : PAGES_PER_LOOK;
    const { guard, checkpoints } = this.#surroundings;
    const { log, left } = this.#state();
    if (left >= this.#limits.checkpoint) {
      // A thread may be too late: copying the log needs room in the file, which a full disk has only in the
      // reserve.
      if (checkpoints !== null && !this.#isDiskLow) checkpoints.request();
      else {
        this.#copy(left);
        this.#isSynced = this.#state().left === 0;
        guard?.checkpointed();
      }
    }
    this.#reportLength(log);
  }

  /**
   * To be called after a checkpoint outside of the event loop. `mayLook` returns false while the connection
   * cannot read the length of the log.
   */
  checkpointed(isWhole: boolean, mayLook: () => boolean): void {
    this.#isSynced = isWhole;
    this.#surroundings.guard?.checkpointed();
    if (!mayLook()) return;
    const { log, left } = this.#state();
    // Pages that were written during the checkpoint.
    if (isWhole && left >= this.#limits.checkpoint) this.#surroundings.checkpoints?.request();
    this.#reportLength(log);
  }

  /**
   * Copies the log into the file, so that the next write restarts the log. False, after a request for a
   * checkpoint, while much must be copied first.
   */
  restart(): boolean {
    const { checkpoints } = this.#surroundings;
    if (checkpoints !== null && !(this.#isSynced && this.#state().left < FEW_PAGES)) {
      checkpoints.request();
      return false;
    }
    this.#statements.get('pragma wal_checkpoint(restart)').get();
    return true;
  }

  /** Copies `left` pages into the file, or as many as reads allow. Errors: SQLite's, also for a full disk. */
  #copy(left: number): void {
    try {
      this.#statements.get('pragma wal_checkpoint(passive)').get();
      this.#bytesWithoutRoom = 0;
    } catch (error) {
      if ((error as { readonly code?: string }).code === 'SQLITE_FULL')
        this.#bytesWithoutRoom = left * PAGE_BYTES;
      throw error;
    }
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

  /** Number of pages in the log, and of those that are not in the file yet. */
  #state(): { readonly log: number; readonly left: number } {
    const { log, checkpointed } = this.#statements.get('pragma wal_checkpoint(noop)').get() as {
      log: number;
      checkpointed: number;
    };
    return { log, left: log - checkpointed };
  }
}
