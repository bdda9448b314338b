import { DomainError } from '../../../platform/errors.js';

/** Maximum bytes of the rows of one statement outside a write transaction. */
export const MAX_BYTES_READ = 32 * 1024 * 1024;

/** All rows. Errors: `malformed` if the texts of these columns have more than `MAX_BYTES_READ`. */
export function allWithinLimit(rows: Iterable<unknown>, columns: readonly string[]): unknown[] {
  const all: unknown[] = [];
  let bytes = 0;
  for (const row of rows) {
    for (const column of columns) {
      const value = (row as Readonly<Record<string, unknown>>)[column];
      if (typeof value === 'string') bytes += value.length;
    }
    if (bytes > MAX_BYTES_READ) throw tooManyBytes();
    all.push(row);
  }
  return all;
}

export function tooManyBytes(): DomainError {
  return new DomainError(
    'malformed',
    `The records have more than ${MAX_BYTES_READ} bytes: request fewer at once.`,
  );
}
