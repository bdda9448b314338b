import DataLoader from 'dataloader';

import type { Arrivals } from '../../database/list/arrivals.js';
import type { Condition } from '../../database/list/condition.js';
import type { ChildList, List } from '../../database/list/list.js';
import type { KeyValue, Slice, SliceRequest } from '../../database/list/slice.js';
import type { ReadWork, Units, WriteWork } from '../../database/work.js';
import { demandScope, type Caller, type Scope } from '../../platform/caller.js';
import { DomainError } from '../../platform/errors.js';
import type { Semaphore } from '../../platform/concurrency/semaphore.js';
import {
  connection,
  sliceRequest,
  type Connection,
  type Keys,
  type OrderBy,
  type PageArgs,
} from '../schema/connection.js';
import { OperationContents } from './contents.js';
import { conditionOf, type FilterInput } from '../schema/filter.js';
import { requestError, type Within } from '../schema/errors.js';
import { follow } from '../live/follow.js';
import { parseGlobalId } from '../schema/node.js';
import { payload, recordsIn, type Payload } from '../schema/payload.js';
import { createLargeReads, RequestLoaders } from './reading.js';
import { changeIdempotently } from './repeat.js';
import { NO_FACTS, type MutationCall, type RequestFacts, type OperationCounters } from './request.js';

export interface ListArgs extends PageArgs {
  readonly orderBy?: OrderBy | null;
  readonly filter?: FilterInput | null;
}

/** Which part of a list is followed. */
export interface FollowArgs {
  readonly filter?: FilterInput | null;
  readonly after?: number | null;
}

interface Identified {
  readonly id: number;
}

const BY_ID: OrderBy = { field: 'ID', direction: 'asc' };

/** What resolvers are given: all they can reach, for one request of one caller. */
export class GraphqlContext {
  // No #private members here: Apollo hands resolvers a copy, which would not have them.
  private readonly reading: RequestLoaders;
  private readonly call: MutationCall | null = null;
  readonly counters: OperationCounters = { nodes: 0, replayed: false };
  readonly contents: OperationContents;

  constructor(
    readonly caller: Caller,
    private readonly units: Units,
    maxContentBytes: number,
    readonly request: RequestFacts = NO_FACTS,
    largeReads: Semaphore = createLargeReads(),
  ) {
    const { companyId } = caller;
    this.reading = new RequestLoaders(units, caller, largeReads);
    this.contents = new OperationContents({
      units,
      companyId,
      maxBytes: maxContentBytes,
      tally: this.counters,
    });
  }

  /** The same request while one mutation of it is executed. */
  during(call: MutationCall): GraphqlContext {
    const context = Object.create(GraphqlContext.prototype) as GraphqlContext;
    return Object.assign(context, this, { call });
  }

  /** The same request while it is tried: what is read is kept, what is counted is counted apart. */
  tried(): GraphqlContext {
    const context = Object.create(GraphqlContext.prototype) as GraphqlContext;
    return Object.assign(context, this, { counters: { nodes: 0, replayed: false } });
  }

  /** Nothing more is answered from it. */
  finish(): void {
    this.reading.finish();
  }

  /** Reads with a right; without it, FORBIDDEN. */
  read<T>(scope: Scope, use: (work: ReadWork) => Promise<T>): Promise<T> {
    demandScope(this.caller, scope);
    return this.reading.read(use);
  }

  /** What was read before the change is read anew after it. */
  async write<T>(scope: Scope, use: (work: WriteWork) => Promise<T>): Promise<T> {
    demandScope(this.caller, scope);
    try {
      return await this.units.write(this.caller, use);
    } finally {
      this.reading.forget();
    }
  }

  /**
   * A change as a mutation's payload: what the caller can mend is in `userErrors`, whose paths are made by
   * `within`: it says where the fields stand that the domain names.
   */
  change<T extends object>(
    use: (work: WriteWork) => Promise<T>,
    scope: Scope = 'write',
    within: Within = ['input'],
  ): Promise<Payload & Partial<T>> {
    return payload(async () => {
      const result = await this.write(scope, (work) => this.repeatable(work, () => use(work)));
      this.counters.nodes += recordsIn(result);
      return result;
    }, within);
  }

  private async repeatable<T extends object>(work: WriteWork, change: () => Promise<T>): Promise<T> {
    const { idempotencyKey } = this.request;
    if (idempotencyKey === null || this.call === null) return await change();
    const { result, replayed } = await changeIdempotently(work, idempotencyKey, this.call, change);
    if (replayed) this.counters.replayed = true;
    return result;
  }

  /** One record by its number, batched; null where the company has none. */
  async one<T>(list: List<T>, id: number | null, scope: Scope = 'read'): Promise<T | null> {
    if (id === null) return null;
    demandScope(this.caller, scope);
    const loader = this.reading.loader<T | null>(list, 'one', async (work, ids) => {
      const found = await list.byIds(work, ids);
      return ids.map((each) => found.get(each) ?? null);
    });
    return this.counted(await loader.load(id));
  }

  /** One record by exactly one of its keys: `id`, `databaseId`, or what `getters` know; null where there is none. */
  async find<T>(
    list: List<T>,
    keys: Keys,
    getters: Readonly<Record<string, (work: ReadWork, key: string) => Promise<T>>> = {},
    scope: Scope = 'read',
  ): Promise<T | null> {
    const names = ['id', 'databaseId', ...Object.keys(getters)];
    const given = Object.entries(keys).filter(([, value]) => value != null) as [string, string | number][];
    const [key, ...others] = given;
    if (key === undefined || others.length > 0) {
      throw requestError(`Give exactly one of ${names.join(', ')}.`);
    }
    const [name, value] = key;
    if (name === 'databaseId') return await this.one(list, Number(value), scope);
    if (name === 'id') {
      const parsed = parseGlobalId(String(value));
      return parsed?.typeName === list.name ? await this.one(list, parsed.id, scope) : null;
    }
    demandScope(this.caller, scope);
    const found = await this.reading.load(list, `by ${name} ${String(value)}`, async (work) => {
      try {
        return (await getters[name]?.(work, String(value))) ?? null;
      } catch (error) {
        if (error instanceof DomainError && error.code === 'not_found') return null;
        throw error;
      }
    });
    return this.counted(found);
  }

  /** A list of the whole company. */
  list<T>(list: List<T>, args: ListArgs, scope: Scope = 'read', standard: OrderBy = BY_ID): Connection<T> {
    demandScope(this.caller, scope);
    const request = sliceRequest(args, conditionOf(list, args.filter), standard);
    return connection(
      request,
      () =>
        this.tallied(
          this.reading.load(list, `slice ${JSON.stringify(request)}`, (work) => list.slice(work, request)),
        ),
      () => {
        const { condition } = request;
        return this.reading.load(list, `count ${JSON.stringify(condition)}`, (work) =>
          list.count(work, condition),
        );
      },
    );
  }

  /** What is the same for the whole request, read once for each `wish`, however often it is asked for. */
  loadOnce<T, W = undefined>(
    load: (work: ReadWork, wish: W) => Promise<T>,
    ...[wish]: W extends undefined ? [] : [W]
  ): Promise<T> {
    demandScope(this.caller, 'read');
    return this.reading.load(load, `once ${JSON.stringify(wish)}`, (work) => load(work, wish as W));
  }

  /** What belongs to one record, read together with what belongs to the other records of the request. */
  loadForMany<R extends Identified, V>(
    load: (work: ReadWork, records: readonly R[]) => Promise<ReadonlyMap<number, V>>,
    record: R,
  ): Promise<V | undefined> {
    demandScope(this.caller, 'read');
    const loader = this.reading.cached(load, 'together', () => {
      const batch = (records: readonly R[]): Promise<readonly (V | undefined)[]> =>
        this.read('read', async (work) => {
          const found = await load(work, records);
          return records.map(({ id }) => found.get(id));
        });
      return new DataLoader<R, V | undefined, number>(batch, { cacheKeyFn: ({ id }) => id });
    });
    return loader.load(record);
  }

  /** A record that belongs to another one, read together with those of the request's other records. */
  async related<R extends Identified, V extends Identified>(
    load: (work: ReadWork, records: readonly R[]) => Promise<ReadonlyMap<number, V>>,
    record: R,
  ): Promise<V | null> {
    return this.counted((await this.loadForMany(load, record)) ?? null);
  }

  /** A list of one parent's, read together with those of the other parents of the request. */
  children<T, P extends KeyValue>(
    child: ChildList<T, P>,
    parent: P,
    args: ListArgs,
    scope: Scope = 'read',
    standard: OrderBy = BY_ID,
  ): Connection<T> {
    demandScope(this.caller, scope);
    const request = sliceRequest(args, conditionOf(child.list, args.filter), standard);
    return connection(
      request,
      () => this.tallied(this.slices(child, request).load(parent)),
      () => this.counts(child, request.condition).load(parent),
    );
  }

  /** For a subscription: what arrives after an id, or from now on. */
  follow<T extends Identified>(
    arrivals: Arrivals<T>,
    { filter, after = null }: FollowArgs,
    scope: Scope = 'read',
  ): Promise<AsyncIterable<T>> {
    demandScope(this.caller, scope);
    const { lasting } = this.request;
    if (lasting === null) throw new Error('Only a subscription goes on');
    const condition = conditionOf(arrivals, filter);
    return follow(this.units, lasting, { arrivals, condition, scope, after });
  }

  private slices<T, P extends KeyValue>(
    child: ChildList<T, P>,
    request: SliceRequest,
  ): DataLoader<P, Slice<T>> {
    return this.reading.loader<Slice<T>, P>(
      child,
      `slice ${JSON.stringify(request)}`,
      async (work, parents) => {
        const slices = await child.slices(work, parents, request);
        return parents.map((parent) => slices.get(parent) ?? { items: [], hasMore: false });
      },
    );
  }

  private counts<T, P extends KeyValue>(
    child: ChildList<T, P>,
    where: Condition | null,
  ): DataLoader<P, number> {
    return this.reading.loader<number, P>(child, `count ${JSON.stringify(where)}`, async (work, parents) => {
      const counts = await child.counts(work, parents, where);
      return parents.map((parent) => counts.get(parent) ?? 0);
    });
  }

  private counted<T>(record: T | null): T | null {
    if (record !== null) this.counters.nodes += 1;
    return record;
  }

  private async tallied<T>(loading: Promise<Slice<T>>): Promise<Slice<T>> {
    const slice = await loading;
    this.counters.nodes += slice.items.length;
    return slice;
  }
}
