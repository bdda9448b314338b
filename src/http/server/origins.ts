import type { Request, RequestHandler, Response } from 'express';
import ipaddr from 'ipaddr.js';

import { DomainError } from '../../platform/errors.js';
import { headerOf } from '../headers.js';
import { requestContextOf } from '../request-context.js';

const METHODS = 'GET, HEAD, POST, PUT, DELETE';
/** Headers that a page may send besides those that need no permission. */
const REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'X-Request-Id',
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
 * CORS for pages of the allowed origins: lets them read responses and answers their preflights. Pages of other
 * origins get no CORS header. Put it before the rate limit, so that pages can read 429 too. `path` is the one below which it
 * stands.
 */
export function allowOrigins(allowed: readonly string[], path: string): RequestHandler {
  if (allowed.length === 0) return (_request, _response, next) => next();
  return (request, response, next) => {
    response.vary('Origin');
    const origin = headerOf(request, 'origin');
    if (origin === undefined || !allowed.includes(origin)) {
      next();
      return;
    }
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Access-Control-Expose-Headers', RESPONSE_HEADERS);
    if (isPreflight(request)) allowRequest(response, path);
    else next();
  };
}

function isPreflight(request: Request): boolean {
  return request.method === 'OPTIONS' && headerOf(request, 'access-control-request-method') !== undefined;
}

function allowRequest(response: Response, path: string): void {
  requestContextOf(response).template = path;
  response.setHeader('Access-Control-Allow-Methods', METHODS);
  response.setHeader('Access-Control-Allow-Headers', REQUEST_HEADERS);
  response.setHeader('Access-Control-Max-Age', PREFLIGHT_SECONDS);
  response.status(204).end();
}

/**
 * Refuses requests of pages of other sites: those with an Origin that is neither the server's own nor allowed.
 * Programs send no Origin. Sec-Fetch-Site is not used: browsers do not send it with every kind of request.
 */
export function demandKnownOrigin(allowed: readonly string[], template: string): RequestHandler {
  return (request, response, next) => {
    const origin = headerOf(request, 'origin');
    if (origin !== undefined && !allowed.includes(origin) && !isOwn(origin, request)) {
      requestContextOf(response).template = template;
      throw new DomainError(
        'forbidden',
        `Origin ${origin} is not allowed. Add it to ALLOWED_ORIGINS, or let the proxy in front of this server keep the Host.`,
      );
    }
    next();
  };
}

/**
 * Compares with the host of the request, which a trusted proxy can report in X-Forwarded-Host. Over http both schemes
 * are accepted, since a proxy that speaks TLS with the browser may not say so.
 */
function isOwn(origin: string, request: Request): boolean {
  // Some proxies report wss for WebSockets.
  const schemes = /^(https|wss)$/i.test(request.protocol) ? ['https'] : ['https', 'http'];
  return (
    schemes
      // A request of HTTP/1.0 may have no Host.
      .map((scheme) => `${scheme}://${(request.host as string | undefined) ?? ''}`)
      .some((url) => URL.canParse(url) && new URL(url).origin === origin)
  );
}

/** Headers that proxies add. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'] as const;

/**
 * Whether the request was made on this machine, for a name of this machine, and came without a proxy. The name is
 * checked since a page of another site can let its own name resolve to this machine (DNS rebinding).
 */
export function isLoopbackRequest(request: Request): boolean {
  if (PROXY_HEADERS.some((name) => headerOf(request, name) !== undefined)) return false;
  const { socket, hostname } = request;
  return isLoopbackAddress(socket.remoteAddress) && isLoopbackName(hostname);
}

function isLoopbackName(name: string | undefined): boolean {
  return name === 'localhost' || isLoopbackAddress(name?.replace(/^\[(.*)\]$/, '$1'));
}

function isLoopbackAddress(address: string | undefined): boolean {
  if (address === undefined || !ipaddr.isValid(address)) return false;
  return ipaddr.process(address).range() === 'loopback';
}
