import DataLoader from 'dataloader';

import { yieldToEventLoop } from '../../platform/concurrency/event-loop.js';

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

/** Limits rendering to `perTurn` entries per turn of the event loop. */
export class EntriesPerTurn {
  #turn = Promise.resolve();
  #left: number;

  constructor(private readonly perTurn: number) {
    this.#left = perTurn;
  }

  /** Resolves when this number of entries may be rendered. */
  take(entries: number): Promise<void> {
    if (this.#left <= 0) {
      this.#turn = this.#turn.then(yieldToEventLoop);
      this.#left = this.perTurn;
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
