import express, { type Express, type ErrorRequestHandler, type RequestHandler } from 'express';

import { HttpProblem, problemResponse } from '../problem.js';
import { malformed } from '../query.js';
import { sendProblem } from '../send.js';
import { requestContextOf, refuseAmbiguous, requestContext } from '../request-context.js';
import { securityHeaders } from './security-headers.js';
import { isUpgrade } from './upgrade.js';

export interface HttpParts {
  readonly trustProxy: readonly string[];
  readonly secure: boolean;
  /** Sees every request, before anything else does. */
  readonly observe: RequestHandler;
  /** Health, metrics, documents: neither counted nor limited. */
  readonly uncounted: RequestHandler;
  readonly rateLimit: RequestHandler;
  readonly v1: RequestHandler;
  readonly graphql: { readonly handler: RequestHandler; readonly refuse: ErrorRequestHandler };
  readonly onError: (error: unknown, requestId: string) => void;
}

/** The whole HTTP side, in the order in which a request meets it. */
export function createHttpApp(parts: HttpParts): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.set('query parser', false);
  app.set('trust proxy', [...parts.trustProxy]);
  app.use(requestContext, securityHeaders(parts.secure), parts.observe);
  app.use(parts.uncounted);
  app.use(parts.rateLimit, refuseAmbiguous, socketsHere);
  app.use('/v1', parts.v1);
  app.use('/graphql', parts.graphql.handler, parts.graphql.refuse);
  app.use(nothingHere);
  app.use(refuse(parts.onError));
  return app;
}

/** A connection that is to become a socket is nothing for the other paths. */
const socketsHere: RequestHandler = (request, response, next) => {
  if (isUpgrade(request) && !/^\/graphql\/?$/.test(request.path)) nothingHere(request, response, next);
  else next();
};

const nothingHere: RequestHandler = (request) => {
  if (/^\/v\d+(\/|$)/i.test(request.path) && !/^\/v1(\/|$)/.test(request.path)) {
    throw new HttpProblem(404, 'unknown_version', 'Only version v1 is available: begin the path with /v1/.');
  }
  throw new HttpProblem(404, 'not_found', 'There is nothing at this path.');
};

function refuse(onError: HttpParts['onError']): ErrorRequestHandler {
  // Express knows an error handler by its four parameters.
  return (error: unknown, request, response, _next) => {
    const { requestId } = requestContextOf(response);
    const problem = problemResponse(explain(error), requestId);
    if (problem.status === 500) onError(error, requestId);
    sendProblem(request, response, problem);
  };
}

/** Express itself refuses paths that are not well encoded. */
function explain(error: unknown): unknown {
  return error instanceof URIError ? malformed('The path is not percent-encoded UTF-8.') : error;
}
