import DataLoader from 'dataloader';

import type { Condition } from '../database/condition.js';
import type { ChildList, List, Slice, SliceRequest } from '../database/keyset.js';
import type { ReadWork, Units, WriteWork } from '../database/work.js';
import { demandScope, type Caller, type Scope } from '../platform/caller.js';
import { DomainError } from '../platform/errors.js';
import { connection, sliceRequest, type Connection, type OrderBy, type PageArgs } from './connection.js';
import { conditionOf, type FilterInput } from './filter.js';
import { requestError } from './errors.js';
import { parseGlobalId } from './node.js';
import { payload, type Payload } from './payload.js';
import { changeOnce } from './repeat.js';
import { NO_FACTS, type MutationCall, type RequestFacts, type Tally } from './request.js';

export interface ListArgs extends PageArgs {
  readonly orderBy?: OrderBy | null;
  readonly filter?: FilterInput | null;
}

interface Identified {
  readonly id: number;
}

const BY_ID: OrderBy = { field: 'ID', direction: 'asc' };

/** What resolvers are given: all they can reach, for one request of one caller. */
export class GraphqlContext {
  // No #private members here: Apollo hands resolvers a copy, which would not have them.
  private readonly loaders = new Map<object, Map<string, unknown>>();
  private readonly call: MutationCall | null = null;
  readonly tally: Tally = { nodes: 0, replayed: false };

  constructor(
    readonly caller: Caller,
    private readonly units: Units,
    readonly request: RequestFacts = NO_FACTS,
  ) {}

  /** The same request while one mutation of it is executed. */
  during(call: MutationCall): GraphqlContext {
    const context = Object.create(GraphqlContext.prototype) as GraphqlContext;
    return Object.assign(context, this, { call });
  }

  /** Reads with a right; without it, FORBIDDEN. */
  read<T>(scope: Scope, use: (work: ReadWork) => Promise<T>): Promise<T> {
    demandScope(this.caller, scope);
    return this.units.read(this.caller, use);
  }

  /** What was read before the change is read anew after it. */
  async write<T>(scope: Scope, use: (work: WriteWork) => Promise<T>): Promise<T> {
    demandScope(this.caller, scope);
    try {
      return await this.units.write(this.caller, use);
    } finally {
      this.loaders.clear();
    }
  }

  /**
   * A change as a mutation's payload: what the caller can mend is in `userErrors`, whose paths begin with
   * `within`, for the fields that the domain names stand there.
   */
  change<T extends object>(
    use: (work: WriteWork) => Promise<T>,
    scope: Scope = 'write',
    within: readonly string[] = ['input'],
  ): Promise<Payload & Partial<T>> {
    return payload(async () => {
      const result = await this.write(scope, (work) => this.repeatable(work, () => use(work)));
      this.tally.nodes += recordsIn(result);
      return result;
    }, within);
  }

  private async repeatable<T extends object>(work: WriteWork, change: () => Promise<T>): Promise<T> {
    const { idempotencyKey } = this.request;
    if (idempotencyKey === null || this.call === null) return await change();
    const { result, replayed } = await changeOnce(work, idempotencyKey, this.call, change);
    if (replayed) this.tally.replayed = true;
    return result;
  }

  /** One record by its number, batched; null where the company has none. */
  async one<T>(list: List<T>, id: number | null, scope: Scope = 'read'): Promise<T | null> {
    if (id === null) return null;
    demandScope(this.caller, scope);
    const loader = this.loader<T | null>(list, 'one', async (work, ids) => {
      const found = await list.byIds(work, ids);
      return ids.map((each) => found.get(each) ?? null);
    });
    return this.counted(await loader.load(id));
  }

  /** One record by exactly one of its keys: `id`, `databaseId`, or what `getters` know; null where there is none. */
  async find<T>(
    list: List<T>,
    keys: Readonly<Record<string, string | number | null | undefined>>,
    getters: Readonly<Record<string, (work: ReadWork, key: string) => Promise<T>>> = {},
    scope: Scope = 'read',
  ): Promise<T | null> {
    const [key, ...others] = Object.entries(keys).filter(([, value]) => value != null);
    if (key === undefined || others.length > 0) {
      throw requestError(`Give exactly one of ${Object.keys(keys).join(', ')}.`);
    }
    const [name, value] = key;
    if (name === 'databaseId') return await this.one(list, Number(value), scope);
    if (name === 'id') {
      const parsed = parseGlobalId(String(value));
      return parsed?.typeName === list.name ? await this.one(list, parsed.id, scope) : null;
    }
    return await this.read(scope, async (work) => {
      try {
        return this.counted((await getters[name]?.(work, String(value))) ?? null);
      } catch (error) {
        if (error instanceof DomainError && error.code === 'not_found') return null;
        throw error;
      }
    });
  }

  /** A list of the whole company. */
  list<T>(list: List<T>, args: ListArgs, scope: Scope = 'read', standard: OrderBy = BY_ID): Connection<T> {
    demandScope(this.caller, scope);
    const request = sliceRequest(args, conditionOf(list, args.filter), standard);
    return connection(
      request,
      () =>
        this.tallied(
          this.only(list, `slice ${JSON.stringify(request)}`, (work) => list.slice(work, request)),
        ),
      () => {
        const { condition } = request;
        return this.only(list, `count ${JSON.stringify(condition)}`, (work) => list.count(work, condition));
      },
    );
  }

  /** What is the same for the whole request, read once however often it is asked for. */
  once<T>(load: (work: ReadWork) => Promise<T>, scope: Scope = 'read'): Promise<T> {
    demandScope(this.caller, scope);
    return this.only(load, 'once', load);
  }

  /** What belongs to one record, read together with what belongs to the other records of the request. */
  together<R extends Identified, V>(
    load: (work: ReadWork, records: readonly R[]) => Promise<ReadonlyMap<number, V>>,
    record: R,
  ): Promise<V | undefined> {
    demandScope(this.caller, 'read');
    const loader = this.loaded(load, 'together', () => {
      const batch = (records: readonly R[]): Promise<readonly (V | undefined)[]> =>
        this.units.read(this.caller, async (work) => {
          const found = await load(work, records);
          return records.map(({ id }) => found.get(id));
        });
      return new DataLoader<R, V | undefined, number>(batch, { cacheKeyFn: ({ id }) => id });
    });
    return loader.load(record);
  }

  /** A list of one parent's, read together with those of the other parents of the request. */
  children<T>(
    child: ChildList<T>,
    parent: number,
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

  private slices<T>(child: ChildList<T>, request: SliceRequest): DataLoader<number, Slice<T>> {
    return this.loader(child, `slice ${JSON.stringify(request)}`, async (work, parents) => {
      const slices = await child.slices(work, parents, request);
      return parents.map((parent) => slices.get(parent) ?? { items: [], hasMore: false });
    });
  }

  private counts<T>(child: ChildList<T>, where: Condition | null): DataLoader<number, number> {
    return this.loader(child, `count ${JSON.stringify(where)}`, async (work, parents) => {
      const counts = await child.counts(work, parents, where);
      return parents.map((parent) => counts.get(parent) ?? 0);
    });
  }

  private counted<T>(record: T | null): T | null {
    if (record !== null) this.tally.nodes += 1;
    return record;
  }

  private async tallied<T>(loading: Promise<Slice<T>>): Promise<Slice<T>> {
    const slice = await loading;
    this.tally.nodes += slice.items.length;
    return slice;
  }

  /** For what has no parent. */
  private only<V>(of: object, key: string, load: (work: ReadWork) => Promise<V>): Promise<V> {
    return this.loader<V>(of, key, async (work) => [await load(work)]).load(0);
  }

  /** The right to read is demanded by who asks. */
  private loader<V>(
    of: object,
    key: string,
    load: (work: ReadWork, ids: readonly number[]) => Promise<readonly V[]>,
  ): DataLoader<number, V> {
    return this.loaded(
      of,
      key,
      () => new DataLoader<number, V>((ids) => this.units.read(this.caller, (work) => load(work, ids))),
    );
  }

  private loaded<L>(of: object, key: string, make: () => L): L {
    const own = this.loaders.get(of) ?? new Map<string, unknown>();
    this.loaders.set(of, own);
    const loader = (own.get(key) as L | undefined) ?? make();
    own.set(key, loader);
    return loader;
  }
}

/** Records in a payload: its own, and those of its rows. */
function recordsIn(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((total: number, row) => total + recordsIn(row), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return 'id' in value ? 1 : Object.values(value).reduce((total: number, row) => total + recordsIn(row), 0);
}
