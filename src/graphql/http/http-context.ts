import type { Request, RequestHandler, Response } from 'express';
import { finished } from 'node:stream';

import { requestContextOf as requestContextOf } from '../../http/request-context.js';
import { isIdempotencyKey } from '../../resources/idempotency-key/idempotency-key.service.js';
import { readToken } from '../../http/credential.js';
import type { HeldUpload } from '../../http/multipart.js';
import { malformed, readQuery } from '../../http/query.js';
import { sendInPieces } from '../../http/send.js';
import type { Authenticate } from './authentication.js';
import type { GraphqlContext } from '../execution/context.js';
import { NO_FACTS } from '../execution/request.js';
import { tooManyInFlight, type InFlightResponses } from '../limits/in-flight.js';

/** Knows who asks before anything of the operation is read. */
export function authenticateRequest(authenticate: Authenticate, template = '/graphql'): RequestHandler {
  return async (request, response, next) => {
    const known = requestContextOf(response);
    known.template = template;
    const token = readToken(request, readQuery(request.originalUrl));
    const { ip, requestId, budget } = known;
    const context = await authenticate(
      token,
      { channel: 'api', ip, requestId },
      { ...NO_FACTS, budget, idempotencyKey: idempotencyKeyOf(request) },
    );
    known.caller = context.caller;
    response.locals.graphql = context;
    next();
  };
}

export function graphqlContextOf(response: Response): GraphqlContext {
  return response.locals.graphql as GraphqlContext;
}

/** What was uploaded is held until the operation has run: taking the answer is up to the client's pace. */
export function holdUntilRun(response: Response, upload: HeldUpload): void {
  response.locals.upload = upload;
}

function letGo(request: Request, response: Response): void {
  request.body = undefined;
  (response.locals.upload as HeldUpload | undefined)?.release();
  delete response.locals.upload;
}

/** Runs an operation; where bytes go into its answer, they are read while it is sent. */
export function operate(run: RequestHandler, underWay: InFlightResponses): RequestHandler {
  return async (request, response, next) => {
    const { contents, caller } = graphqlContextOf(response);
    const sent: Promise<void>[] = [];
    const send = response.send.bind(response);
    contents.sendInPieces();
    response.send = (text: string) => {
      const letGoOf = underWay.take(caller.companyId, text.length);
      if (letGoOf === null) throw tooManyInFlight();
      // Also where the client is gone already.
      finished(response, { readable: false }, letGoOf);
      if (!contents.hasMarks) return send(text);
      sent.push(sendInPieces(response, contents.fill(text)));
      return response;
    };
    try {
      await run(request, response, next);
    } finally {
      graphqlContextOf(response).finish();
      letGo(request, response);
    }
    await Promise.all(sent);
  };
}

function idempotencyKeyOf(request: Request): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined || request.method !== 'POST') return null;
  if (typeof key !== 'string' || !isIdempotencyKey(key)) {
    throw malformed('An Idempotency-Key has 1 to 255 printable ASCII characters and no spaces.');
  }
  return key;
}
