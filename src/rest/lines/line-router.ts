import { Router, type Request, type RequestHandler, type Response } from 'express';

import type { Units } from '../../database/work.js';
import { bodyPieces } from '../../http/body/body-pieces.js';
import { inviteBody, refuseLabels } from '../../http/body/body.js';
import type { BodyRate } from '../../http/body/least-rate.js';
import { headerOf } from '../../http/headers.js';
import { holdBytes, STREAM_BYTES, writeInPieces } from '../../http/pieces.js';
import { HttpProblem, methodNotAllowed } from '../../http/problem.js';
import { readQuery } from '../../http/query.js';
import { requestContextOf } from '../../http/request-context.js';
import { endResponse, sendMethods } from '../../http/send.js';
import { mayTakeLong } from '../../http/server/long-requests.js';
import type { Authenticator, Caller } from '../../platform/caller.js';
import { companyOwner, workFor } from '../../platform/concurrency/event-loop.js';
import { untilAborted } from '../../platform/concurrency/until-aborted.js';
import { ndjsonRows } from '../../platform/encoding/ndjson.js';
import { DomainError } from '../../platform/errors.js';
import { authorize, authorizeAgain, type Access } from '../authorize.js';
import { lineAnswers, type Lines } from './line-answers.js';
import { NDJSON_TYPE, type LineRoute } from './line-route.js';

interface LineOptions {
  readonly units: Units;
  readonly authenticator: Authenticator;
  readonly bodyRate: BodyRate;
  readonly onError: (error: unknown, requestId: string) => void;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
}

const METHODS = ['POST', 'OPTIONS'];

/** Maximum bytes per line: checking and masking that many blocks the event loop for up to 50 ms. */
export const MAX_LINE_BYTES = 256 * 1024;

/** Maximum concurrent streams of one company: each buffers a batch, and batches are stored one by one. */
export const STREAMS_OF_COMPANY = 4;
const RETRY_SECONDS = 10;

/** Serves a route of NDJSON. */
export function createLineRouter<Checked>(route: LineRoute<Checked>, options: LineOptions): RequestHandler {
  const router = Router({ caseSensitive: true });
  router.all(route.path, async (request, response) => {
    requestContextOf(response).template = route.path;
    if (request.method === 'OPTIONS') {
      sendMethods(response, METHODS);
      return;
    }
    if (request.method !== 'POST') throw methodNotAllowed(METHODS);
    const query = readQuery(request.originalUrl);
    const access: Access = { request, response, query, scope: route.scope };
    const caller = await authorize(access, options.authenticator);
    await workFor(companyOwner(caller), () => receive(route, access, caller, options));
  });
  return router;
}

/** Reads and stores the rows. Errors: those found before the answer begins. */
async function receive<Checked>(
  route: LineRoute<Checked>,
  access: Access,
  caller: Caller,
  options: LineOptions,
): Promise<void> {
  const { request, response } = access;
  const { units, authenticator, bodyRate, onError, stopping } = options;
  const { requestId } = requestContextOf(response);
  refuseOtherTypes(request);
  await refuseLabels(request, bodyRate);
  enterStreams(response, caller);
  holdBytes(response, STREAM_BYTES);
  await units.write(caller, (work) => route.demandRoom(work));
  inviteBody(request, response);
  const pieces = untilStopped(bodyPieces(request, bodyRate), stopping);
  const first = await pieces.next();
  mayTakeLong(response);
  response.status(200).setHeader('Content-Type', NDJSON_TYPE);
  response.flushHeaders();
  const write: Lines['write'] = async (use) => units.write(await authorizeAgain(access, authenticator), use);
  const rows = ndjsonRows(beginningWith(first, pieces), MAX_LINE_BYTES);
  await writeInPieces(response, lineAnswers(route, { rows, write, requestId, onError }));
  endResponse(request, response);
}

/** Errors: 415. */
function refuseOtherTypes(request: Request): void {
  const [type = ''] = (headerOf(request, 'content-type') ?? '').split(';');
  if (type.trim().toLowerCase() === NDJSON_TYPE) return;
  throw new HttpProblem(415, 'not_ndjson', `Send one JSON object per line, as Content-Type: ${NDJSON_TYPE}.`);
}

/** Counts the request among the streams of its company until it ends. Errors: `busy` for too many. */
function enterStreams(response: Response, { companyId }: Caller): void {
  const { limits, leave } = requestContextOf(response);
  const slot = { kind: 'ingest_of_company', of: String(companyId), max: STREAMS_OF_COMPANY };
  const taken = limits.slots.take(slot);
  if (typeof taken !== 'function') {
    const message = `Too many streams at the same time: at most ${STREAMS_OF_COMPANY} of one company.`;
    throw new DomainError('busy', message, { retryAfter: RETRY_SECONDS });
  }
  if (response.closed) taken();
  else leave.push(taken);
}

/** Yields the pieces until the server stops. Errors: 503 when it stops; later pieces are not stored. */
async function* untilStopped(
  pieces: AsyncGenerator<Buffer, undefined>,
  stopping: AbortSignal,
): AsyncGenerator<Buffer, undefined> {
  try {
    for (;;) {
      const next = await untilAborted(pieces.next(), stopping);
      if (next === 'aborted') throw isStopping();
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // Not awaited: it may wait for bytes that the client does not send.
    void pieces.return(undefined).catch(() => undefined);
  }
}

function isStopping(): HttpProblem {
  const message = 'The server is stopping. Rows after those of the totals are not stored: send them again.';
  return new HttpProblem(503, 'stopping', message, { 'Retry-After': String(RETRY_SECONDS) });
}

async function* beginningWith(
  first: IteratorResult<Buffer, undefined>,
  others: AsyncGenerator<Buffer, undefined>,
): AsyncGenerator<Buffer> {
  if (first.done === true) return;
  try {
    yield first.value;
    yield* others;
  } finally {
    await others.return(undefined);
  }
}
