import { systemClock } from '../../platform/clock.js';
import type { ReaderThreads } from './examining/reader-threads.js';
import type { Snapshots } from './snapshots.js';

/** How often reads that examine many rows wait for a restart: they may have to wait for one that lasts 5 s. */
const INTERVAL_MS = 10_000;
/** How long they wait at most once no such read is open any more. */
const MAX_PAUSE_MS = 1_000;

/** Restarts the log at a moment at which nothing reads: SQLite appends to it as long as a transaction reads from it. */
export class LogRestart {
  #lastPauseAt = -Infinity;

  constructor(
    private readonly snapshots: Snapshots,
    private readonly threads: ReaderThreads,
    /** False if a transaction of the writer is open. */
    private readonly restart: () => boolean,
  ) {}

  /** Called after each commit while the log is long. */
  request(): void {
    if (this.threads.state.running === 0) this.#tryNow();
    else void this.#pauseThreads();
  }

  async #pauseThreads(): Promise<void> {
    const now = systemClock.elapsed();
    if (now - this.#lastPauseAt < INTERVAL_MS) return;
    this.#lastPauseAt = now;
    await this.threads.pause();
    setTimeout(() => this.threads.resume(), MAX_PAUSE_MS).unref();
    this.#tryNow();
  }

  #tryNow(): void {
    this.snapshots.restartLog(() => {
      const isDone = this.restart();
      if (isDone) this.threads.resume();
      return isDone;
    });
  }
}
