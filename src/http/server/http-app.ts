import express, { type Express, type ErrorRequestHandler, type Request, type RequestHandler } from 'express';

import { systemClock } from '../../platform/clock.js';
import { securityHeaders } from '../headers.js';
import { HttpProblem, problemResponse } from '../problem.js';
import { malformed } from '../query.js';
import { requestContextOf, refuseAmbiguous, requestContext, type ClientLimits } from '../request-context.js';
import { sendProblem } from '../send.js';
import { allowOrigins, demandKnownOrigin } from './origins.js';
import { limitRequests, limitTerminalRequests } from './requests.js';
import { takeTerminalTurn, takeTurn } from './turns.js';
import { isUpgrade } from './upgrade.js';

export interface HttpParts {
  readonly trustProxy: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly secure: boolean;
  readonly limits: ClientLimits;
  /** Trace, log and count every request. */
  readonly observers: readonly RequestHandler[];
  /** Health, metrics and documentation: exempt from the rate limit. */
  readonly uncounted: RequestHandler;
  readonly rateLimit: RequestHandler;
  /** Serves all paths below /v1. Reads the whole path from `request.path`. */
  readonly v1: RequestHandler;
  /** Serves all paths below /terminal/v1, which have separate limits. */
  readonly terminal: RequestHandler;
  /** Serves paths below /ingest/v1; passes other requests to the next handler. */
  readonly ingest: RequestHandler;
  readonly graphql: {
    readonly handler: RequestHandler;
    /** Serves POST requests whose path is exactly /graphql; skips the path matching of `handler`. */
    readonly post: RequestHandler;
    readonly refuse: ErrorRequestHandler;
  };
  readonly onError: (error: unknown, requestId: string) => void;
}

/** The middleware of all surfaces, in the order in which a request passes it. */
export function createHttpApp(parts: HttpParts): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.set('query parser', false);
  app.set('trust proxy', [...parts.trustProxy]);
  const { slots } = parts.limits;
  const turnOfTerminal = takeTerminalTurn(systemClock, () => slots.countRefusal('terminals_entering'));
  const turn: RequestHandler = (request, response, next) =>
    (isTerminal(request) ? turnOfTerminal : takeTurn)(request, response, next);
  const first = [requestContext(parts.limits), securityHeaders(parts.secure), ...parts.observers, turn];
  const checked = [refuseAmbiguous, refuseOtherUpgrades];
  const counted = [parts.rateLimit, limitRequests, ...checked];
  const allow = (path: string): RequestHandler => allowOrigins(parts.allowedOrigins, path);
  const v1 = chain([allow('/v1'), ...counted, parts.v1, pathNotFound]);
  const terminal = chain([limitTerminalRequests, ...checked, parts.terminal, pathNotFound]);
  const fromKnown = demandKnownOrigin(parts.allowedOrigins, '/graphql');
  const posted = chain([allow('/graphql'), ...counted, fromKnown, parts.graphql.post]);
  const handlerOf = (request: Request): RequestHandler => {
    if (isV1(request)) return v1;
    if (isPosted(request)) return posted;
    return isTerminal(request) ? terminal : pass;
  };
  app.use(chain([...first, (request, response, next) => handlerOf(request)(request, response, next)]));
  for (const path of ['/graphql', '/openapi.json']) app.use(path, allow(path));
  app.use(parts.uncounted, chain(counted));
  app.use(parts.ingest);
  app.use('/graphql', fromKnown, parts.graphql.handler, parts.graphql.refuse);
  app.use(pathNotFound);
  app.use(sendErrors(parts.onError));
  return app;
}

const pass: RequestHandler = (_request, _response, next) => next();

const isV1 = ({ path }: Request): boolean => path === '/v1' || path.startsWith('/v1/');

const isTerminal = ({ path }: Request): boolean =>
  path === '/terminal/v1' || path.startsWith('/terminal/v1/');

/** Whether this is a GraphQL operation by POST, the usual request of dashboards. */
const isPosted = (request: Request): boolean =>
  request.method === 'POST' && request.path === '/graphql' && !isUpgrade(request);

/** 404 for WebSocket requests anywhere but at /graphql. */
const refuseOtherUpgrades: RequestHandler = (request, response, next) => {
  if (isUpgrade(request) && !/^\/graphql\/?$/.test(request.path)) pathNotFound(request, response, next);
  else next();
};

/** Matches paths of other API versions: `/v2`, `/v1.1/devices` and `/V1/devices`. */
const VERSION_PATH = /^\/v\d[\w.-]*(\/|$)/i;

const pathNotFound: RequestHandler = (request) => {
  if (VERSION_PATH.test(request.path) && !isV1(request)) {
    throw new HttpProblem(
      404,
      'unknown_version',
      'Unknown API version. The only version is v1: begin the path with /v1/.',
    );
  }
  throw new HttpProblem(404, 'not_found', 'No such path.');
};

function sendErrors(onError: HttpParts['onError']): ErrorRequestHandler {
  // Express recognizes an error handler by its four parameters.
  return (error: unknown, request, response, _next) => {
    const { requestId } = requestContextOf(response);
    // Express throws a URIError for a path that is not well encoded.
    const known = error instanceof URIError ? malformed('The path is not percent-encoded UTF-8.') : error;
    const problem = problemResponse(known, requestId);
    if (problem.status === 500) onError(error, requestId);
    sendProblem(request, response, problem);
  };
}

/**
 * One handler that calls others in order, each when the one before has called `next`. An error that one of them throws,
 * rejects with or gives to `next` goes to the error handlers of Express. Express itself would match the path anew for
 * each handler.
 */
export function chain(handlers: readonly RequestHandler[]): RequestHandler {
  return (request, response, next) => {
    let calls = 0;
    const goOn = (error?: unknown): void => {
      const handler = error === undefined ? handlers[calls] : undefined;
      calls += 1;
      if (handler === undefined) {
        next(error);
        return;
      }
      try {
        const handled: unknown = handler(request, response, goOn);
        if (handled instanceof Promise) handled.catch(next);
      } catch (thrown) {
        next(thrown);
      }
    };
    goOn();
  };
}
