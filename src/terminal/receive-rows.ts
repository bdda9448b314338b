import { notAnObject } from '../http/body/body.js';
import { HttpProblem } from '../http/problem.js';
import { isObject, ndjsonRows } from '../platform/encoding/ndjson.js';
import type { Row } from '../platform/requests/rows.js';
import { NDJSON_TYPE } from '../rest/lines/line-route.js';
import { MAX_LINE_BYTES } from '../rest/lines/line-router.js';
import type { RowLimits } from './route.js';

/** See `TerminalExchange.rows`. */
export async function receiveRows(
  contentType: string | undefined,
  body: AsyncGenerator<Uint8Array, undefined>,
  limits: RowLimits,
): Promise<readonly Row[]> {
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase();
  if (type === 'application/json') return [rowOf(await wholeOf(body, limits))];
  if (type !== NDJSON_TYPE) {
    const message = `Send a JSON object per line as Content-Type: ${NDJSON_TYPE}, or one as application/json.`;
    throw new HttpProblem(415, 'not_ndjson', message);
  }
  const rows: Row[] = [];
  for await (const row of ndjsonRows(limited(body, limits), MAX_LINE_BYTES)) {
    rows.push(row);
    if (rows.length > limits.rows) throw tooLarge(`${limits.rows} lines`);
  }
  return rows;
}

/** Rows that are there already. */
export async function* each<T>(values: readonly T[]): AsyncGenerator<T, undefined> {
  for (const value of values) yield await Promise.resolve(value);
}

async function* limited(
  pieces: AsyncIterable<Uint8Array>,
  { bytes }: RowLimits,
): AsyncGenerator<Uint8Array, undefined> {
  let received = 0;
  for await (const piece of pieces) {
    received += piece.length;
    if (received > bytes) throw tooLarge(`${bytes} bytes`);
    yield piece;
  }
}

async function wholeOf(pieces: AsyncIterable<Uint8Array>, limits: RowLimits): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const piece of limited(pieces, limits)) all.push(piece);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(all));
  } catch {
    throw new HttpProblem(400, 'malformed', 'The body is not valid UTF-8.');
  }
}

/** Errors: 400. */
function rowOf(text: string): Row {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new HttpProblem(400, 'malformed_json', 'The body is not well-formed JSON.');
  }
  if (!isObject(value)) throw notAnObject();
  return { line: 1, value, bytes: text.length };
}

function tooLarge(limit: string): HttpProblem {
  return new HttpProblem(
    413,
    'too_large',
    `The body has more than ${limit}: send it in parts. Nothing was stored.`,
  );
}
