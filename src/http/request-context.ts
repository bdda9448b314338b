import type { Request, RequestHandler, Response } from 'express';
import { randomUUID } from 'node:crypto';

import type { Caller } from '../platform/caller.js';
import { malformed } from './query.js';
import { clientAddress } from './client-address.js';

/** What is known of a request all along its way. */
export interface RequestContext {
  readonly requestId: string;
  readonly ip: string;
  /** The path as documented, without any value in it: what logs and metrics may show. */
  template: string;
  /** Whom the request's token speaks for, once that is known. */
  caller: Pick<Caller, 'companyId' | 'userId'> | null;
  /** The client's budget as it is after this request; null where none is kept. */
  budget: Budget | null;
}

export interface Budget {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: Date;
}

const INBOUND_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** Gives each request an id (a client's own is kept where it is harmless) and says it on the answer. */
export const requestContext: RequestHandler = (request, response, next) => {
  const given = request.headers['x-request-id'];
  const requestId = typeof given === 'string' && INBOUND_ID.test(given) ? given : randomUUID();
  const context: RequestContext = {
    requestId,
    ip: clientAddress(request),
    template: '(unknown)',
    caller: null,
    budget: null,
  };
  response.locals.context = context;
  response.setHeader('X-Request-Id', requestId);
  next();
};

export function requestContextOf(response: Response): RequestContext {
  return response.locals.context as RequestContext;
}

/** Connections on which nobody can be sure any more where a request begins. */
const doubtful = new WeakSet<object>();

/** What the parser of requests lets pass, though servers along the way could understand it differently. */
export const refuseAmbiguous: RequestHandler = (request, response, next) => {
  const coding = request.headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') doubtful.add(request.socket);
  if (doubtful.has(request.socket)) {
    response.setHeader('Connection', 'close');
    throw malformed('Send a body with its length, or in chunks.');
  }
  const hosts = headerCount(request, 'host');
  if (hosts > 1 || (hosts === 0 && request.httpVersion !== '1.0')) {
    throw malformed('Send the Host header once.');
  }
  if (headerCount(request, 'authorization') > 1) throw malformed('Send the Authorization header once.');
  next();
};

function headerCount(request: Request, name: string): number {
  return request.headersDistinct[name]?.length ?? 0;
}
