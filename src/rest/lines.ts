import type { Request, RequestHandler, Response } from 'express';

import type { Units, WriteWork } from '../database/work.js';
import * as bodies from '../http/body/body.js';
import { HttpProblem, problemResponse } from '../http/problem.js';
import { mediaTypeOf, requestContextOf } from '../http/request.js';
import { endResponse, holdBytes, PIECE_BYTES, STREAM_BYTES, writeInPieces } from '../http/send.js';
import { takeSlot } from '../http/server/admission.js';
import { mayTakeLong } from '../http/server/listen.js';
import * as ndjson from '../platform/encoding/json.js';
import { DomainError } from '../platform/errors.js';
import { requireScope, type Authenticator, type Caller, type Scope } from '../platform/requests.js';
import type { Spool } from '../platform/spool.js';
import { isObject, parsedJson } from '../platform/validate.js';
import type { RouteBase, Received } from './route.js';
import { authorize, callerOf, createRouter } from './router.js';

export const NDJSON_TYPE = 'application/x-ndjson';
/** Names that clients also give to it. */
const NDJSON_TYPES: readonly (string | undefined)[] = [
  NDJSON_TYPE,
  'application/ndjson',
  'application/jsonl',
];

/** Stores rows in batches, each in its own unit of work. `Checked` is a batch checked before its unit. */
export interface RowStore<Checked> {
  /** Checks a batch of rows; yields to the event loop during long work. */
  check(rows: readonly ndjson.Row[]): Promise<Checked>;
  /** Stores the batch. Resolves to one result per row, in the same order. */
  store(work: WriteWork, checked: Checked): Promise<readonly ndjson.RowResult[]>;
  /** True if the answer has a line for this row. */
  shows(result: ndjson.RowResult): boolean;
}

/** Route with an NDJSON request of any length and an NDJSON answer. */
export interface LineRoute<Checked> extends RouteBase, RowStore<Checked> {
  readonly method: 'POST';
  readonly scope: Scope;
}

interface LineOptions {
  readonly units: Units;
  readonly authenticator: Authenticator;
  readonly bodyMs: number;
  readonly spool: (companyId: number) => Promise<Spool>;
  readonly onError: (error: unknown, requestId: string) => void;
  /** Aborted with `stoppingProblem` when the server stops. */
  readonly stopping: AbortSignal;
}

/** Maximum bytes per line: checking and masking that many blocks the event loop for up to 50 ms. */
export const MAX_LINE_BYTES = 256 * 1024;

/** Maximum rows and bytes stored in one transaction: other writes wait while it runs. */
const BATCH = { rows: 500, bytes: bodies.MAX_BODY_BYTES } as const;

/** Maximum concurrent streams of one company: each buffers a batch, and batches are stored one by one. */
export const STREAMS_OF_COMPANY = 4;
const RETRY_SECONDS = 10;

export const INGEST = '/ingest/v1';

export function createIngestRouter<Checked>(route: LineRoute<Checked>, options: LineOptions): RequestHandler {
  return createRouter(INGEST, [route], async (received) => {
    const caller = await authorize(received, route.scope, options.authenticator);
    await receive(received, caller, options);
  });
}

/**
 * Reads and stores the rows, then answers: proxies such as nginx stop sending a body once the response begins, and the
 * status can tell whether all were stored. Errors: those found before any row was stored.
 */
async function receive<Checked>(
  received: Received<LineRoute<Checked>>,
  caller: Caller,
  { units, authenticator, bodyMs, spool, onError, stopping }: LineOptions,
): Promise<void> {
  const { request, response, route } = received;
  const { requestId } = requestContextOf(response);
  if (!NDJSON_TYPES.includes(mediaTypeOf(request))) {
    throw notNdjson(`Send one JSON object per line, as Content-Type: ${NDJSON_TYPE}.`);
  }
  await bodies.refuseLabels(request, bodyMs);
  enterStreams(response, caller);
  holdBytes(response, STREAM_BYTES);
  mayTakeLong(response);
  bodies.inviteBody(request, response);
  // The token may have been revoked since the batch before.
  const write: Lines['write'] = async (use) => {
    const again = await callerOf(received, authenticator);
    requireScope(again, route.scope);
    return await units.write(again, use);
  };
  const rows = ndjson.ndjsonRows(bodies.bodyPieces(request, { bodyMs }, stopping), MAX_LINE_BYTES);
  const answer = new SpooledText(() => spool(caller.companyId));
  try {
    const { totals, error } = await storeLines(route, { rows, write }, (text) => answer.add(text));
    if (error !== null && totals.total === 0) throw error;
    const problem = error === null ? null : problemResponse(error, requestId);
    if (problem?.status === 500) onError(error, requestId);
    response.status(problem?.status ?? statusOf(totals)).set(problem?.headers ?? {});
    response.setHeader('Content-Type', NDJSON_TYPE);
    await writeInPieces(response, answer.pieces());
    const last = problem === null ? totals : { error: problem.body, ...totals };
    await writeInPieces(response, [ndjson.ndjsonLine(last)]);
    endResponse(request, response);
  } finally {
    await answer.close();
  }
}

/** A text that is written first and then read: a little of it in memory, more in a temporary file. */
class SpooledText {
  #rest = '';
  #spool: Spool | null = null;
  #spooledBytes = 0;

  constructor(private readonly openSpool: () => Promise<Spool>) {}

  async add(text: string): Promise<void> {
    this.#rest += text;
    if (this.#rest.length < PIECE_BYTES) return;
    this.#spool ??= await this.openSpool();
    const bytes = Buffer.from(this.#rest);
    await this.#spool.write(bytes);
    this.#spooledBytes += bytes.length;
    this.#rest = '';
  }

  async *pieces(): AsyncGenerator<string | Uint8Array> {
    for (let at = 0; this.#spool !== null && at < this.#spooledBytes; at += PIECE_BYTES) {
      yield await this.#spool.read(at, PIECE_BYTES);
    }
    yield this.#rest;
  }

  async close(): Promise<void> {
    await this.#spool?.close();
  }
}

const notNdjson = (message: string): HttpProblem => new HttpProblem(415, 'not_ndjson', message);

/** Counts the request among the streams of its company until it ends. Errors: `busy` for too many. */
function enterStreams(response: Response, { companyId }: Caller): void {
  const slot = { kind: 'ingest_of_company', of: String(companyId), max: STREAMS_OF_COMPANY };
  const message = `Too many streams at the same time: at most ${STREAMS_OF_COMPANY} of one company.`;
  takeSlot(response, slot, () => new DomainError('busy', message, { retryAfter: RETRY_SECONDS }));
}

/** Error of a stream that is open when the server stops. */
export function stoppingProblem(): HttpProblem {
  const message = 'The server is stopping. Rows after those of the totals are not stored: send them again.';
  return new HttpProblem(503, 'stopping', message, { 'Retry-After': String(RETRY_SECONDS) });
}

export interface Lines {
  readonly rows: AsyncIterable<ndjson.Row> | Iterable<ndjson.Row>;
  /** Runs a unit of work as the sender, after checking the token again. Errors: those of an invalid token. */
  readonly write: <T>(use: (work: WriteWork) => Promise<T>) => Promise<T>;
}

/** Stores rows in batches and passes on the lines to show of each committed one. Resolves to what was stored, and to the error that ended it. */
export async function storeLines<Checked>(
  store: RowStore<Checked>,
  { rows, write }: Lines,
  show: (text: string) => unknown,
): Promise<{ readonly totals: ndjson.RowTotals; readonly error: Error | null }> {
  let totals = ndjson.NO_ROWS;
  try {
    for await (const batch of ndjson.batchesOf(rows, BATCH)) {
      const checked = await store.check(batch);
      const results = await write((work) => store.store(work, checked));
      totals = ndjson.addRows(totals, results);
      const shown = results.filter((result) => store.shows(result)).map(ndjson.ndjsonLine);
      if (shown.length > 0) await show(shown.join(''));
    }
  } catch (error) {
    return { totals, error: error as Error };
  }
  return { totals, error: null };
}

/** Stores all rows. Resolves to an answer with a line for each row that `store.shows`, and the totals. Errors: unless all were tried. */
export async function storeAll<Checked>(store: RowStore<Checked>, lines: Lines) {
  let body = '';
  const { totals, error } = await storeLines(store, lines, (text) => (body += text));
  if (error !== null) throw error;
  return { status: statusOf(totals), type: NDJSON_TYPE, body: body + ndjson.ndjsonLine(totals) };
}

/** Descriptions of the statuses of `statusOf`, for documents. */
export const LINE_STATUSES = {
  200: 'Each line is such an object. All rows were stored, were stored before, or were rejected.',
  422: 'The body had one row, which was rejected. The lines say why.',
};

/** Errors that can come when some rows are stored. */
export const ENDED_EARLY = Object.fromEntries(
  [400, 401, 403, 408, 500, 503].map((status) => [
    status,
    'The error object if nothing was stored; else the lines up to the error, and the totals with it.',
  ]),
);

/** Status of an answer without an error: many terminals look at nothing else. A single row that was refused is 422. */
const statusOf = ({ total, rejected }: ndjson.RowTotals): 200 | 422 =>
  total === 1 && rejected === 1 ? 422 : 200;

/** Maximum rows and bytes of a body that is read as a whole. */
export interface RowLimits {
  readonly rows: number;
  readonly bytes: number;
}

/** Rows of a whole body: NDJSON, or one JSON object. Errors: 400, 408, 413 too many bytes or rows, 415. */
export async function readRows(
  request: Request,
  { rows: maxRows, bytes: maxBytes }: RowLimits,
  bodyMs: number,
): Promise<readonly ndjson.Row[]> {
  const type = mediaTypeOf(request);
  const limits = { bodyMs, maxBytes, tooLarge: () => tooLarge(`${maxBytes} bytes`) };
  if (type === 'application/json') {
    const { text } = await bodies.readText(request, limits);
    const value = parsedJson(text);
    if (value === undefined) throw bodies.notJson();
    if (!isObject(value)) throw bodies.notAnObject();
    return [{ line: 1, value, bytes: text.length }];
  }
  await bodies.refuseLabels(request, bodyMs);
  if (!NDJSON_TYPES.includes(type)) {
    throw notNdjson(
      `Send a JSON object per line as Content-Type: ${NDJSON_TYPE}, or one as application/json.`,
    );
  }
  const rows: ndjson.Row[] = [];
  for await (const row of ndjson.ndjsonRows(bodies.bodyPieces(request, limits), MAX_LINE_BYTES)) {
    rows.push(row);
    if (rows.length > maxRows) throw tooLarge(`${maxRows} lines`);
  }
  return rows;
}

function tooLarge(limit: string): HttpProblem {
  const message = `The body has more than ${limit}: send it in parts. Nothing was stored.`;
  return new HttpProblem(413, 'too_large', message);
}
