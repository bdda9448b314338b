import type { Request, RequestHandler, Response } from 'express';
import { finished } from 'node:stream';

import { requestContextOf } from '../../http/request-context.js';
import { isIdempotencyKey } from '../../platform/idempotency.js';
import { readToken } from '../../http/credential.js';
import type { HeldUpload } from '../../http/body/multipart.js';
import { malformed, readQuery } from '../../http/query.js';
import { sendInPieces } from '../../http/send.js';
import type { Authenticate } from './authentication.js';
import type { GraphqlContext } from '../execution/context.js';
import { NO_FACTS } from '../execution/request.js';
import { tooManyInFlight, type InFlightResponses } from '../limits/in-flight.js';

/** Authenticates a request before its body is read. */
export function authenticateRequest(authenticate: Authenticate, template = '/graphql'): RequestHandler {
  return async (request, response, next) => {
    const requestContext = requestContextOf(response);
    requestContext.template = template;
    const token = readToken(request, readQuery(request.originalUrl));
    const { budget } = requestContext;
    const facts = { ...NO_FACTS, budget, idempotencyKey: idempotencyKeyOf(request) };
    const context = await authenticate(token, requestContext, facts);
    requestContext.caller = context.caller;
    response.locals.graphql = context;
    next();
  };
}

export function graphqlContextOf(response: Response): GraphqlContext {
  return response.locals.graphql as GraphqlContext;
}

/** Releases an upload after the execution, also where the client reads the response slowly. */
export function releaseAfterExecution(response: Response, upload: HeldUpload): void {
  response.locals.upload = upload;
}

function releaseUpload(request: Request, response: Response): void {
  request.body = undefined;
  (response.locals.upload as HeldUpload | undefined)?.release();
  delete response.locals.upload;
}

/** Executes an operation with `run`. Contents in the response are read while it is sent. */
export function operate(run: RequestHandler, inFlight: InFlightResponses): RequestHandler {
  return async (request, response, next) => {
    const { contents, caller } = graphqlContextOf(response);
    const sending: Promise<void>[] = [];
    const send = response.send.bind(response);
    contents.allowStreaming();
    response.send = (text: string) => {
      const release = inFlight.take(caller.companyId, text.length);
      if (release === null) throw tooManyInFlight();
      // Calls back at once where the client has left already.
      finished(response, { readable: false }, release);
      if (!contents.hasPlaceholders) return send(text);
      sending.push(sendInPieces(response, contents.fill(text)));
      return response;
    };
    try {
      await run(request, response, next);
    } finally {
      graphqlContextOf(response).finish();
      releaseUpload(request, response);
    }
    await Promise.all(sending);
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
