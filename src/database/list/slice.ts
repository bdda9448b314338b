import type { Condition } from './condition.js';

export type KeyValue = string | number;

export interface Key {
  readonly value: KeyValue;
  readonly id: number;
}

export interface SliceRequest {
  /** Name in `orders`. */
  readonly order: string;
  readonly descending: boolean;
  /** The last ones before `key` instead of the first ones after it; they come in the same order. */
  readonly backward: boolean;
  readonly limit: number;
  readonly key: Key | null;
  readonly condition: Condition | null;
}

export interface Slice<T> {
  readonly items: readonly { readonly record: T; readonly key: Key }[];
  /** Whether the list goes on in the direction of the request. */
  readonly hasMore: boolean;
}

/** Whether keys become smaller along the way. */
export const isDown = (request: SliceRequest): boolean => request.descending !== request.backward;
