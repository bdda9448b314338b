/** One numbered page of a list; both numbers are positive, `perPage` at most 100. */
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

export function offsetOf(request: PageRequest): number {
  return Math.min((request.page - 1) * request.perPage, Number.MAX_SAFE_INTEGER);
}
