import type { Request, RequestHandler, Response } from 'express';
import { randomUUID } from 'node:crypto';

import type { Caller } from '../platform/caller.js';
import type { Slots } from '../platform/limits/slots.js';
import type { WaitingBytes } from '../platform/limits/waiting-bytes.js';
import { normalAddress } from '../platform/network.js';
import { headerOf } from './headers.js';
import { malformed } from './query.js';

/** State of one request, from its arrival to its log line. */
export interface RequestContext {
  readonly requestId: string;
  readonly ip: string;
  /**
   * Documented path, for example `/v1/apps/{app_id}`. Contains no client value: safe for logs and metrics.
   */
  template: string;
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

/** Limits that all clients of the server share. */
export interface ClientLimits {
  /** Counts the bytes of responses. */
  readonly waiting: WaitingBytes;
  /** Counts connections, requests in progress, sockets and streams. */
  readonly slots: Slots;
}

export interface Budget {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: Date;
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

/**
 * The client's IP address: the one a trusted proxy reports, else the socket's. An IPv4-mapped IPv6 address
 * (`::ffff:203.0.113.7`) becomes the IPv4 address; `unknown` if neither is an IP address.
 */
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
  const { hosts, authorizations } = countHeaders(request);
  if (hosts > 1 || (hosts === 0 && request.httpVersion !== '1.0')) {
    throw malformed('Send exactly one Host header.');
  }
  if (authorizations > 1) throw malformed('Send at most one Authorization header.');
  next();
};

/** Counts Host and Authorization headers in `rawHeaders`: `request.headers` keeps only one of each. */
function countHeaders({ rawHeaders }: Request): { readonly hosts: number; readonly authorizations: number } {
  let hosts = 0;
  let authorizations = 0;
  // `rawHeaders` alternates names and values: `['Host', 'example.com', …]`.
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 'host'.length && name.toLowerCase() === 'host') hosts += 1;
    else if (name.length === 'authorization'.length && name.toLowerCase() === 'authorization') {
      authorizations += 1;
    }
  }
  return { hosts, authorizations };
}
