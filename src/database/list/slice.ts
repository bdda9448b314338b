import type { Condition } from './condition.js';

export type KeyValue = string | number;

/** Where a record stands in a list, for example `{ value: 'SN-0042', id: 17 }` in the order of serial numbers. */
export interface Key {
  readonly value: KeyValue;
  readonly id: number;
}

export interface SliceRequest {
  /** Name in `orders`. */
  readonly order: string;
  readonly descending: boolean;
  /** The last `limit` records before `key`, instead of the first ones after it; their order is the same. */
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
