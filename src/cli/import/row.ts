import { createReadStream } from 'node:fs';

import type { FieldErrors } from '../../platform/errors.js';

/** A row of a file: an object, or why it is none. `line` is where it begins, from 1. */
export type Row = { readonly line: number } & (
  | { readonly value: Readonly<Record<string, unknown>>; readonly bytes: number }
  | { readonly errors: FieldErrors }
);

export interface RowFile {
  readonly rows: AsyncIterable<Row>;
  /** Number of bytes read so far. */
  readonly bytesRead: () => number;
}

/** Most bytes of one row. The longest transaction, with every character escaped, has about half as many. */
export const MAX_ROW_BYTES = 4 * 1024 * 1024;

/** The bytes of a file, in pieces. It is opened when the first one is read. */
export function openFile(path: string): {
  readonly pieces: AsyncIterable<Buffer>;
  readonly bytesRead: () => number;
} {
  let bytes = 0;
  async function* pieces(): AsyncGenerator<Buffer> {
    for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) {
      bytes += piece.length;
      yield piece;
    }
  }
  return { pieces: pieces(), bytesRead: () => bytes };
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
