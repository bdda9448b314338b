import type { Request, RequestHandler, Response } from 'express';
import { handleProtocols } from 'graphql-ws';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { WebSocketServer, type WebSocket } from 'ws';

import { requestContextOf } from '../../http/request-context.js';
import { isUpgrade, takeOver } from '../../http/server/upgrade.js';
import { DomainError } from '../../platform/errors.js';
import { readToken } from '../../http/credential.js';
import { HttpProblem } from '../../http/problem.js';
import { malformed, readQuery } from '../../http/query.js';
import { LIVE_LIMITS, type LiveTimes } from './limits.js';
import { demandOwnOrigin } from './origin.js';
import { createProtocol, speak, type Protocol } from './protocol.js';
import { takeConnection } from './connection-slots.js';
import { SocketSession, type SocketSessionParts } from './socket-session.js';

const LOOK_AGAIN_MS = 20;
/** Said of the request whose answer is a socket, too. */
const KEPT_HEADERS = [
  'X-Request-Id',
  'X-Rate-Limit-Limit',
  'X-Rate-Limit-Remaining',
  'X-Rate-Limit-Reset',
  'Strict-Transport-Security',
];

/** An open socket; `heard` where there was a sign of life since it was last asked for one. */
interface Open {
  readonly session: SocketSession;
  heard: boolean;
}

/** GraphQL over WebSocket, as the subprotocol `graphql-transport-ws` has it. */
export class Sockets {
  readonly #server: WebSocketServer;
  readonly #protocol: Protocol;
  readonly #open = new Map<WebSocket, Open>();
  readonly #headers = new WeakMap<object, readonly string[]>();
  readonly #timers: readonly NodeJS.Timeout[];
  #stopping = false;

  constructor(
    private readonly parts: SocketSessionParts,
    times: LiveTimes,
  ) {
    this.#protocol = createProtocol(times.initMs);
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: LIVE_LIMITS.messageBytes,
      handleProtocols,
      // The types do not know it yet.
      ...{ closeTimeout: times.closeMs },
    });
    this.#server.on('headers', (headers, request) => headers.push(...(this.#headers.get(request) ?? [])));
    this.#timers = [
      setInterval(() => this.#askForLife(), times.pingMs).unref(),
      setInterval(() => this.#recheck(), times.recheckMs).unref(),
    ];
  }

  /** Takes over the requests that ask for a socket; the others go on. */
  readonly upgrade: RequestHandler = (request, response, next) => {
    if (!isUpgrade(request)) {
      next();
      return;
    }
    const known = requestContextOf(response);
    known.template = '/graphql';
    demandHandshake(request);
    demandOwnOrigin(request);
    // Of a connection that was there before: nobody would end the socket any more.
    if (this.#stopping) throw new DomainError('busy', 'The server is stopping.');
    const token = readToken(request, readQuery(request.originalUrl));
    const connection = takeConnection(this.parts.seats, known.ip);
    const { socket: raw, head } = this.#takeOver(request, response);
    raw.once('close', connection.leave);
    this.#server.handleUpgrade(request, raw, head, (socket) => {
      this.#begin(socket, new SocketSession(socket, this.parts, { ...known, token }, connection.known));
    });
  };

  /** Lets queries and mutations that run finish, for `graceMs` at most, and ends every socket. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    for (const timer of this.#timers) clearInterval(timer);
    const sessions = [...this.#open.values()].map(({ session }) => session);
    for (const session of sessions) session.leave();
    for (let waited = 0; waited < graceMs && sessions.some(({ isBusy }) => isBusy); waited += LOOK_AGAIN_MS) {
      await sleep(LOOK_AGAIN_MS);
    }
    // The last answers are on their way before the end is.
    await setImmediate();
    await Promise.all(
      [...this.#open].map(async ([socket, { session }]) => {
        const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()));
        session.close();
        await gone;
      }),
    );
  }

  #takeOver(request: Request, response: Response): ReturnType<typeof takeOver> {
    const said = KEPT_HEADERS.filter((name) => response.hasHeader(name));
    this.#headers.set(
      request,
      said.map((name) => `${name}: ${String(response.getHeader(name))}`),
    );
    return takeOver(request, response);
  }

  #begin(socket: WebSocket, session: SocketSession): void {
    const open: Open = { session, heard: true };
    const hear = (): void => {
      open.heard = true;
    };
    this.#open.set(socket, open);
    socket.on('pong', hear).once('close', () => this.#open.delete(socket));
    speak(this.#protocol, socket, session, hear);
  }

  #askForLife(): void {
    for (const [socket, open] of this.#open) {
      if (open.heard) socket.ping();
      else socket.terminate();
      open.heard = false;
    }
  }

  #recheck(): void {
    for (const { session } of this.#open.values()) void session.recheck();
  }
}

function demandHandshake(request: Request): void {
  if (request.method !== 'GET') {
    throw new HttpProblem(405, 'method_not_allowed', 'A WebSocket begins with GET.', { Allow: 'GET' });
  }
  if (request.headers['sec-websocket-version'] !== '13') {
    const wanted = { 'Sec-WebSocket-Version': '13' };
    throw new HttpProblem(400, 'malformed', 'Ask for version 13 of the WebSocket protocol.', wanted);
  }
  if (!/^[+/0-9A-Za-z]{22}==$/.test(request.headers['sec-websocket-key'] ?? '')) {
    throw malformed('Send a Sec-WebSocket-Key of 16 bytes in base64.');
  }
}
