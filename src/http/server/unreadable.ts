import type { Response } from 'express';
import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

import { SECURITY_HEADERS } from '../headers.js';
import { HttpProblem, problemResponse, type HttpCode } from '../problem.js';
import { onClosed } from '../request-context.js';

/** Connections with a request that may take long. */
const takingLong = new WeakSet<Duplex>();

/**
 * The request may take as long as it needs: `Timeouts.requestMs` does not end it. For bodies of any length, which are read at a
 * least rate.
 */
export function mayTakeLong(response: Response): void {
  const { socket } = response.req;
  takingLong.add(socket);
  onClosed(response, () => takingLong.delete(socket));
}

const TOO_LONG = 'ERR_HTTP_REQUEST_TIMEOUT';
const PROBLEMS: Readonly<Record<string, readonly [number, HttpCode, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'headers_too_large', 'The headers of the request are larger than 16 KiB.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'too_large', 'The chunk extensions of the request are too large.'],
  [TOO_LONG]: [408, 'too_slow', 'The request did not arrive in time.'],
};

/**
 * Sends the usual error object, instead of Node's own response, for bytes that are not an HTTP request and
 * for requests that time out. Then closes the connection, since the start of a next request is unknown.
 * Complete requests received before are answered first.
 */
export function respondToUnreadable(server: Server): void {
  const exchanges = new WeakMap<Duplex, readonly Exchange[]>();
  const refused = new WeakSet<Duplex>();
  const remember = (request: IncomingMessage, response: ServerResponse): void => {
    const open = (exchanges.get(request.socket) ?? []).filter(isOpen);
    exchanges.set(request.socket, [...open, { request, response }]);
  };
  server.prependListener('request', remember).prependListener('checkContinue', remember);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // Node reports it once, and leaves it to this listener to end the connection.
    if (error.code === TOO_LONG && takingLong.has(socket)) return;
    if (error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    // Node reports it again with the bytes that follow.
    if (refused.has(socket)) return;
    refused.add(socket);
    const open = (exchanges.get(socket) ?? []).filter(isOpen);
    const last = open.findLast(({ request }) => request.complete);
    const isAnswered = open.some(({ request, response }) => !request.complete && response.headersSent);
    if (last === undefined) refuse(error, socket, isAnswered);
    else last.response.once('close', () => refuse(error, socket, isAnswered));
  });
}

/** A request on a connection, where requests are answered in their order. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

function isOpen({ request, response }: Exchange): boolean {
  return !request.complete || !response.closed;
}

/** `isAnswered` if the response to the request that became unreadable has begun. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex, isAnswered: boolean): void {
  // The response before was the last one of the connection.
  if (socket.writableEnded) return;
  if (!socket.writable || isAnswered) {
    socket.destroy();
    return;
  }
  const [status, code, message] = PROBLEMS[error.code ?? ''] ?? [
    400,
    'malformed' as const,
    'This is not a well-formed HTTP request.',
  ];
  socket.end(textOf(new HttpProblem(status, code, message)), () => socket.destroy());
}

function textOf(problem: HttpProblem): string {
  const requestId = randomUUID();
  const { status, body } = problemResponse(problem, requestId);
  const text = JSON.stringify(body);
  const headers = {
    ...SECURITY_HEADERS,
    'X-Request-Id': requestId,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, '', text].join('\r\n');
}
