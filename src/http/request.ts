import type { Request, RequestHandler, Response } from 'express';
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

import { normalAddress, type Slots, type WaitingBytes } from '../platform/client-limits.js';
import { busy } from '../platform/errors.js';
import {
  type Caller,
  DEFAULT_PER_PAGE,
  isIdempotencyKey,
  MAX_PER_PAGE,
  type PageRequest,
} from '../platform/requests.js';
import { HttpProblem } from './problem.js';

/** State of one request, from its arrival to its log line. */
export interface RequestContext {
  readonly requestId: string;
  readonly ip: string;
  /** Documented path, for example `/v1/apps/{app_id}`. Contains no client value: safe for logs and metrics. */
  template: string;
  /** Type and bounded name of a GraphQL operation; null for others, and before its document is admitted. */
  operation: { readonly type: string; readonly name: string } | null;
  /** Trace id of the request; null if tracing is off. */
  traceId: string | null;
  /** Null until the token is verified, and on routes without a token. */
  caller: Pick<Caller, 'companyId' | 'userId'> | null;
  /** The client's rate limit after this request was counted; null if the rate limit is off. */
  budget: Budget | null;
  readonly limits: ClientLimits;
  /** Called when the response is closed, or earlier by `leaveRequests`. */
  readonly leave: (() => void)[];
  /** Actions to run when the response is closed, in this order. */
  readonly closing: (() => void)[];
}

export interface ClientLimits {
  readonly waiting: WaitingBytes;
  /** Counts connections, requests in progress, sockets and streams. */
  readonly slots: Slots;
}

export interface Budget {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: Date;
  /** Seconds until the next window if the client is over its limit, else null. */
  readonly retryAfter: number | null;
}

/** Template of requests whose path matches no route. */
export const UNKNOWN_PATH = '(unknown)';

const INBOUND_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** Sets X-Request-Id: the client's own id if it is 1 to 64 harmless characters, else a new one. */
export function requestContext(limits: ClientLimits): RequestHandler {
  return (request, response, next) => {
    const given = headerOf(request, 'x-request-id');
    const requestId = typeof given === 'string' && INBOUND_ID.test(given) ? given : randomUUID();
    const context: RequestContext = {
      requestId,
      ip: clientAddress(request),
      template: UNKNOWN_PATH,
      operation: null,
      traceId: null,
      caller: null,
      budget: null,
      limits,
      leave: [],
      closing: [],
    };
    response.locals.context = context;
    response.once('close', () => {
      for (const action of [...context.leave, ...context.closing]) action();
    });
    response.setHeader('X-Request-Id', requestId);
    next();
  };
}

/** The address that a trusted proxy reports, else the socket's, in canonical form; `unknown` if neither is one. */
function clientAddress(request: Request): string {
  for (const candidate of [request.ip, request.socket.remoteAddress]) {
    const address = candidate === undefined ? null : normalAddress(candidate);
    if (address !== null) return address;
  }
  return 'unknown';
}

export function requestContextOf(response: Response): RequestContext {
  return response.locals.context as RequestContext;
}

/** Calls `action` when the response is closed: sent, or aborted by the client. At once if it already is. */
export function onClosed(response: Response, action: () => void): void {
  if (response.closed) action();
  else requestContextOf(response).closing.push(action);
}

/** Aborted with an error when the client leaves: for what waits before it makes a response that nobody would get. */
export function leavingSignal(response: Response): AbortSignal {
  const left = new AbortController();
  onClosed(response, () => {
    if (!response.writableFinished) left.abort(busy('The client has left.', 1));
  });
  return left.signal;
}

/** Sockets that carried a request whose end is ambiguous; later requests on them are refused too. */
const ambiguousSockets = new WeakSet<object>();

/** Refuses requests that Node's parser accepts but a proxy could read differently (request smuggling). */
export const refuseAmbiguous: RequestHandler = (request, response, next) => {
  const coding = headerOf(request, 'transfer-encoding');
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') ambiguousSockets.add(request.socket);
  if (ambiguousSockets.has(request.socket)) {
    response.setHeader('Connection', 'close');
    throw malformed('Transfer-Encoding must be "chunked"; otherwise send Content-Length.');
  }
  const hosts = countOf(request, 'host');
  if (hosts > 1 || (hosts === 0 && request.httpVersion !== '1.0')) {
    throw malformed('Send exactly one Host header.');
  }
  if (countOf(request, 'authorization') > 1) throw malformed('Send at most one Authorization header.');
  next();
};

/** How often a header was sent: `request.headers` keeps only one. `rawHeaders` alternates names and values. */
function countOf({ rawHeaders }: Request, name: string): number {
  const isName = (text: string, index: number): boolean =>
    index % 2 === 0 && text.length === name.length && text.toLowerCase() === name;
  return rawHeaders.filter(isName).length;
}

/** Parameters of the query string by name. 400 if one is repeated or not well encoded. */
export function readQuery(url: string): ReadonlyMap<string, string> {
  const start = url.indexOf('?');
  const query = new Map<string, string>();
  if (start === -1) return query;
  for (const pair of url.slice(start + 1).split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    // Messages never contain a name that a client sent: it may be a mistyped secret.
    if (/[[\]]/.test(name))
      throw malformed('A query parameter must be a plain value, not a list or an object.');
    if (query.has(name)) throw malformed('A query parameter is given more than once.');
    query.set(name, equals === -1 ? '' : decode(pair.slice(equals + 1)));
  }
  return query;
}

function decode(text: string): string {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw malformed('The query string is not percent-encoded UTF-8.');
  }
}

export const malformed = (message: string): HttpProblem => new HttpProblem(400, 'malformed', message);

/** `page` and `per_page` (contract 13): positive integers, or empty for the default; `per_page` above 100 is 100. */
export function readPage(query: ReadonlyMap<string, string>): PageRequest {
  return {
    page: positive(query, 'page', 1),
    perPage: Math.min(positive(query, 'per_page', DEFAULT_PER_PAGE), MAX_PER_PAGE),
  };
}

function positive(query: ReadonlyMap<string, string>, name: string, fallback: number): number {
  const text = query.get(name) ?? '';
  if (text === '') return fallback;
  if (!/^[1-9][0-9]*$/.test(text))
    throw malformed(`Query parameter "${name}" must be a positive whole number.`);
  // Larger than any list; keeps the offset a safe integer.
  return Math.min(Number(text), 2 ** 40);
}

/** Query parameter that can carry the API token in requests to `/v1`. */
const TOKEN_PARAMETER = 'access_token';

/** The token in `Authorization: Bearer`. */
export function bearerToken(request: Request): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headerOf(request, 'authorization') ?? '')?.[1];
}

/** Token in `?access_token=` or `Authorization: Bearer` (contract 5); 400 if both are given and differ. */
export function readToken(request: Request, query: ReadonlyMap<string, string>): string | undefined {
  const header = bearerToken(request);
  const parameter = query.get(TOKEN_PARAMETER);
  if (header !== undefined && parameter !== undefined && header !== parameter) {
    throw malformed(
      'The access tokens in the query and in the Authorization header are two different ones: send one.',
    );
  }
  return parameter ?? header;
}

/**
 * The value of a header; `name` in lower case. Code that names a property is compiled anew for each order of headers
 * that clients send; with the name as a parameter it is not.
 */
export function headerOf<Name extends Lowercase<string>>(
  { headers }: Pick<IncomingMessage, 'headers'>,
  name: Name,
): IncomingHttpHeaders[Name] {
  return headers[name];
}

/** Content-Type without its parameters, in lower case, for example `application/json`. */
export function mediaTypeOf(request: Request): string | undefined {
  return headerOf(request, 'content-type')?.split(';')[0]?.trim().toLowerCase();
}

/** The key of a POST that may be repeated; null without one. */
export function idempotencyKeyOf(request: Request): string | null {
  const key = headerOf(request, 'idempotency-key');
  if (key === undefined || request.method !== 'POST') return null;
  if (typeof key === 'string' && isIdempotencyKey(key)) return key;
  throw malformed('Idempotency-Key must be 1 to 255 printable ASCII characters without spaces.');
}

/** True if a GET or HEAD has the ETag of the response, or `*`, in If-None-Match. */
export function isUnchanged(request: Request, etag: string | undefined): boolean {
  const given = headerOf(request, 'if-none-match');
  if (etag === undefined || given === undefined || !['GET', 'HEAD'].includes(request.method)) return false;
  return given.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()));
}

/** Bytes from `start` to before `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Range of a header such as `bytes=-500`; null for none, several or an invalid one, as RFC 9110 allows. */
export function byteRangeOf(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | null {
  const [, first = '', last = ''] = /^bytes *= *(\d*) *- *(\d*) *$/i.exec(header ?? '') ?? [];
  if (first === '' && last === '') return null;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return null;
  if (start >= size) return 'unsatisfiable';
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) };
}

/** On every response, whatever its status (contract 15). */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** `secure`: the server itself terminates TLS; adds Strict-Transport-Security. */
export function securityHeaders(secure: boolean): RequestHandler {
  const headers = new Map(Object.entries(SECURITY_HEADERS));
  if (secure) headers.set('Strict-Transport-Security', 'max-age=31536000');
  return (_request, response, next) => {
    response.setHeaders(headers);
    next();
  };
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A header in UTF-8; Node reads headers as Latin-1. Errors: 400. */
export function utf8HeaderOf(request: Request, name: string): string | undefined {
  const given = headerOf(request, name.toLowerCase() as Lowercase<string>);
  if (typeof given !== 'string') return undefined;
  try {
    return utf8.decode(Buffer.from(given, 'latin1'));
  } catch {
    throw malformed(`${name} is not UTF-8.`);
  }
}
