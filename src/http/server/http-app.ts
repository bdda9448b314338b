import express, { type ErrorRequestHandler, type Express, type Request, type RequestHandler } from 'express';
import ipaddr from 'ipaddr.js';

import { systemClock } from '../../platform/clock.js';
import { DomainError } from '../../platform/errors.js';
import { HttpProblem, problemResponse } from '../problem.js';
import {
  type ClientLimits,
  headerOf,
  malformed,
  refuseAmbiguous,
  requestContext,
  requestContextOf,
  securityHeaders,
} from '../request.js';
import { sendProblem } from '../send.js';
import { isOwnOrigin } from '../session-cookie.js';
import { handleInOrder, limitRequests, limitTerminals } from './admission.js';
import { isUpgrade } from './connections.js';

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
  /** Serves paths below /export/v1; passes other requests to the next handler. */
  readonly exports: RequestHandler;
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
  const first = [
    requestContext(parts.limits),
    securityHeaders(parts.secure),
    ...parts.observers,
    handleInOrder,
  ];
  const checked = [refuseAmbiguous, refuseOtherUpgrades];
  const counted = [parts.rateLimit, limitRequests, ...checked];
  const allow = (path: string): RequestHandler => allowOrigins(parts.allowedOrigins, path);
  const v1 = chain([allow('/v1'), ...counted, parts.v1, pathNotFound]);
  const terminal = chain([...limitTerminals(systemClock), ...checked, parts.terminal, pathNotFound]);
  const fromKnown = requireKnownOrigin(parts.allowedOrigins, '/graphql');
  const posted = chain([allow('/graphql'), ...counted, fromKnown, parts.graphql.post]);
  const handlerOf = (request: Request): RequestHandler => {
    if (isV1(request)) return v1;
    if (isPosted(request)) return posted;
    return isTerminal(request) ? terminal : pass;
  };
  const enter: RequestHandler = (request, response, next) => {
    simplifyV1(request);
    handlerOf(request)(request, response, next);
  };
  app.use(chain([...first, enter]));
  for (const path of ['/graphql', '/openapi.json', '/export/v1']) app.use(path, allow(path));
  app.use(parts.uncounted, chain(counted));
  app.use(parts.ingest, parts.exports);
  app.use('/graphql', fromKnown, parts.graphql.handler, parts.graphql.refuse);
  app.use(pathNotFound);
  app.use(sendErrors(parts.onError));
  return app;
}

const pass: RequestHandler = (_request, _response, next) => next();

const isV1 = ({ path }: Request): boolean => path === '/v1' || path.startsWith('/v1/');

/** Writes a path of /v1 in one way (contract 3): one slash between segments, and letters, digits and `-._~` as they are. */
function simplifyV1(request: Request): void {
  const { path, url } = request;
  if (!/\/\/|%[2-7]/.test(path) || !url.startsWith(path)) return;
  const simple = path.replace(/\/+/g, '/').replace(/%[2-7][0-9a-f]/gi, (code) => {
    const character = decodeURIComponent(code);
    return /[\w.~-]/.test(character) ? character : code;
  });
  if (/^\/v1(\/|$)/.test(simple)) request.url = simple + url.slice(path.length);
}

const isTerminal = ({ path }: Request): boolean =>
  path === '/terminal/v1' || path.startsWith('/terminal/v1/');

/** True if this is a GraphQL operation by POST, the usual request of dashboards. */
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
 * One handler that calls others in order, each when the one before has called `next`. Errors go to the error handlers
 * of Express, which itself would match the path anew for each handler.
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

const METHODS = 'GET, HEAD, POST, PUT, DELETE';
/** Headers that a page may send besides those that need no permission. */
const REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'X-Request-Id',
  'X-Requested-With',
  'traceparent',
  'tracestate',
  'Last-Event-ID',
  'Apollo-Require-Preflight',
  'X-Apollo-Operation-Name',
  'ApolloGraphQL-Client-Name',
  'ApolloGraphQL-Client-Version',
].join(', ');
/** Headers that a page may read besides those that need no permission. */
const RESPONSE_HEADERS = [
  'X-Request-Id',
  'X-Rate-Limit-Limit',
  'X-Rate-Limit-Remaining',
  'X-Rate-Limit-Reset',
  'Retry-After',
  'ETag',
  'Idempotent-Replayed',
  'X-Warning',
  'Allow',
  'WWW-Authenticate',
].join(', ');
/** Browsers keep the response to a preflight for two hours at most. */
const PREFLIGHT_SECONDS = 7_200;

/**
 * CORS for pages of the allowed origins: lets them read responses, also 429, and answers their preflights. `path` is
 * the one below which it stands.
 */
function allowOrigins(allowed: readonly string[], path: string): RequestHandler {
  if (allowed.length === 0) return pass;
  return (request, response, next) => {
    response.vary('Origin');
    const origin = headerOf(request, 'origin');
    if (origin === undefined || !allowed.includes(origin)) {
      next();
      return;
    }
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Access-Control-Expose-Headers', RESPONSE_HEADERS);
    const isPreflight = headerOf(request, 'access-control-request-method') !== undefined;
    if (request.method !== 'OPTIONS' || !isPreflight) {
      next();
      return;
    }
    requestContextOf(response).template = path;
    response.setHeader('Access-Control-Allow-Methods', METHODS);
    response.setHeader('Access-Control-Allow-Headers', REQUEST_HEADERS);
    response.setHeader('Access-Control-Max-Age', PREFLIGHT_SECONDS);
    response.status(204).end();
  };
}

/**
 * Refuses requests of pages of other sites: those with an Origin that is neither the server's own nor allowed.
 * Programs send no Origin. Sec-Fetch-Site is not used: browsers do not send it with every kind of request.
 */
function requireKnownOrigin(allowed: readonly string[], template: string): RequestHandler {
  return (request, response, next) => {
    const origin = headerOf(request, 'origin');
    if (origin !== undefined && !allowed.includes(origin) && !isOwnOrigin(origin, request)) {
      requestContextOf(response).template = template;
      throw new DomainError(
        'forbidden',
        `Origin ${origin} is not allowed. Add it to ALLOWED_ORIGINS, or let the proxy in front of this server keep the Host.`,
      );
    }
    next();
  };
}

const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'] as const;

/**
 * Whether the request was made on this machine, for a name of this machine, and came without a proxy. The name is
 * checked since a page of another site can let its own name resolve to this machine (DNS rebinding).
 */
export function isLoopbackRequest(request: Request): boolean {
  if (PROXY_HEADERS.some((name) => headerOf(request, name) !== undefined)) return false;
  const { socket } = request;
  // A request of HTTP/1.0 may have no name.
  const name = (request.hostname as string | undefined)?.replace(/^\[(.*)\]$/, '$1');
  return isLoopbackAddress(socket.remoteAddress) && (name === 'localhost' || isLoopbackAddress(name));
}

function isLoopbackAddress(address: string | undefined): boolean {
  if (address === undefined || !ipaddr.isValid(address)) return false;
  return ipaddr.process(address).range() === 'loopback';
}
