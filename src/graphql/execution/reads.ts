import type { Condition } from '../../database/list/condition.js';
import type { ChildList, List } from '../../database/list/list.js';
import type { KeyValue, Slice, SliceRequest } from '../../database/list/slice.js';
import type { ReadWork } from '../../database/work.js';
import { demandScope, type Caller, type Scope } from '../../platform/caller.js';
import { DomainError } from '../../platform/errors.js';
import { connection, type Connection, type Keys } from '../schema/connection.js';
import { requestError } from '../schema/errors.js';
import { parseGlobalId } from '../schema/node.js';
import type { RequestLoaders } from './reading.js';
import type { OperationCounters } from './request.js';

/** The reads of one operation: its caller, its loaders, and where the records of its response are counted. */
export interface Reads {
  readonly caller: Caller;
  readonly loaders: RequestLoaders;
  readonly counters: OperationCounters;
}

/** Finds a record by a key of its own, for example its serial number. Errors: `not_found`. */
export type Getter<T> = (work: ReadWork, key: string) => Promise<T>;

export function counted<T>({ counters }: Reads, record: T | null): T | null {
  if (record !== null) counters.nodes += 1;
  return record;
}

async function countedSlice<T>({ counters }: Reads, loading: Promise<Slice<T>>): Promise<Slice<T>> {
  const slice = await loading;
  counters.nodes += slice.items.length;
  return slice;
}

/** A record by its database id, batched; null where the company has none. */
export async function recordById<T>(
  reads: Reads,
  list: List<T>,
  id: number,
  scope: Scope,
): Promise<T | null> {
  demandScope(reads.caller, scope);
  const loader = reads.loaders.loader<T | null>(list, 'one', async (work, ids) => {
    const found = await list.byIds(work, ids);
    return ids.map((each) => found.get(each) ?? null);
  });
  return counted(reads, await loader.load(id));
}

/** A record by exactly one of `id`, `databaseId` and the names of `getters`; null where there is none. */
export async function recordByKey<T>(
  reads: Reads,
  list: List<T>,
  keys: Keys,
  getters: Readonly<Record<string, Getter<T>>>,
  scope: Scope,
): Promise<T | null> {
  const given = Object.entries(keys).filter(([, value]) => value != null) as [string, string | number][];
  const [key, ...others] = given;
  if (key === undefined || others.length > 0) {
    throw requestError(`Give exactly one of ${['id', 'databaseId', ...Object.keys(getters)].join(', ')}.`);
  }
  const [name, value] = key;
  if (name === 'databaseId') return await recordById(reads, list, Number(value), scope);
  const text = String(value);
  if (name === 'id') {
    const parsed = parseGlobalId(text);
    return parsed?.typeName === list.name ? await recordById(reads, list, parsed.id, scope) : null;
  }
  demandScope(reads.caller, scope);
  const found = await reads.loaders.load(list, `by ${name} ${text}`, (work) =>
    orNull(async () => (await getters[name]?.(work, text)) ?? null),
  );
  return counted(reads, found);
}

async function orNull<T>(get: () => Promise<T | null>): Promise<T | null> {
  try {
    return await get();
  } catch (error) {
    if (error instanceof DomainError && error.code === 'not_found') return null;
    throw error;
  }
}

/** A list of the whole company. */
export function companyList<T>(reads: Reads, list: List<T>, request: SliceRequest): Connection<T> {
  const { condition } = request;
  const { loaders } = reads;
  return connection(
    request,
    () =>
      countedSlice(
        reads,
        loaders.load(list, `slice ${JSON.stringify(request)}`, (work) => list.slice(work, request)),
      ),
    () => loaders.load(list, `count ${JSON.stringify(condition)}`, (work) => list.count(work, condition)),
  );
}

/** A list of one parent, read together with those of the other parents in the operation. */
export function childList<T, P extends KeyValue>(
  reads: Reads,
  child: ChildList<T, P>,
  parent: P,
  request: SliceRequest,
): Connection<T> {
  return connection(
    request,
    () => countedSlice(reads, slicesOf(reads, child, request).load(parent)),
    () => countsOf(reads, child, request.condition).load(parent),
  );
}

function slicesOf<T, P extends KeyValue>({ loaders }: Reads, child: ChildList<T, P>, request: SliceRequest) {
  return loaders.loader<Slice<T>, P>(child, `slice ${JSON.stringify(request)}`, async (work, parents) => {
    const slices = await child.slices(work, parents, request);
    return parents.map((parent) => slices.get(parent) ?? { items: [], hasMore: false });
  });
}

function countsOf<T, P extends KeyValue>(
  { loaders }: Reads,
  child: ChildList<T, P>,
  condition: Condition | null,
) {
  return loaders.loader<number, P>(child, `count ${JSON.stringify(condition)}`, async (work, parents) => {
    const counts = await child.counts(work, parents, condition);
    return parents.map((parent) => counts.get(parent) ?? 0);
  });
}
