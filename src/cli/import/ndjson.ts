import { isObject, MAX_ROW_BYTES, openFile, type Row, type RowFile } from './row.js';

/** A file with one JSON object per line. Empty lines are skipped; they count for the line numbers. */
export function ndjsonFile(path: string): RowFile {
  const { pieces, bytesRead } = openFile(path);
  return { rows: rowsIn(pieces), bytesRead };
}

async function* rowsIn(pieces: AsyncIterable<Buffer>): AsyncGenerator<Row> {
  let line = 0;
  for await (const bytes of linesIn(pieces)) {
    line += 1;
    const row = rowOf(line, bytes);
    if (row !== undefined) yield row;
  }
}

const NEWLINE = 10;

/** The lines; null for one that is longer than `MAX_ROW_BYTES`, which is never held as a whole. */
async function* linesIn(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer | null> {
  let held: Buffer[] = [];
  let size = 0;
  const add = (bytes: Buffer): void => {
    size += bytes.length;
    held = size > MAX_ROW_BYTES ? [] : [...held, bytes];
  };
  const line = (): Buffer | null => {
    const whole = size > MAX_ROW_BYTES ? null : Buffer.concat(held);
    [held, size] = [[], 0];
    return whole;
  };
  for await (const piece of pieces) {
    let start = 0;
    for (let end = piece.indexOf(NEWLINE); end !== -1; end = piece.indexOf(NEWLINE, start)) {
      add(piece.subarray(start, end));
      yield line();
      start = end + 1;
    }
    if (start < piece.length) add(piece.subarray(start));
  }
  if (size > 0) yield line();
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function rowOf(line: number, bytes: Buffer | null): Row | undefined {
  if (bytes === null) return refused(line, `must have at most ${MAX_ROW_BYTES} bytes`);
  try {
    const text = utf8.decode(bytes);
    if (text.trim() === '') return undefined;
    const value: unknown = JSON.parse(text);
    return isObject(value) ? { line, value, bytes: bytes.length } : refused(line, 'must be a JSON object');
  } catch (error) {
    return refused(line, error instanceof SyntaxError ? 'is not JSON' : 'is not UTF-8 text');
  }
}

const refused = (line: number, message: string): Row => ({ line, errors: { row: [message] } });
