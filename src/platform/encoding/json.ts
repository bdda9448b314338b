import { z } from 'zod';

import { isTurnOver, yieldToEventLoop } from '../concurrency/event-loop.js';
import { type DomainError, type FieldMessages, invalid } from '../errors.js';
import { type BrokenRule, rule } from '../rules.js';
import { brokenByStoring, isObject, refusedBy } from '../validate.js';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

const MAX_JSON_DEPTH = 32;
const MAX_JSON_NODES = 10_000;

/**
 * The rule by which a parsed JSON value cannot be stored; undefined if it can. A stored value must be read back unchanged
 * and must never break a response: deep nesting overflows a serializer, and numbers beyond 2^53 or 1e308 change.
 */
export function brokenByJson(value: unknown): BrokenRule | undefined {
  const pending: { value: unknown; depth: number }[] = [{ value, depth: 1 }];
  let nodes = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    nodes += 1;
    if (nodes > MAX_JSON_NODES)
      return rule('must have at most {maximum} values', { maximum: MAX_JSON_NODES });
    if (next.depth > MAX_JSON_DEPTH)
      return rule('must be nested at most {maximum} levels deep', { maximum: MAX_JSON_DEPTH });
    const broken = brokenByScalar(next.value);
    if (broken !== undefined) return broken;
    for (const child of childrenOf(next.value)) pending.push({ value: child, depth: next.depth + 1 });
  }
  return undefined;
}

function brokenByScalar(value: unknown): BrokenRule | undefined {
  if (typeof value === 'string') return brokenByStoring(value);
  if (typeof value !== 'number') return undefined;
  if (!Number.isFinite(value)) return rule('must not contain numbers beyond 1e308');
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    return rule('must not contain whole numbers beyond 2^53 - 1: send them as strings');
  return undefined;
}

function childrenOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flat();
}

const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/**
 * Members of a JSON object with their numbers as text: `{"number":1.10}` gives `{ number: '1.10' }`. `text` must be
 * valid. A reviver, which gets the text of each number too, takes five times as long.
 */
export function numbersAsText(text: string, names: ReadonlySet<string>): Readonly<Record<string, unknown>> {
  const quoted = text.replace(STRING_OR_NUMBER, (token) => (token.startsWith('"') ? token : `"${token}"`));
  const members = Object.entries(JSON.parse(quoted) as object).filter(([name]) => names.has(name));
  return Object.fromEntries(members);
}

/** A row, or what is wrong with it. `line` is its first line, from 1; `bytes` its approximate size. */
export type Row = { readonly line: number } & (
  | { readonly value: Readonly<Record<string, unknown>>; readonly bytes: number }
  | { readonly problem: DomainError }
);

export interface RejectedRow {
  readonly line: number;
  readonly result: 'rejected';
  readonly errors: FieldMessages;
}

/** Result of a row: `created` if it has changed something, `repeated` if it was stored before, or `rejected`. */
export type RowResult =
  | {
      readonly line: number;
      readonly result: 'created' | 'repeated';
      readonly id: number;
      /** Messages by field; the row is stored all the same. */
      readonly warnings?: FieldMessages;
    }
  | RejectedRow;

/** Numbers of rows: `total` is the sum of the others. */
export interface RowTotals {
  readonly total: number;
  readonly created: number;
  readonly repeated: number;
  readonly rejected: number;
}

export const NO_ROWS: RowTotals = { total: 0, created: 0, repeated: 0, rejected: 0 };

const line = z.int().min(1).describe('Number of the line, from 1.');
const errors = z.record(z.string(), z.array(z.string())).describe('Messages by field.');
const count = z.int().min(0);
const totals = { total: count, created: count, repeated: count, rejected: count };

/** Lines of a response: the result of each row, then the totals, with the error that ended the response. */
const warnings = errors.optional().describe('What to check by field; the row is stored as it was sent.');
export const StoredLine = z.strictObject({
  line,
  result: z.enum(['created', 'repeated']),
  id: z.int(),
  warnings,
});
export const RejectedLine = z.strictObject({ line, result: z.literal('rejected'), errors });
const error = z
  .strictObject({ message: z.string(), code: z.string(), request_id: z.string(), errors: errors.optional() })
  .describe('What has ended the answer. The totals count what is stored.');
export const LastLine = z.strictObject({ ...totals, error: error.optional() });

export function addRows(totals: RowTotals, results: readonly RowResult[]): RowTotals {
  const sums = { ...totals };
  for (const { result } of results) {
    sums.total += 1;
    sums[result] += 1;
  }
  return sums;
}

/** Collects rows into batches: each ends with the row that reaches a limit, the last one perhaps before. */
export async function* batchesOf(
  rows: AsyncIterable<Row> | Iterable<Row>,
  limits: { readonly rows: number; readonly bytes: number },
): AsyncGenerator<readonly Row[]> {
  let batch: Row[] = [];
  let bytes = 0;
  for await (const row of rows) {
    batch.push(row);
    bytes += 'bytes' in row ? row.bytes : 0;
    if (batch.length === limits.rows || bytes >= limits.bytes) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
  }
  if (batch.length > 0) yield batch;
}

/**
 * The rows of NDJSON: UTF-8, a JSON object in each line. Empty lines are skipped, but count for the line numbers. A
 * line of more than `maxBytes` is never in memory as a whole. An invalid line is a row with a problem of the field `row`.
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
        ? { line, problem: invalid('row', 'must have at most {maximum} bytes', { maximum: maxBytes }) }
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

/** Most bytes of one row. The longest transaction, with every character escaped, has about half as many. */
export const MAX_ROW_BYTES = 4 * 1024 * 1024;

const NEWLINE = 10;

/** The pieces, then a newline, which the last line may lack. */
async function* ending(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* pieces;
  yield Uint8Array.of(NEWLINE);
}

export const ndjsonLine = (value: object): string => `${JSON.stringify(value)}\n`;

const NO_BYTES = new Uint8Array(0);
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Undefined for an empty line. */
function rowOf(line: number, bytes: Uint8Array): Row | undefined {
  if (bytes.length === 0) return undefined;
  try {
    const text = utf8.decode(bytes);
    if (text.trim() === '') return undefined;
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return { line, value, bytes: bytes.length };
    return { line, problem: invalid('row', 'must be a JSON object') };
  } catch (error) {
    return {
      line,
      problem: invalid('row', error instanceof SyntaxError ? 'is not JSON' : 'is not UTF-8 text'),
    };
  }
}

/** A JSON object of at most so many bytes as JSON text. */
export const jsonObject = (maxBytes: number): z.ZodType<object> =>
  z
    .custom<object>()
    .superRefine(
      refusedBy((value) =>
        isObject(value) ? brokenByJsonText(value, maxBytes) : rule('must be a JSON object'),
      ),
    );

/** The rule by which a value with at most so many bytes as JSON text cannot be stored; undefined if it can. */
export function brokenByJsonText(value: unknown, maximum: number): BrokenRule | undefined {
  // The depth is checked first: JSON.stringify overflows the stack on values that are nested too deep.
  const broken = brokenByJson(value);
  if (broken !== undefined || Buffer.byteLength(JSON.stringify(value)) <= maximum) return broken;
  return rule('must have at most {maximum} bytes as JSON text', { maximum });
}
