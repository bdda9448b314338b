import type { Clock } from '../clock.js';

export interface SparseTimes {
  /** Delay before the first run after a pause, in milliseconds: requests close together share one run. */
  readonly soonMs: number;
  /** Minimum time between the starts of two runs, in milliseconds. */
  readonly intervalMs: number;
}

/** Runs a task in the background on request: one run at a time, and no more often than `times` allows. */
export class SparseRuns {
  readonly #task: () => Promise<void>;
  readonly #times: SparseTimes;
  readonly #clock: Pick<Clock, 'elapsed'>;
  #timer: NodeJS.Timeout | undefined;
  #last = -Infinity;
  #running = Promise.resolve();

  /** `task` never rejects. */
  constructor(task: () => Promise<void>, times: SparseTimes, clock: Pick<Clock, 'elapsed'>) {
    this.#task = task;
    this.#times = times;
    this.#clock = clock;
  }

  /** Schedules a run that begins after this call, unless one is scheduled already. */
  request(): void {
    if (this.#timer !== undefined) return;
    const { soonMs, intervalMs } = this.#times;
    const waitMs = Math.max(soonMs, this.#last + intervalMs - this.#clock.elapsed());
    this.#timer = setTimeout(() => void this.#run(), waitMs).unref();
  }

  /** Makes a scheduled run at once. Resolves when no run is in progress. */
  async finish(): Promise<void> {
    if (this.#timer === undefined) await this.#running;
    else await this.#run();
  }

  #run(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#last = this.#clock.elapsed();
    this.#running = this.#running.then(this.#task);
    return this.#running;
  }
}
