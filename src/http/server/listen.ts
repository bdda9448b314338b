import type { Response } from 'express';
import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';

import { MINUTE, SECOND } from '../../platform/clock.js';
import type { Config } from '../../platform/config/config.js';
import type { Tls } from '../../platform/files.js';
import { HttpProblem, problemResponse } from '../problem.js';
import { malformed, onClosed, SECURITY_HEADERS } from '../request.js';
import { type Connections, handleUpgrades, IDLE_RULE, requestsWebSocket } from './connections.js';

/** How long a client may take before its request or connection ends, in milliseconds. */
export const TIMEOUTS = {
  headersMs: 15 * SECOND,
  /** For a whole request, an upload included. */
  requestMs: 5 * MINUTE,
  /** The time over which the rate is measured at which a body arrives; for the first bytes of one, too. */
  bodyMs: 30 * SECOND,
  /** For a connection without a request on which no byte moves, or whose client takes too little (`IDLE_RULE`). */
  idleMs: IDLE_RULE.idleMs,
  /** Interval at which Node checks the first two. */
  checkMs: 2 * SECOND,
};
export type Timeouts = Readonly<typeof TIMEOUTS>;

export const KEEP_ALIVE_MS = 65 * SECOND;
export const MAX_HEADER_BYTES = 16 * 1024;
const CLOSE_IDLE_INTERVAL_MS = 50;
/** The part of the grace that idle connections stay open: 1 s of 25 s. */
const IDLE_PART = 1 / 25;
/** Node offers `http/1.1` only, and refuses the handshake of clients that know no other than `http/1.0`. */
const ALPN_PROTOCOLS = ['http/1.1', 'http/1.0'];

export type HttpListener = Awaited<ReturnType<typeof listen>>;

/** Rejects if the address is in use or not allowed. */
export async function listen(
  listener: RequestListener,
  config: Pick<Config, 'host' | 'port' | 'tls'>,
  connections: Connections,
  timeouts: Timeouts = TIMEOUTS,
) {
  const tlsServer = config.tls === null ? null : createTlsServer(tlsOptions(config.tls, timeouts), listener);
  const server = tlsServer ?? createServer(serverOptions(timeouts), listener);
  server.timeout = timeouts.idleMs;
  connections.watch(server, tlsServer !== null);
  // No limit on their number, beyond which Node drops headers silently; their total size is limited.
  server.maxHeadersCount = 0;
  // `100 Continue` is sent after authentication (`inviteBody`); other expectations are ignored.
  server.on('checkContinue', listener).on('checkExpectation', listener);
  respondToUnreadable(server, connections);
  handleUpgrades(server, listener);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return {
    /** For example `http://127.0.0.1:4000`. */
    url: `${tlsServer === null ? 'http' : 'https'}://${host}:${port}`,
    /** For new connections. Throws if OpenSSL refuses it; then the earlier one stays. No effect without TLS. */
    renewCertificate: (tls: Tls): void => tlsServer?.setSecureContext(tls),
    /** Lets in-flight requests finish, and closes the remaining connections after `graceMs`. */
    stop: (graceMs: number): Promise<void> => stopServer(server, connections, graceMs),
  };
}

function serverOptions(timeouts: Timeouts): ServerOptions {
  return {
    requestTimeout: timeouts.requestMs,
    headersTimeout: timeouts.headersMs,
    connectionsCheckingInterval: timeouts.checkMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The application checks it, so that the error response has the usual form.
    requireHostHeader: false,
    shouldUpgradeCallback: requestsWebSocket,
  };
}

function tlsOptions(tls: Tls, timeouts: Timeouts) {
  const { headersMs: handshakeTimeout } = timeouts;
  return { ...serverOptions(timeouts), ...tls, ALPNProtocols: ALPN_PROTOCOLS, handshakeTimeout };
}

/**
 * Node takes a connection for idle once its response is written, though bytes of it may wait for the client: its own
 * `close` would cut such a response. While there is one, a connection ends after its next response instead. At first
 * idle ones do so too: a proxy may be sending a request on one, and answers 502 if it is closed meanwhile.
 */
async function stopServer(server: Server, connections: Connections, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  const closeAfterwards = (_request: IncomingMessage, response: ServerResponse): void => {
    response.setHeader('Connection', 'close');
  };
  server.prependListener('request', closeAfterwards).prependListener('checkContinue', closeAfterwards);
  const closeIdle = (): void => {
    if (!connections.haveUnsent) server.closeIdleConnections();
  };
  // Others become idle when their request ends.
  let timer: NodeJS.Timeout | undefined;
  const wait = setTimeout(() => {
    timer = setInterval(closeIdle, CLOSE_IDLE_INTERVAL_MS);
  }, graceMs * IDLE_PART);
  const forceClose = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(wait);
  clearInterval(timer);
  clearTimeout(forceClose);
}

/** Connections with a request that may take long. */
const takingLong = new WeakSet<Duplex>();

/** `Timeouts.requestMs` does not end the request. For bodies of any length, which are read at a least rate. */
export function mayTakeLong(response: Response): void {
  const { socket } = response.req;
  takingLong.add(socket);
  onClosed(response, () => takingLong.delete(socket));
}

const TOO_LONG = 'ERR_HTTP_REQUEST_TIMEOUT';
const LARGE_HEADERS = 'The headers of the request are larger than 16 KiB.';
const LARGE_EXTENSIONS = 'The chunk extensions of the request are too large.';
const PROBLEMS: Readonly<Record<string, HttpProblem>> = {
  HPE_HEADER_OVERFLOW: new HttpProblem(431, 'headers_too_large', LARGE_HEADERS),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: new HttpProblem(413, 'too_large', LARGE_EXTENSIONS),
  [TOO_LONG]: new HttpProblem(408, 'too_slow', 'The request did not arrive in time.'),
};

/**
 * Sends the usual error object for bytes that are not an HTTP request and requests that time out, once earlier requests
 * are answered. Then closes the connection, since the start of a next request is unknown.
 */
function respondToUnreadable(server: Server, connections: Connections): void {
  const refused = new WeakSet<Duplex>();
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
    const open = connections.exchangesOf(socket);
    const last = open.findLast(({ request }) => request.complete);
    const isAnswered = open.some(({ request, response }) => !request.complete && response.headersSent);
    if (last === undefined) refuse(error, socket, isAnswered);
    else last.response.once('close', () => refuse(error, socket, isAnswered));
  });
}

/** `isAnswered` if the response to the request that became unreadable has begun. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex, isAnswered: boolean): void {
  // The response before was the last one of the connection.
  if (socket.writableEnded) return;
  if (!socket.writable || isAnswered) {
    socket.destroy();
    return;
  }
  const problem = PROBLEMS[error.code ?? ''] ?? malformed('This is not a well-formed HTTP request.');
  socket.end(textOf(problem), () => socket.destroy());
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
