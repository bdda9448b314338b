/** A page of a list. `page` counts from 1; `perPage` is from 1 to `MAX_PER_PAGE`. */
export interface PageRequest {
  readonly page: number;
  readonly perPage: number;
}

export interface Page<T> {
  readonly records: readonly T[];
  /** Number of records in the whole list. */
  readonly total: number;
  readonly request: PageRequest;
}

export const DEFAULT_PER_PAGE = 30;
export const MAX_PER_PAGE = 100;

/** Number of records before the page. */
export function offsetOf(request: PageRequest): number {
  return Math.min((request.page - 1) * request.perPage, Number.MAX_SAFE_INTEGER);
}
