import type { Request, RequestHandler, Response } from 'express';

import type { Units, WriteWork } from '../database/work.js';
import * as bodies from '../http/body/body.js';
import { HttpProblem, problemResponse } from '../http/problem.js';
import { mediaTypeOf, requestContextOf } from '../http/request.js';
import { begun, endResponse, holdBytes, STREAM_BYTES, writeInPieces } from '../http/send.js';
import { takeSlot } from '../http/server/admission.js';
import { mayTakeLong } from '../http/server/listen.js';
import { companyOwner, workFor } from '../platform/clock.js';
import * as ndjson from '../platform/encoding/json.js';
import { DomainError } from '../platform/errors.js';
import { demandScope, type Authenticator, type Caller, type Scope } from '../platform/requests.js';
import { isObject } from '../platform/validate.js';
import type { RouteBase, Received } from './route.js';
import { authorize, callerOf, createRouter } from './router.js';

export const NDJSON_TYPE = 'application/x-ndjson';

/** Stores rows in batches, each in its own unit of work. `Checked` is a batch checked before its unit. */
export interface RowStore<Checked> {
  /** Checks a batch of rows; yields to the event loop during long work. */
  check(rows: readonly ndjson.Row[]): Promise<Checked>;
  /** Stores the batch. Resolves to one result per row, in the same order. */
  store(work: WriteWork, checked: Checked): Promise<readonly ndjson.RowResult[]>;
  /** Whether the answer has a line for this row. */
  shows(result: ndjson.RowResult): boolean;
}

/** Route with an NDJSON request of any length and an NDJSON answer. */
export interface LineRoute<Checked> extends RouteBase, RowStore<Checked> {
  readonly method: 'POST';
  readonly scope: Scope;
  /** Checks, before the answer begins, that rows can be stored. Errors: for example a full disk. */
  demandRoom(work: WriteWork): Promise<void>;
}

interface LineOptions {
  readonly units: Units;
  readonly authenticator: Authenticator;
  readonly bodyMs: number;
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
    await workFor(companyOwner(caller), () => receive(received, caller, options));
  });
}

/** Reads and stores the rows. Errors: those found before the answer begins. */
async function receive<Checked>(
  received: Received<LineRoute<Checked>>,
  caller: Caller,
  { units, authenticator, bodyMs, onError, stopping }: LineOptions,
): Promise<void> {
  const { request, response, route } = received;
  const { requestId } = requestContextOf(response);
  if (mediaTypeOf(request) !== NDJSON_TYPE) {
    throw notNdjson(`Send one JSON object per line, as Content-Type: ${NDJSON_TYPE}.`);
  }
  await bodies.refuseLabels(request, bodyMs);
  enterStreams(response, caller);
  holdBytes(response, STREAM_BYTES);
  await units.write(caller, (work) => route.demandRoom(work));
  bodies.inviteBody(request, response);
  const pieces = await begun(bodies.bodyPieces(request, { bodyMs }, stopping));
  mayTakeLong(response);
  response.status(200).setHeader('Content-Type', NDJSON_TYPE);
  response.flushHeaders();
  // The token may have been revoked since the batch before.
  const write: Lines['write'] = async (use) => {
    const again = await callerOf(received, authenticator);
    demandScope(again, route.scope);
    return await units.write(again, use);
  };
  const rows = ndjson.ndjsonRows(pieces, MAX_LINE_BYTES);
  await writeInPieces(response, lineAnswers(route, { rows, write, requestId, onError }));
  endResponse(request, response);
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
  readonly requestId: string;
  /** Receives server faults; the response reports them as 500. */
  readonly onError: (error: unknown, requestId: string) => void;
}

/** Yields lines for the rows of each committed batch, then the totals. An error ends the answer, in its last line. */
export async function* lineAnswers<Checked>(store: RowStore<Checked>, lines: Lines): AsyncGenerator<string> {
  const { rows, requestId } = lines;
  let totals = ndjson.NO_ROWS;
  try {
    for await (const batch of ndjson.batchesOf(rows, BATCH)) {
      const checked = await store.check(batch);
      const results = await lines.write((work) => store.store(work, checked));
      totals = ndjson.addRows(totals, results);
      const shown = results.filter((result) => store.shows(result)).map(ndjson.ndjsonLine);
      if (shown.length > 0) yield shown.join('');
    }
  } catch (error) {
    const { status, body } = problemResponse(error, requestId);
    if (status === 500) lines.onError(error, requestId);
    yield ndjson.ndjsonLine({ error: body, ...totals });
    return;
  }
  yield ndjson.ndjsonLine(totals);
}

/** Maximum rows and bytes of a body that is read as a whole. */
export interface RowLimits {
  readonly rows: number;
  readonly bytes: number;
}

/** Rows of a whole body: NDJSON, or one JSON object. Errors: 400, 413 too many bytes or rows, 415. */
export async function readRows(request: Request, body: AsyncIterable<Uint8Array>, limits: RowLimits) {
  const type = mediaTypeOf(request);
  const pieces = limited(body, limits);
  if (type === 'application/json') return [await readRow(pieces)];
  if (type !== NDJSON_TYPE) {
    throw notNdjson(
      `Send a JSON object per line as Content-Type: ${NDJSON_TYPE}, or one as application/json.`,
    );
  }
  const rows: ndjson.Row[] = [];
  for await (const row of ndjson.ndjsonRows(pieces, MAX_LINE_BYTES)) {
    rows.push(row);
    if (rows.length > limits.rows) throw tooLarge(`${limits.rows} lines`);
  }
  return rows;
}

async function* limited(pieces: AsyncIterable<Uint8Array>, { bytes }: RowLimits) {
  let received = 0;
  for await (const piece of pieces) {
    received += piece.length;
    if (received > bytes) throw tooLarge(`${bytes} bytes`);
    yield piece;
  }
}

function tooLarge(limit: string): HttpProblem {
  const message = `The body has more than ${limit}: send it in parts. Nothing was stored.`;
  return new HttpProblem(413, 'too_large', message);
}

/** The only row, sent as JSON. Errors: 400. */
async function readRow(pieces: AsyncIterable<Uint8Array>): Promise<ndjson.Row> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  let text = '';
  let value: unknown;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(all));
    value = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw bodies.notUtf8();
    throw new HttpProblem(400, 'malformed_json', 'The body is not well-formed JSON.');
  }
  if (!isObject(value)) throw bodies.notAnObject();
  return { line: 1, value, bytes: text.length };
}
