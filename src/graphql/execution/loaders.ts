import DataLoader from 'dataloader';

import { MANY_ROWS } from '../../database/company/company-rows.js';
import type { KeyValue } from '../../database/list/listing.js';
import {
  countEntries,
  type EntryCount,
  searchedRows,
  type Search,
} from '../../database/list/request-class.js';
import type { ReadWork, Units, WriteWork } from '../../database/work.js';
import type { Places } from '../../platform/client-limits.js';
import { yieldToEventLoop } from '../../platform/concurrency/event-loop.js';
import type { Release } from '../../platform/concurrency/semaphore.js';
import type { Caller } from '../../platform/requests.js';
import { approximateJsonBytes, beyondLimit, LIMITS, tooLarge } from '../limits/limits.js';
import type { LoadForMany } from '../schema/declared.js';
import { requestError } from '../schema/errors.js';

/** True for a list, or a list under many parents, whose records may be large. */
function isLarge(of: object): boolean {
  const { isLarge: own = false, list } = of as { isLarge?: boolean; list?: { isLarge: boolean } };
  return list?.isLarge ?? own;
}

/** Errors: BAD_USER_INPUT for more entries of lists without pages than the limit. */
export function requireFewEntries(entries: number): void {
  const maximum = LIMITS.unpagedEntries;
  if (entries <= maximum) return;
  const message = `The operation shows too many entries of lists without pages: at most ${maximum}. Ask for fewer records.`;
  throw requestError(message, { limit: 'unpagedEntries', maximum });
}

const TOO_MANY_SEARCHED =
  'The payload of a mutation with an Idempotency-Key searches or counts lists of too many records';

/**
 * All reads of one operation: each value once (DataLoader), in one unit, so that they see one state of the database.
 * The first read opens the unit; `finish` or `forget` closes it. Bytes are limited by `LIMITS.readBytes`.
 */
export class RequestLoaders {
  readonly #loaders = new Map<object, Map<unknown, unknown>>();
  #unit: SharedUnit | null = null;
  #bytes = 0;
  /** Entries of lists without pages that were read. */
  #entries = 0;
  /** Limits the records rendered per turn of the event loop, over all lists and loaders. */
  readonly #pace = new EntriesPerTurn();
  #leavePlace: Release | null = null;
  #isFinished = false;
  /** True if the reads run outside of the event loop, because they search many rows. */
  #isSearch = false;

  constructor(
    private readonly units: Pick<Units, 'read'>,
    private readonly caller: Caller,
    private readonly places: Places,
  ) {}

  /** Waits for a place, until `finish`, or for `signal`. Call it before the first read: operations that wait hold no connection. */
  async takePlace(signal?: AbortSignal): Promise<void> {
    if (this.#leavePlace !== null) return;
    const release = await this.places.acquire(this.caller.companyId, signal);
    if (this.#isFinished) release();
    else this.#leavePlace = release;
  }

  /** Decides where reads run: in the event loop if `isInTransaction`. Errors: `OperationRefused` for too many rows. */
  async classify(searches: readonly Search[], isInTransaction: boolean): Promise<void> {
    const found = isInTransaction ? searches.filter(({ isLimited }) => isLimited !== true) : searches;
    if (found.length === 0) return;
    const rows = await this.uncounted((work) => searchedRows(work, found));
    if (isInTransaction && rows > LIMITS.searched) throw beyondLimit('searched', rows, TOO_MANY_SEARCHED);
    this.#isSearch = rows > MANY_ROWS;
    if (!this.#isSearch) return;
    // The unit that has read the counters is used for other operations. The threads of searches have limits of their own.
    this.forget();
    this.#leavePlace?.();
  }

  /**
   * The entries of a list, when they may be rendered. Those of a long list are promises, resolved in groups: graphql-js
   * awaits each entry.
   */
  async rendered<T>(entries: readonly T[]): Promise<readonly T[]> {
    if (entries.length > ENTRIES_PER_TURN) {
      return entries.map((entry) => this.#pace.take(1).then(() => entry)) as unknown as readonly T[];
    }
    await this.#pace.take(entries.length);
    return entries;
  }

  /** Reads in the unit of the operation. Counts bytes if `isLarge`. Errors: BAD_USER_INPUT for too many. */
  async read<T>(use: (work: ReadWork) => Promise<T>, isLarge = true): Promise<T> {
    const result = await this.uncounted(use);
    if (!isLarge) return result;
    this.#bytes += approximateJsonBytes(result);
    if (this.#bytes > LIMITS.readBytes) throw tooLarge('readBytes', this.#bytes);
    return result;
  }

  /** Like `read`, but does not count bytes: the caller does. */
  async uncounted<T>(use: (work: ReadWork) => Promise<T>): Promise<T> {
    if (this.#isFinished) throw new Error('The operation has ended: nothing more is read for it.');
    this.#unit ??= new SharedUnit((hold) => this.units.read(this.caller, hold, { examines: this.#isSearch }));
    return await this.#unit.use(use);
  }

  /** Reads a value that belongs to no record, once per `key`. */
  load<V>(of: object, key: unknown, load: (work: ReadWork) => Promise<V>): Promise<V> {
    return this.loader<V>(of, key, async (work) => [await load(work)]).load(0);
  }

  /** The batching loader of a list or use case, and a key: a name or a request. Does not check scopes: callers do. */
  loader<V, K extends KeyValue = number>(
    of: object,
    key: unknown,
    load: (work: ReadWork, keys: readonly K[]) => Promise<readonly V[]>,
  ): Loader<K, V> {
    const batch = (keys: readonly K[]) => this.read((work) => load(work, keys), isLarge(of));
    return this.#cached(of, key, () => batchingLoader<K, V>(batch, this.#pace));
  }

  /** The batching loader of values by record id. `entries` count the entries of lists without pages. */
  forMany<R extends { readonly id: number }, V>(
    load: LoadForMany<R, V>,
    entries: readonly EntryCount[] = [],
  ): Loader<R, V | undefined> {
    return this.#cached(load, 'many', () => {
      const batch = (records: readonly R[]) =>
        this.read(async (work) => {
          await this.#countEntries(work, entries, records);
          const found = await load(work, records);
          return records.map(({ id }) => found.get(id));
        });
      return batchingLoader(batch, this.#pace, ({ id }) => id);
    });
  }

  /** Counts the entries of lists without pages before they are read. Errors: BAD_USER_INPUT. */
  async #countEntries(
    work: ReadWork,
    counts: readonly EntryCount[],
    records: readonly { readonly id: number }[],
  ): Promise<void> {
    if (counts.length === 0) return;
    const ids = records.map(({ id }) => id);
    this.#entries += await countEntries(work, counts, LIMITS.unpagedEntries + 1, ids);
    requireFewEntries(this.#entries);
  }

  #cached<L>(of: object, key: unknown, make: () => L): L {
    const own = this.#loaders.get(of) ?? new Map<unknown, unknown>();
    this.#loaders.set(of, own);
    const loader = (own.get(key) as L | undefined) ?? make();
    own.set(key, loader);
    return loader;
  }

  /** The next reads see the changes of an open transaction, until `leaveTransaction`. */
  enterTransaction(work: WriteWork): void {
    this.forget();
    this.#unit = new SharedUnit((use) => use(work));
  }

  /** Resolves when no read uses the transaction any more, which may then be committed. */
  async leaveTransaction(): Promise<void> {
    const unit = this.#unit;
    this.forget();
    await unit?.end();
  }

  /** Closes the unit and clears the cache: the next read sees the current state of the database. */
  forget(): void {
    this.#loaders.clear();
    void this.#unit?.end();
    this.#unit = null;
  }

  finish(): void {
    this.#isFinished = true;
    this.forget();
    this.#leavePlace?.();
  }
}

/** Opens a unit of work, passes it to `use`, and ends it when `use` resolves. */
export type OpenUnit = (use: (work: ReadWork) => Promise<void>) => Promise<void>;

/** A unit of work that several reads share. It ends after `end` was called and the running reads have settled. */
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

  async use<T>(read: (work: ReadWork) => Promise<T>): Promise<T> {
    this.#running += 1;
    try {
      return await read(await this.#work);
    } finally {
      this.#running -= 1;
      this.#endIfIdle();
    }
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    this.#endIfIdle();
    await this.#ended.promise;
  }

  #endIfIdle(): void {
    if (this.#isEnding && this.#running === 0) this.#ended.resolve(undefined);
  }
}

export interface Loader<K, V> {
  readonly load: (key: K) => Promise<V>;
}

/** A DataLoader whose batch has the keys of all records that are ready, also of those that are rendered in parts. */
function batchingLoader<K, V>(
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

/** Caches the error of a batch for its keys, so that fields that ask for them later do not repeat the read. */
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
const ENTRIES_PER_TURN = 50;

/** Limits the records rendered per turn of the event loop, over all loaders of an operation. */
class EntriesPerTurn {
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
