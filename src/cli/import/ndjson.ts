import { ndjsonRows } from '../../platform/encoding/ndjson.js';
import { MAX_ROW_BYTES, openFile, type RowFile } from './row-file.js';

/** A file with one JSON object per line. Empty lines are skipped; they count for the line numbers. */
export function ndjsonFile(path: string): RowFile {
  const { pieces, bytesRead } = openFile(path);
  return { rows: ndjsonRows(pieces, MAX_ROW_BYTES), bytesRead };
}
