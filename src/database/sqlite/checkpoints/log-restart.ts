import { systemClock } from '../../../platform/clock.js';
import type { ReaderThreads } from '../examining/reader-threads.js';
import type { Snapshots } from '../snapshots.js';

/** Minimum time between two pauses of the reads that examine many rows, in milliseconds. */
const INTERVAL_MS = 1_000;
/** Minimum time between two pauses as a multiple of the previous one: such a read may last 5 s. */
const INTERVAL_FACTOR = 2;
/** Maximum milliseconds that new reads wait after the last running one has ended. */
const MAX_PAUSE_MS = 1_000;

/** Restarts the log while nothing reads: SQLite appends to it as long as a transaction reads from it. */
export class LogRestart {
  #nextPauseAt = -Infinity;
  #isUrgent = false;
  /** Timer that ends a pause in which the log could not be restarted. */
  #resuming: NodeJS.Timeout | undefined;

  constructor(
    private readonly snapshots: Snapshots,
    private readonly threads: ReaderThreads,
    /** Restarts the log. Returns false if a transaction of the writer is open. */
    private readonly restart: () => boolean,
  ) {}

  /**
   * Called after each commit while the log is long. `isUrgent`: it is so long that all reads may wait for the
   * restart.
   */
  request(isUrgent: boolean): void {
    this.#isUrgent = isUrgent;
    if (this.threads.state.running === 0) this.#tryNow();
    else void this.#pauseThreads();
  }

  async #pauseThreads(): Promise<void> {
    const begun = systemClock.elapsed();
    if (begun < this.#nextPauseAt) return;
    clearTimeout(this.#resuming);
    this.#nextPauseAt = Infinity;
    await this.threads.pause();
    const ended = systemClock.elapsed();
    this.#nextPauseAt = ended + Math.max(INTERVAL_MS, INTERVAL_FACTOR * (ended - begun));
    this.#resuming = setTimeout(() => this.threads.resume(), MAX_PAUSE_MS).unref();
    this.#tryNow();
  }

  #tryNow(): void {
    this.snapshots.restartLog(() => {
      const isDone = this.restart();
      if (isDone) this.threads.resume();
      return isDone;
    }, this.#isUrgent);
  }
}
