import { Router, type Request, type RequestHandler, type Response } from 'express';

import type { Units } from '../../database/work.js';
import { inviteBody, refuseEncodings } from '../../http/body/body.js';
import { bodyPieces } from '../../http/body/body-pieces.js';
import type { BodyRate } from '../../http/body/least-rate.js';
import { holdBytes, STREAM_BYTES, writeInPieces } from '../../http/pieces.js';
import { HttpProblem, methodNotAllowed } from '../../http/problem.js';
import { readQuery } from '../../http/query.js';
import { requestContextOf } from '../../http/request-context.js';
import { endResponse, sendMethods } from '../../http/send.js';
import { mayTakeLong } from '../../http/server/long-requests.js';
import type { Authenticator, Caller } from '../../platform/caller.js';
import { companyOwner, workFor } from '../../platform/concurrency/event-loop.js';
import { DomainError } from '../../platform/errors.js';
import { authorize, authorizeAgain, type Access } from '../authorize.js';
import { lineAnswers } from './line-answers.js';
import type { LineRoute } from './line-route.js';

interface LineOptions {
  readonly units: Units;
  readonly authenticator: Authenticator;
  readonly bodyRate: BodyRate;
  readonly onError: (error: unknown, requestId: string) => void;
}

const METHODS = ['POST', 'OPTIONS'];
const NDJSON_TYPE = 'application/x-ndjson';

/** Streams of one company at the same time: each holds a batch in memory, and its batches wait for each other. */
const STREAMS_OF_COMPANY = 4;
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

/** Errors: those that come before the answer begins. */
async function receive<Checked>(
  route: LineRoute<Checked>,
  access: Access,
  caller: Caller,
  options: LineOptions,
): Promise<void> {
  const { request, response } = access;
  const { units, authenticator, bodyRate, onError } = options;
  const { requestId } = requestContextOf(response);
  refuseOtherTypes(request);
  refuseEncodings(request);
  enterStreams(response, caller);
  holdBytes(response, STREAM_BYTES);
  await units.write(caller, (work) => route.demandRoom(work));
  inviteBody(request, response);
  const pieces = bodyPieces(request, bodyRate);
  const first = await pieces.next();
  mayTakeLong(response);
  response.status(200).setHeader('Content-Type', NDJSON_TYPE);
  response.flushHeaders();
  const again = (): Promise<Caller> => authorizeAgain(access, authenticator);
  const lines = { pieces: beginningWith(first, pieces), units, caller: again, requestId, onError };
  await writeInPieces(response, lineAnswers(route, lines));
  endResponse(request, response);
}

/** Errors: 415. */
function refuseOtherTypes({ headers }: Request): void {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() === NDJSON_TYPE) return;
  throw new HttpProblem(415, 'not_ndjson', `Send one JSON object per line, as Content-Type: ${NDJSON_TYPE}.`);
}

/** Counts the request until it ends. Errors: `busy` if the company has too many of them. */
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
