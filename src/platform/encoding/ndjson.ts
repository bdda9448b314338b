import { isTurnOver, yieldToEventLoop } from '../concurrency/event-loop.js';
import type { Row } from '../requests.js';

/**
 * The rows of NDJSON: UTF-8, a JSON object in each line. Empty lines are skipped, but count for the line
 * numbers. A line of more than `maxBytes` is never in memory as a whole. An invalid line is a row with errors
 * of the field `row`.
 */
export async function* ndjsonRows(
  pieces: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Row, undefined> {
  const lines = new Lines(maxBytes);
  for await (const piece of pieces) {
    for (const bytes of lines.endedBy(piece)) {
      const row = rowOf(lines.count, bytes, maxBytes);
      if (row !== undefined) yield row;
      if (isTurnOver()) await yieldToEventLoop();
    }
  }
  const last = lines.last();
  if (last === undefined) return;
  const row = rowOf(lines.count, last, maxBytes);
  if (row !== undefined) yield row;
}

/** A value as a line of NDJSON. */
export function ndjsonLine(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

const NEWLINE = 10;

/** Splits pieces of a text into lines. */
class Lines {
  #held: Uint8Array[] = [];
  #size = 0;
  #count = 0;

  constructor(private readonly maxBytes: number) {}

  /** Number of lines returned so far. */
  get count(): number {
    return this.#count;
  }

  /** The lines that end in this piece; null for a line that is too long. */
  *endedBy(piece: Uint8Array): Generator<Uint8Array | null, undefined> {
    let start = 0;
    for (let end = piece.indexOf(NEWLINE); end !== -1; end = piece.indexOf(NEWLINE, start)) {
      this.#add(piece.subarray(start, end));
      yield this.#end();
      start = end + 1;
    }
    if (start < piece.length) this.#add(piece.subarray(start));
  }

  /** The last line, if no newline follows it: null if it is too long, undefined if there is none. */
  last(): Uint8Array | null | undefined {
    return this.#size === 0 ? undefined : this.#end();
  }

  #add(bytes: Uint8Array): void {
    this.#size += bytes.length;
    if (this.#size > this.maxBytes) this.#held = [];
    else this.#held.push(bytes);
  }

  #end(): Uint8Array | null {
    const [only = NO_BYTES, ...more] = this.#held;
    const whole = more.length === 0 ? only : Buffer.concat(this.#held);
    const isTooLong = this.#size > this.maxBytes;
    this.#held = [];
    this.#size = 0;
    this.#count += 1;
    return isTooLong ? null : whole;
  }
}

const NO_BYTES = new Uint8Array(0);
const utf8 = new TextDecoder('utf-8', { fatal: true });

function rowOf(line: number, bytes: Uint8Array | null, maxBytes: number): Row | undefined {
  if (bytes === null) return refused(line, `must have at most ${maxBytes} bytes`);
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

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
