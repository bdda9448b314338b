import { isTurnOver, yieldToEventLoop } from '../concurrency/event-loop.js';
import type { Row } from '../requests.js';
import { isObject } from './json.js';

/**
 * The rows of NDJSON: UTF-8, a JSON object in each line. Empty lines are skipped, but count for the line numbers. A
 * line of more than `maxBytes` is never in memory as a whole. An invalid line is a row with errors of the field `row`.
 */
export async function* ndjsonRows(
  pieces: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Row, undefined> {
  let [line, size] = [0, 0];
  let held: Uint8Array[] = [];
  const add = (bytes: Uint8Array): void => {
    size += bytes.length;
    if (size > maxBytes) held = [];
    else held.push(bytes);
  };
  const endLine = (): Row | undefined => {
    line += 1;
    const [only = NO_BYTES, ...more] = held;
    const row =
      size > maxBytes
        ? refused(line, `must have at most ${maxBytes} bytes`)
        : rowOf(line, more.length === 0 ? only : Buffer.concat(held));
    [held, size] = [[], 0];
    return row;
  };
  for await (const piece of ending(pieces)) {
    let start = 0;
    for (let end = piece.indexOf(NEWLINE); end !== -1; end = piece.indexOf(NEWLINE, start)) {
      add(piece.subarray(start, end));
      start = end + 1;
      const row = endLine();
      if (row !== undefined) yield row;
      if (isTurnOver()) await yieldToEventLoop();
    }
    if (start < piece.length) add(piece.subarray(start));
  }
}

const NEWLINE = 10;

/** The pieces, then a newline, which the last line may lack. */
async function* ending(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* pieces;
  yield Uint8Array.of(NEWLINE);
}

export function ndjsonLine(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

const NO_BYTES = new Uint8Array(0);
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Undefined for an empty line. */
function rowOf(line: number, bytes: Uint8Array): Row | undefined {
  if (bytes.length === 0) return undefined;
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
