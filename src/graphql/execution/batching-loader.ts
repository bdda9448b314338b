import DataLoader from 'dataloader';

import { yieldToEventLoop } from '../../platform/concurrency/event-loop.js';

export interface Loader<K, V> {
  readonly load: (key: K) => Promise<V>;
}

/** A DataLoader whose batch has the keys of all records that are ready, also of those that are rendered in parts. */
export function batchingLoader<K, V>(
  batch: (keys: readonly K[]) => Promise<readonly V[]>,
  pace: EntriesPerTurn,
  cacheKeyFn?: (key: K) => unknown,
): Loader<K, V> {
  const loader = new DataLoader<K, V, unknown>(keepErrors(batch), {
    ...(cacheKeyFn && { cacheKeyFn }),
    // Waits until all records that are ready have been rendered, so that the batch has their keys too.
    // `dispatch` does not throw.
    batchScheduleFn: (dispatch) => void pace.idle().then(dispatch),
  });
  return {
    load: async (key) => {
      try {
        return await loader.load(key);
      } finally {
        await pace.take(1);
      }
    },
  };
}

/** Caches the error of a batch for its keys, so that another execution does not repeat the read. */
function keepErrors<K, V>(load: (keys: readonly K[]) => Promise<readonly V[]>) {
  return async (keys: readonly K[]): Promise<readonly (V | Error)[]> => {
    try {
      return await load(keys);
    } catch (error) {
      if (error instanceof Error) return keys.map(() => error);
      throw error;
    }
  };
}

/** Records rendered per turn of the event loop: with an error each, graphql-js needs 300 µs per record. */
export const ENTRIES_PER_TURN = 50;

/** Limits the records rendered per turn of the event loop, over all loaders of an operation. */
export class EntriesPerTurn {
  #turn = Promise.resolve();
  #left = ENTRIES_PER_TURN;

  /** Resolves when this number of entries may be rendered. */
  take(entries: number): Promise<void> {
    if (this.#left <= 0) {
      this.#turn = this.#turn.then(yieldToEventLoop);
      this.#left = ENTRIES_PER_TURN;
    }
    this.#left -= entries;
    return this.#turn;
  }

  /** Resolves when all entries are rendered and have started their loads. */
  async idle(): Promise<void> {
    for (let turn; turn !== this.#turn;) {
      turn = this.#turn;
      await turn;
      await new Promise<void>((resolve) => process.nextTick(resolve));
    }
  }
}
