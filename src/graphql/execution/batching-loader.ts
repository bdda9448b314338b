import DataLoader from 'dataloader';

import type { EntriesPerTurn } from './entries-per-turn.js';

/** Reads the values of many keys at once. */
export type Batch<K, V> = (keys: readonly K[]) => Promise<readonly V[]>;

interface Options<K, C> {
  /** Limits the records rendered per turn of the event loop; shared by all loaders of an operation. */
  readonly pace: EntriesPerTurn;
  readonly cacheKeyFn?: (key: K) => C;
}

/**
 * A DataLoader for records that are rendered in parts: one batch has the keys of all parts, so that the
 * number of SQL statements does not grow with the records, and its values are rendered in parts again.
 */
export class BatchingLoader<K, V, C = K> extends DataLoader<K, V, C> {
  readonly #pace: EntriesPerTurn;

  constructor(batch: Batch<K, V>, { pace, ...options }: Options<K, C>) {
    // Waits until all records that are ready have been rendered, so that the batch has their keys too.
    // `dispatch` does not throw.
    super(keepErrors(batch), { ...options, batchScheduleFn: (dispatch) => void pace.idle().then(dispatch) });
    this.#pace = pace;
  }

  override load(key: K): Promise<V> {
    return afterwards(super.load(key), this.#pace);
  }
}

async function afterwards<V>(loading: Promise<V>, pace: EntriesPerTurn): Promise<V> {
  try {
    return await loading;
  } finally {
    await pace.take(1);
  }
}

/** Caches the error of a batch for its keys, so that another execution does not repeat the read. */
function keepErrors<K, V>(load: Batch<K, V>) {
  return async (keys: readonly K[]): Promise<readonly (V | Error)[]> => {
    try {
      return await load(keys);
    } catch (error) {
      if (error instanceof Error) return keys.map(() => error);
      throw error;
    }
  };
}
