import type { Request, RequestHandler, Response } from 'express';

import { contextOf as requestContextOf } from '../http/context.js';
import { isIdempotencyKey } from '../resources/idempotency-key/idempotency-key.service.js';
import { readToken } from '../rest/credential.js';
import { malformed, readQuery } from '../rest/query.js';
import type { Authenticate } from './authentication.js';
import type { GraphqlContext } from './context.js';

/** Knows who asks before anything of the operation is read. */
export function authenticateRequest(authenticate: Authenticate): RequestHandler {
  return async (request, response, next) => {
    const known = requestContextOf(response);
    known.template = '/graphql';
    const token = readToken(request, readQuery(request.originalUrl));
    const { ip, requestId, budget } = known;
    const context = await authenticate(
      token,
      { channel: 'api', ip, requestId },
      { budget, idempotencyKey: idempotencyKeyOf(request) },
    );
    known.caller = context.caller;
    response.locals.graphql = context;
    next();
  };
}

export function contextOf(response: Response): GraphqlContext {
  return response.locals.graphql as GraphqlContext;
}

function idempotencyKeyOf(request: Request): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined || request.method !== 'POST') return null;
  if (typeof key !== 'string' || !isIdempotencyKey(key)) {
    throw malformed('An Idempotency-Key has 1 to 255 printable ASCII characters and no spaces.');
  }
  return key;
}
