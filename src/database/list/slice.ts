import { TABLES } from '../../schema/schema.js';
import { comparableInstant } from '../storage.js';
import { conjuncts, LAST, type Comparison, type Condition, type FilterColumn } from './condition.js';

export type KeyValue = string | number;

/**
 * Position of a record in a list, for example `{ value: 'SN-0042', id: 17 }` in the order of serial numbers.
 */
export interface Key {
  readonly value: KeyValue;
  readonly id: number;
}

export interface SliceRequest {
  /** Name in `orders`. */
  readonly order: string;
  readonly descending: boolean;
  /**
   * Whether to read the last `limit` records before `key` instead of the first ones after it, in the same
   * order.
   */
  readonly backward: boolean;
  readonly limit: number;
  /** Null for the first page, or the last one with `backward`. */
  readonly key: Key | null;
  readonly condition: Condition | null;
}

export interface Slice<T> {
  readonly items: readonly { readonly record: T; readonly key: Key }[];
  /** Whether there are more records in the direction of the request. */
  readonly hasMore: boolean;
}

/** Whether keys become smaller in the direction of the request. */
export const isDown = (request: SliceRequest): boolean => request.descending !== request.backward;

/** Sorts in memory: at most `limit + 1` rows per parent, cheaper than one ORDER BY over all parents. */
export function sortById<Id extends string>(
  rows: Record<Id, unknown>[],
  id: Id,
  request: SliceRequest,
): void {
  const sign = isDown(request) ? -1 : 1;
  rows.sort((a, b) => sign * ((a[id] as number) - (b[id] as number)));
}

/** Names of the columns that hold instants; a name has the same meaning in all tables. */
const INSTANTS: ReadonlySet<string> = new Set(
  TABLES.flatMap(({ columns }) => Object.keys(columns).filter((name) => columns[name]?.kind === 'instant')),
);

/** Sort value of a key, in the form that is compared with its column. */
export function boundKey(column: string, { value }: Key): KeyValue | Date {
  return INSTANTS.has(column) ? comparableInstant(value) : value;
}

/**
 * The condition of a page without what follows from its key, for example `started_at < tomorrow` below the key
 * of yesterday: SQLite may start its index scan at such a bound, far from the key.
 */
export function besideKey(
  filters: Readonly<Record<string, FilterColumn>>,
  column: string,
  request: SliceRequest,
): Condition | null {
  const { condition, key } = request;
  if (condition === null || key === null) return condition;
  const parts = conjuncts(condition).map((part) =>
    'field' in part && filters[part.field]?.column === column ? restBeside(key, part, request) : part,
  );
  return { and: parts };
}

function restBeside({ value: at }: Key, part: Comparison, request: SliceRequest): Condition {
  const { field, operator, value } = part;
  if (typeof at === 'number' && value instanceof Date) {
    const end = value.getTime();
    const isImplied = isDown(request) ? operator === 'lt' && at < end : operator === 'gte' && at >= end;
    return isImplied ? { and: [] } : part;
  }
  if (operator !== 'startsWith' || !String(at).startsWith(String(value))) return part;
  const [other, bound] = isDown(request)
    ? (['gte', value] as const)
    : (['lt', `${String(value)}${LAST}`] as const);
  return { field, operator: other, value: bound };
}

/**
 * Converts rows to records. Rows with the same id become the same object, so that a record of many parents
 * exists once.
 */
export function sharing<Row, T>(list: { id: keyof Row; recordOf: (row: Row) => T }): (row: Row) => T {
  const records = new Map<unknown, T>();
  return (row) => {
    const record = records.get(row[list.id]) ?? list.recordOf(row);
    records.set(row[list.id], record);
    return record;
  };
}
