import type { FieldNode, GraphQLResolveInfo } from 'graphql';

import type { ChildList, List } from '../../database/list/list.js';
import { EMPTY_SLICE, type KeyValue, type Slice, type SliceRequest } from '../../database/list/listing.js';
import type { EntryCount } from '../../database/list/request-class.js';
import type { ReadWork } from '../../database/work.js';
import { requireScope, type Caller, type Scope } from '../../platform/requests.js';
import type { Identified, LoadForMany, OrderBy } from '../schema/declared.js';
import { foundOrNull, requestError } from '../schema/errors.js';
import { numberIn } from '../schema/node.js';
import { connection, sliceRequest, type Connection, type Keys, type ListArgs } from '../schema/page.js';
import { requireFewEntries, type RequestLoaders } from './loaders.js';

/** Figures of one operation and its response. */
export interface Counters {
  /** Records in the response: `extensions.cost.actual`. */
  nodes: number;
  /** Entries of lists without pages in the response. A list that appears twice counts twice. */
  entries: number;
  /** Bytes of contents in the response. */
  bytes: number;
  /** True if a mutation was answered from its stored payload. */
  replayed: boolean;
  hasChanged: boolean;
}

/** Finds a record by a unique key, for example its serial number. Errors: `not_found`. */
type Getter<T> = (work: ReadWork, key: string) => Promise<T>;

/** Values of many parents, by parent. */
type LoadEach<P, V, R = void> = (
  work: ReadWork,
  parents: readonly P[],
  request: R,
) => Promise<ReadonlyMap<P, V>>;

/** A list under many parents, identified by `of`. */
interface PageSource<T, P> {
  readonly of: object;
  readonly read: LoadEach<P, Slice<T>>;
  readonly count: LoadEach<P, number>;
  /** The condition that the number depends on. */
  readonly counted: object | null;
}

/** A selected field; graphql-js passes the same nodes for all records. */
type Info = Pick<GraphQLResolveInfo, 'fieldNodes'>;

/** The reads of one operation, batched. Counts the records of its response. */
export class RecordReads {
  readonly counters: Counters = { nodes: 0, entries: 0, bytes: 0, replayed: false, hasChanged: false };
  readonly #requests = new Map<FieldNode | undefined, SliceRequest>();
  readonly #distinct = new Map<string, unknown>();

  constructor(
    public caller: Caller,
    public loaders: RequestLoaders,
  ) {}

  /** One record by its database id; null if the company has no such record. */
  async one<T>(list: List<T>, id: number | null, scope: Scope = 'read'): Promise<T | null> {
    if (id === null) return null;
    requireScope(this.caller, scope);
    const loader = this.loaders.loader<T | null>(list, 'one', async (work, ids) => {
      const found = await list.byIds(work, ids);
      return ids.map((each) => found.get(each) ?? null);
    });
    return this.counted(await loader.load(id));
  }

  /** One record by one of its keys: `id`, `databaseId`, or a name of `getters`; null if there is none. */
  async find<T>(
    list: List<T>,
    keys: Keys,
    getters: Readonly<Record<string, Getter<T>>> = {},
    scope: Scope = 'read',
  ): Promise<T | null> {
    const given = Object.entries(keys).filter(([, value]) => value != null) as [string, string | number][];
    const [key, ...others] = given;
    if (key === undefined || others.length > 0) {
      throw requestError(`Give exactly one of ${['id', 'databaseId', ...Object.keys(getters)].join(', ')}.`);
    }
    const [name, value] = key;
    if (name === 'databaseId') return await this.one(list, Number(value), scope);
    const text = String(value);
    if (name === 'id') return await this.one(list, numberIn(list.name, text) ?? null, scope);
    requireScope(this.caller, scope);
    const found = await this.loaders.load(list, `by ${name} ${text}`, (work) =>
      foundOrNull(async () => (await getters[name]?.(work, text)) ?? null),
    );
    return this.counted(found);
  }

  list<T>(
    list: List<T>,
    args: ListArgs,
    info: Info,
    scope: Scope = 'read',
    standard?: OrderBy,
  ): Connection<T> {
    requireScope(this.caller, scope);
    const request = this.#requestOf(info, () => sliceRequest(list, args, standard));
    const { condition } = request;
    const { loaders } = this;
    return connection(
      request,
      () => this.countedSlice(loaders.load(list, request, (work) => list.slice(work, request))),
      () => loaders.load(list, condition, (work) => list.count(work, condition)),
      (entries) => loaders.rendered(entries),
    );
  }

  /** A list of one parent, read together with those of others. `scope` is null if every valid token may read it. */
  children<T, P extends KeyValue>(
    child: ChildList<T, P>,
    parent: P,
    args: ListArgs,
    info: Info,
    scope: Scope | null = 'read',
    standard?: OrderBy,
  ): Connection<T> {
    if (scope !== null) requireScope(this.caller, scope);
    const request = this.#requestOf(info, () => sliceRequest(child.list, args, standard));
    const read = (work: ReadWork, parents: readonly P[]) => child.slices(work, parents, request);
    const count = (work: ReadWork, parents: readonly P[]) => child.counts(work, parents, request.condition);
    return this.#pages({ of: child, read, count, counted: request.condition }, parent, request);
  }

  /** Like `children`, for a list that two functions read and count for all parents together. */
  pages<T, R extends SliceRequest & { readonly filter: object }>(
    read: LoadEach<number, Slice<T>, R>,
    count: LoadEach<number, number, R>,
    parent: number,
    info: Info,
    makeRequest: () => R,
  ): Connection<T> {
    requireScope(this.caller, 'read');
    const request = this.#requestOf(info, makeRequest);
    const source = {
      of: read,
      read: (work: ReadWork, parents: readonly number[]) => read(work, parents, request),
      count: (work: ReadWork, parents: readonly number[]) => count(work, parents, request),
      counted: request.filter,
    };
    return this.#pages(source, parent, request);
  }

  /**
   * The request of a selected field, made once for all of its records. Equal requests, and equal conditions, are one
   * object in an operation, so they are keys of loaders.
   */
  #requestOf<R extends SliceRequest>({ fieldNodes: [node] }: Info, make: () => R): R {
    const known = this.#requests.get(node) as R | undefined;
    if (known !== undefined) return known;
    const made = make();
    const request = this.#same({ ...made, condition: this.#same(made.condition) });
    this.#requests.set(node, request);
    return request;
  }

  #same<T>(value: T): T {
    const text = JSON.stringify(value);
    const same = (this.#distinct.get(text) as T | undefined) ?? value;
    this.#distinct.set(text, same);
    return same;
  }

  #pages<T, P extends KeyValue>(
    { of, read, count, counted }: PageSource<T, P>,
    parent: P,
    request: SliceRequest,
  ): Connection<T> {
    const slices = () =>
      this.loaders.loader<Slice<T>, P>(of, request, async (work, parents) => {
        const found = await read(work, parents);
        return parents.map((each) => found.get(each) ?? EMPTY_SLICE);
      });
    const counts = () =>
      this.loaders.loader<number, P>(of, counted, async (work, parents) => {
        const found = await count(work, parents);
        return parents.map((each) => found.get(each) ?? 0);
      });
    return connection(
      request,
      () => this.countedSlice(slices().load(parent)),
      () => counts().load(parent),
      (entries) => this.loaders.rendered(entries),
    );
  }

  loadOnce<T>(load: (work: ReadWork) => Promise<T>): Promise<T> {
    requireScope(this.caller, 'read');
    return this.loaders.load(load, 'once', load);
  }

  loadSelected<T, S>(load: (work: ReadWork, selection: S) => Promise<T>, selection: S): Promise<T> {
    requireScope(this.caller, 'read');
    return this.loaders.load(load, this.#same(selection), (work) => load(work, selection));
  }

  /** A value of one record, read together with those of others. Errors: BAD_USER_INPUT for too many `entries`. */
  loadForMany<R extends Identified, V>(
    load: LoadForMany<R, V>,
    record: R,
    entries?: readonly EntryCount[],
  ): Promise<V | undefined> {
    requireScope(this.caller, 'read');
    return this.loaders.forMany(load, entries).load(record);
  }

  /** The entries of a list without pages, when they may be rendered. Errors: BAD_USER_INPUT for too many entries. */
  async unpaged<T>(entries: readonly T[]): Promise<readonly T[]> {
    this.counters.entries += entries.length;
    requireFewEntries(this.counters.entries);
    return await this.loaders.rendered(entries);
  }

  /** The record with a name, read together with those of the other names; null if there is none. */
  async named<T>(
    find: (work: ReadWork, names: readonly string[]) => Promise<ReadonlyMap<string, T>>,
    name: string,
  ): Promise<T | null> {
    requireScope(this.caller, 'read');
    const loader = this.loaders.loader<T | null, string>(find, 'named', async (work, names) => {
      const found = await find(work, names);
      return names.map((each) => found.get(each) ?? null);
    });
    return this.counted(await loader.load(name));
  }

  private counted<T>(record: T | null): T | null {
    if (record !== null) this.counters.nodes += 1;
    return record;
  }

  private async countedSlice<T>(loading: Promise<Slice<T>>): Promise<Slice<T>> {
    const slice = await loading;
    this.counters.nodes += slice.records.length;
    return slice;
  }
}
