import { countAll, type Examination } from '../../database/list/examining/examination.js';
import type { KeyValue } from '../../database/list/slice.js';
import type { ReadWork, Units, WriteWork } from '../../database/work.js';
import type { Caller } from '../../platform/caller.js';
import type { Release, Semaphore } from '../../platform/concurrency/semaphore.js';
import { LIMITS, tooLarge, tooManyEntries } from '../limits/limits.js';
import { approximateJsonBytes } from '../limits/json-bytes.js';
import { BatchingLoader } from './batching-loader.js';
import { examine, NOTHING_EXAMINED, type Examining } from './examining.js';
import { EntriesPerTurn } from './entries-per-turn.js';
import { SharedUnit } from './shared-unit.js';

/** What is read: a list of the company, a list of many parents, or a use case. Lists know whether they are large. */
type Source = { readonly isLarge: boolean } | { readonly list: { readonly isLarge: boolean } } | UseCase;
type UseCase = (work: ReadWork, ...more: never[]) => Promise<unknown>;

function isLarge(source: Source): boolean {
  if (typeof source === 'function') return false;
  return 'list' in source ? source.list.isLarge : source.isLarge;
}

/** Records that graphql-js renders in one turn of the event loop: an error in each takes about 300 µs. */
const RECORDS_PER_TURN = 50;

/**
 * All reads of one operation. Each value is read once (DataLoader), and all of them come from one read unit, so that
 * they are of one state of the database. Limits the bytes read (`LIMITS.readBytes`). The unit is opened by the first
 * read and held until `finish` or `forget`.
 *
 * While an operation that reads large records holds its unit, it also has a permit of `largeReads`. Where its first read
 * is a large one, it waits for the permit first, so that operations that wait hold no connection to the database.
 */
export class RequestLoaders {
  readonly #loaders = new Map<object, Map<string, unknown>>();
  #unit: SharedUnit | null = null;
  #isInTransaction = false;
  #bytes = 0;
  /** Entries of lists without pages: that are read, and that are rendered, each wherever it appears. */
  #entries = 0;
  #rendered = 0;
  /** Of all lists and all that is loaded. */
  readonly #pace = new EntriesPerTurn(RECORDS_PER_TURN);
  #permit: Promise<Release> | null = null;
  #isFinished = false;
  #examining: Examining = NOTHING_EXAMINED;

  constructor(
    private readonly units: Pick<Units, 'read' | 'isRemote'>,
    private readonly caller: Caller,
    private readonly largeReads: Semaphore,
  ) {}

  /** Before the first read. Errors: `OperationRefused` for more than the limit. Returns the values at most. */
  async examine(
    examinations: readonly Examination[],
    limit: 'examined' | 'examinedTogether',
  ): Promise<number> {
    this.#examining = await examine((use) => this.read(use, false), examinations, limit);
    // The unit that was opened for the totals serves the operation, unless it must be one outside of the event loop.
    if (this.#examining.isMany) this.forget();
    return this.#examining.values;
  }

  /** Whether its reads run outside of the event loop, since they may examine many values. */
  get examinesMany(): boolean {
    return this.#examining.isMany;
  }

  /** The entries of a list as they are rendered: promises, since graphql-js waits for each. */
  rendered<T>(entries: readonly T[]): readonly T[] {
    return entries.map((entry) => this.#pace.take(1).then(() => entry)) as unknown as readonly T[];
  }

  /** The same for a list without pages, which may appear several times. Errors: BAD_USER_INPUT for too many entries. */
  unpaged<T>(entries: readonly T[]): readonly T[] {
    this.#rendered += entries.length;
    if (this.#rendered > LIMITS.unpagedEntries) throw tooManyEntries();
    return this.rendered(entries);
  }

  /** Charges a read that is about to be made, if the operation has a budget. Errors: BAD_USER_INPUT. */
  async charge(work: ReadWork, examination: () => Examination, parents?: readonly KeyValue[]): Promise<void> {
    await this.#examining.budget?.charge(work, examination(), parents);
  }

  /** Counts the bytes of the result, unless they are known to be few. */
  async read<T>(use: (work: ReadWork) => Promise<T>, isLarge = true): Promise<T> {
    const result = await this.uncounted(use, isLarge);
    if (!isLarge) return result;
    this.#bytes += approximateJsonBytes(result);
    if (this.#bytes > LIMITS.readBytes) throw tooLarge('readBytes', this.#bytes);
    return result;
  }

  /** The same for what counts the bytes itself. */
  async uncounted<T>(use: (work: ReadWork) => Promise<T>, isLarge: boolean): Promise<T> {
    this.#demandRunning();
    if (isLarge && this.#unit === null) {
      await this.#acquirePermit();
      this.#demandRunning();
    }
    this.#unit ??= new SharedUnit((hold) =>
      this.units.read(this.caller, hold, { examines: this.#examining.isMany }),
    );
    return await this.#unit.use(async (work) => {
      if (isLarge) await this.#acquirePermit();
      return await use(work);
    });
  }

  /** Whether a read of one statement is to be preferred, see `Units.isRemote`. */
  get isRemote(): boolean {
    return this.units.isRemote;
  }

  /** A read of one statement, in a unit of its own. */
  async single<T>(use: (work: ReadWork) => Promise<T>): Promise<T> {
    this.#demandRunning();
    return await this.units.read(this.caller, use, { isSingle: true });
  }

  /** Reads a value that has no parent once per `key`. */
  load<V>(of: Source, key: string, load: (work: ReadWork) => Promise<V>): Promise<V> {
    return this.loader<V>(of, key, async (work) => [await load(work)]).load(0);
  }

  /** The batching loader of a source and key. Checks no scope: its callers do. */
  loader<V, K extends KeyValue = number>(
    of: Source,
    key: string,
    load: (work: ReadWork, keys: readonly K[]) => Promise<readonly V[]>,
  ): BatchingLoader<K, V> {
    const batch = (keys: readonly K[]) => this.read((work) => load(work, keys), isLarge(of));
    return this.#cached(of, key, () => new BatchingLoader<K, V>(batch, { pace: this.#pace }));
  }

  /** The batching loader of values by record id. With an examination, the values are lists without pages. */
  forMany<R extends { readonly id: number }, V>(
    load: (work: ReadWork, records: readonly R[]) => Promise<ReadonlyMap<number, V>>,
    examination?: Examination,
  ): BatchingLoader<R, V | undefined, number> {
    return this.#cached(load, 'many', () => {
      const batch = (records: readonly R[]) =>
        this.read(async (work) => {
          if (examination !== undefined) await this.#chargeEntries(work, examination, records);
          const found = await load(work, records);
          return records.map(({ id }) => found.get(id));
        });
      return new BatchingLoader(batch, { pace: this.#pace, cacheKeyFn: ({ id }) => id });
    });
  }

  /** Counts the entries of lists without pages before they are read. Errors: BAD_USER_INPUT. */
  async #chargeEntries(
    work: ReadWork,
    examination: Examination,
    records: readonly { readonly id: number }[],
  ): Promise<void> {
    const ids = records.map(({ id }) => id);
    await this.charge(work, () => examination, ids);
    if (examination.within === undefined || examination.isCount === true) return;
    const max = LIMITS.unpagedEntries + 1;
    const [entries = 0] = await countAll(work, [examination.within(work, max, ids)]);
    this.#entries += entries;
    if (this.#entries > LIMITS.unpagedEntries) throw tooManyEntries();
  }

  #cached<L>(of: object, key: string, make: () => L): L {
    const own = this.#loaders.get(of) ?? new Map<string, unknown>();
    this.#loaders.set(of, own);
    const loader = (own.get(key) as L | undefined) ?? make();
    own.set(key, loader);
    return loader;
  }

  /** The next reads see the changes of an open transaction, until `leaveTransaction`. */
  enterTransaction(work: WriteWork): void {
    this.forget();
    this.#unit = new SharedUnit((use) => use(work));
    this.#isInTransaction = true;
  }

  /** Resolves when no read uses the transaction any more, which may then be committed. */
  async leaveTransaction(): Promise<void> {
    const unit = this.#unit;
    this.forget();
    await unit?.end();
  }

  /** Ends the unit and drops what was read: the next read sees the database as it is then. */
  forget(): void {
    this.#loaders.clear();
    void this.#unit?.end();
    this.#unit = null;
    this.#isInTransaction = false;
    void this.#permit?.then(
      (release) => release(),
      () => undefined,
    );
    this.#permit = null;
  }

  /** Ends the operation: later reads for it fail. */
  finish(): void {
    this.#isFinished = true;
    this.forget();
  }

  /**
   * Resolves when the operation has its permit. A transaction needs none: there is one at a time, and operations that
   * wait for theirs may hold a permit.
   */
  async #acquirePermit(): Promise<void> {
    if (this.#isInTransaction) return;
    this.#demandRunning();
    await (this.#permit ??= this.largeReads.acquire());
  }

  #demandRunning(): void {
    if (this.#isFinished) throw new Error('The operation has ended: nothing more is read for it.');
  }
}
