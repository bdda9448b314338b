import { comparableInstant } from '../storage.js';
import type { Comparison, Condition, FilterColumn } from './condition.js';
import { isInstant } from './instants.js';

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

/** Sort value of a key, in the form that is compared with its column. */
export function boundKey(column: string, { value }: Key): KeyValue | Date {
  return isInstant(column) ? comparableInstant(value) : value;
}

/**
 * Whether a comparison follows from the key, for example `started_at < tomorrow` below the key of yesterday.
 * Such a comparison is left out, because SQLite may start its index scan at its bound, far from the key.
 */
export function impliedByKey(
  filters: Readonly<Record<string, FilterColumn>>,
  column: string,
  request: SliceRequest,
): (part: Comparison) => boolean {
  const at = request.key?.value;
  return ({ field, operator, value }) => {
    if (typeof at !== 'number' || !(value instanceof Date)) return false;
    if (filters[field]?.column !== column) return false;
    const end = value.getTime();
    return isDown(request) ? operator === 'lt' && at < end : operator === 'gte' && at >= end;
  };
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
