import DataLoader from 'dataloader';
import { getHeapStatistics } from 'node:v8';

import type { KeyValue } from '../../database/list/slice.js';
import type { ReadWork, Units } from '../../database/work.js';
import type { Caller } from '../../platform/caller.js';
import { Semaphore, type Release } from '../../platform/concurrency/semaphore.js';
import { DomainError } from '../../platform/errors.js';
import { LIMITS, tooLarge } from '../limits/limits.js';
import { approximateJsonBytes } from '../limits/json-bytes.js';

/** Bytes of the heap that one operation on large records takes, about: what it reads, and its answer twice. */
const HEAP_OF_ONE = 96 * 1024 * 1024;
const MOST_AT_ONCE = 16;
const MOST_WAITING = 1_000;

/** Limits how many operations read large records at once, so that together they fit into the heap. */
export function createLargeReads(): Semaphore {
  const fitting = Math.floor(getHeapStatistics().heap_size_limit / HEAP_OF_ONE);
  const concurrency = Math.min(Math.max(fitting, 1), MOST_AT_ONCE);
  return new Semaphore({ concurrency, maxWaiting: MOST_WAITING, busy });
}

function busy(): DomainError {
  const message = 'Too many operations on large records at the same time; try again in a second.';
  return new DomainError('busy', message, { retryAfter: 1 });
}

/** Where it is read from: a list of the company's, one of many parents', or a use case. */
type Source = { readonly isLarge: boolean } | { readonly list: { readonly isLarge: boolean } } | Use;
type Use = (work: ReadWork, ...more: never[]) => Promise<unknown>;

function isLarge(source: Source): boolean {
  if (typeof source === 'function') return false;
  return 'list' in source ? source.list.isLarge : source.isLarge;
}

/** What one request reads: each thing once, what belongs together at once, and not more than there is room for. */
export class RequestLoaders {
  readonly #loaders = new Map<object, Map<string, unknown>>();
  #bytes = 0;
  #entered: Promise<void> | null = null;
  #leave: Release | null = null;
  #isFinished = false;

  constructor(
    private readonly units: Units,
    private readonly caller: Caller,
    private readonly largeReads: Semaphore,
  ) {}

  /** What one operation reads is in memory together; what is small by nature is not weighed. */
  async read<T>(use: (work: ReadWork) => Promise<T>, isLarge = true): Promise<T> {
    if (isLarge) await (this.#entered ??= this.#enter());
    const result = await this.units.read(this.caller, use);
    if (!isLarge) return result;
    this.#bytes += approximateJsonBytes(result);
    if (this.#bytes > LIMITS.readBytes) throw tooLarge('readBytes', this.#bytes);
    return result;
  }

  /** For what has no parent. */
  load<V>(of: Source, key: string, load: (work: ReadWork) => Promise<V>): Promise<V> {
    return this.loader<V>(of, key, async (work) => [await load(work)]).load(0);
  }

  /** The right to read is demanded by who asks. */
  loader<V, K extends KeyValue = number>(
    of: Source,
    key: string,
    load: (work: ReadWork, keys: readonly K[]) => Promise<readonly V[]>,
  ): DataLoader<K, V> {
    return this.cached(
      of,
      key,
      () => new DataLoader<K, V>((keys) => this.read((work) => load(work, keys), isLarge(of))),
    );
  }

  cached<L>(of: object, key: string, make: () => L): L {
    const own = this.#loaders.get(of) ?? new Map<string, unknown>();
    this.#loaders.set(of, own);
    const loader = (own.get(key) as L | undefined) ?? make();
    own.set(key, loader);
    return loader;
  }

  /** The operation is over: what it read is let go of, and somebody else may read large records. */
  finish(): void {
    this.#isFinished = true;
    this.forget();
    this.#leave?.();
  }

  /** Holds the semaphore until the operation is finished. */
  async #enter(): Promise<void> {
    const release = await this.largeReads.acquire();
    if (this.#isFinished) release();
    else this.#leave = release;
  }

  /** After a change, everything is read anew. */
  forget(): void {
    this.#loaders.clear();
  }
}
