import type { Clock } from '../clock.js';

export interface SparseTimes {
  /** After which the first run of a while begins, so that what comes together is dealt with together. */
  readonly soonMs: number;
  /** From the begin of a run to that of the next one, at least. */
  readonly intervalMs: number;
}

/** Runs a task in the background when it is asked for, one run at a time and not more often than its times allow. */
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

  /** A run that begins after this call will follow. */
  request(): void {
    if (this.#timer !== undefined) return;
    const { soonMs, intervalMs } = this.#times;
    const waitMs = Math.max(soonMs, this.#last + intervalMs - this.#clock.elapsed());
    this.#timer = setTimeout(() => void this.#run(), waitMs).unref();
  }

  /** Makes the run that was asked for, if there is one, at once; resolves when none is running any more. */
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
