import type { ReadWork } from '../../database/work.js';

/** Opens a unit of work, passes it to `use`, and ends it when `use` resolves. */
export type OpenUnit = (use: (work: ReadWork) => Promise<void>) => Promise<void>;

/**
 * A unit of work that several reads share, so that all of them see one state of the database. It is opened by
 * the constructor and ends after `end` was called and the reads that were running have settled.
 */
export class SharedUnit {
  readonly #work: Promise<ReadWork>;
  readonly #ended = Promise.withResolvers<undefined>();
  #running = 0;
  #isEnding = false;

  constructor(open: OpenUnit) {
    this.#work = new Promise((resolve, reject) => {
      open(async (work) => {
        resolve(work);
        await this.#ended.promise;
      }).catch(reject);
    });
  }

  /** Errors: `busy` if the unit cannot be opened, and the errors of `read`. */
  async use<T>(read: (work: ReadWork) => Promise<T>): Promise<T> {
    this.#running += 1;
    try {
      return await read(await this.#work);
    } finally {
      this.#running -= 1;
      this.#endIfIdle();
    }
  }

  /** Resolves when the reads that were running have settled. */
  async end(): Promise<void> {
    this.#isEnding = true;
    this.#endIfIdle();
    await this.#ended.promise;
  }

  #endIfIdle(): void {
    if (this.#isEnding && this.#running === 0) this.#ended.resolve(undefined);
  }
}
