import DataLoader from 'dataloader';

import type { KeyValue } from '../database/keyset.js';
import type { ReadWork, Units } from '../database/work.js';
import type { Caller } from '../platform/caller.js';
import { LIMITS, tooLarge } from './limits.js';
import { sizeOf } from './size.js';

/** Where it is read from: a list of the company's, one of many parents', or a use case. */
type Source = { readonly isLarge: boolean } | { readonly list: { readonly isLarge: boolean } } | Use;
type Use = (work: ReadWork, ...more: never[]) => Promise<unknown>;

function isLarge(source: Source): boolean {
  if (typeof source === 'function') return true;
  return 'list' in source ? source.list.isLarge : source.isLarge;
}

/** What one request reads: each thing once, what belongs together at once, and not more than there is room for. */
export class Reading {
  readonly #loaders = new Map<object, Map<string, unknown>>();
  #bytes = 0;

  constructor(
    private readonly units: Units,
    private readonly caller: Caller,
  ) {}

  /** What one operation reads is in memory together; what is small by nature is not weighed. */
  async read<T>(use: (work: ReadWork) => Promise<T>, isLarge = true): Promise<T> {
    const result = await this.units.read(this.caller, use);
    if (!isLarge) return result;
    this.#bytes += sizeOf(result);
    if (this.#bytes > LIMITS.readBytes) throw tooLarge('readBytes', this.#bytes);
    return result;
  }

  /** For what has no parent. */
  only<V>(of: Source, key: string, load: (work: ReadWork) => Promise<V>): Promise<V> {
    return this.loader<V>(of, key, async (work) => [await load(work)]).load(0);
  }

  /** The right to read is demanded by who asks. */
  loader<V, K extends KeyValue = number>(
    of: Source,
    key: string,
    load: (work: ReadWork, keys: readonly K[]) => Promise<readonly V[]>,
  ): DataLoader<K, V> {
    return this.kept(
      of,
      key,
      () => new DataLoader<K, V>((keys) => this.read((work) => load(work, keys), isLarge(of))),
    );
  }

  kept<L>(of: object, key: string, make: () => L): L {
    const own = this.#loaders.get(of) ?? new Map<string, unknown>();
    this.#loaders.set(of, own);
    const loader = (own.get(key) as L | undefined) ?? make();
    own.set(key, loader);
    return loader;
  }

  /** After a change, everything is read anew. */
  forget(): void {
    this.#loaders.clear();
  }
}
