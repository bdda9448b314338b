import type { RequestHandler, Response } from 'express';
import { randomUUID } from 'node:crypto';

import { clientAddress } from './client-address.js';

/** What is known of a request all along its way. */
export interface RequestContext {
  readonly requestId: string;
  readonly ip: string;
  /** The path as documented, without any value in it: what logs and metrics may show. */
  template: string;
}

const INBOUND_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** Gives each request an id (a client's own is kept where it is harmless) and says it on the answer. */
export const requestContext: RequestHandler = (request, response, next) => {
  const given = request.headers['x-request-id'];
  const requestId = typeof given === 'string' && INBOUND_ID.test(given) ? given : randomUUID();
  const context: RequestContext = { requestId, ip: clientAddress(request), template: '(unknown)' };
  response.locals.context = context;
  response.setHeader('X-Request-Id', requestId);
  next();
};

export function contextOf(response: Response): RequestContext {
  return response.locals.context as RequestContext;
}
