import { createReadStream } from 'node:fs';

import { ndjsonRows } from '../../platform/encoding/ndjson.js';
import type { Row } from '../../platform/requests.js';
import { withPath } from '../../platform/storage/file-errors.js';

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
    try {
      for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) {
        bytes += piece.length;
        yield piece;
      }
    } catch (error) {
      throw withPath(error, path);
    }
  }
  return { pieces: pieces(), bytesRead: () => bytes };
}

/** A file with one JSON object per line. Empty lines are skipped; they count for the line numbers. */
export function ndjsonFile(path: string): RowFile {
  const { pieces, bytesRead } = openFile(path);
  return { rows: ndjsonRows(pieces, MAX_ROW_BYTES), bytesRead };
}
