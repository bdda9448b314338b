import type { Request, RequestHandler, Response } from 'express';
import {
  CloseCode,
  handleProtocols,
  makeServer,
  MessageType,
  parseMessage,
  type ExecutionResult,
  type Server,
} from 'graphql-ws';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { WebSocketServer, type WebSocket } from 'ws';

import { HttpProblem } from '../../http/problem.js';
import { headerOf, malformed, requestContextOf } from '../../http/request.js';
import { isUpgrade, takeOver } from '../../http/server/connections.js';
import { isTurnOver, yieldToEventLoop } from '../../platform/concurrency/event-loop.js';
import { DomainError } from '../../platform/errors.js';
import { readCredentials } from '../http/request.js';
import { LIVE_LIMITS, takeConnection, type LiveTimes } from './limits.js';
import type { LiveParts, Messages } from './operation.js';
import { SocketSession, type SocketOperation } from './socket-session.js';

const STOP_POLL_MS = 20;
/** Headers of the HTTP response that are also sent with the response to a handshake. */
const HANDSHAKE_HEADERS = [
  'X-Request-Id',
  'X-Rate-Limit-Limit',
  'X-Rate-Limit-Remaining',
  'X-Rate-Limit-Reset',
  'Strict-Transport-Security',
];

interface OpenSocket {
  readonly session: SocketSession;
  /** Time of the last message or pong. */
  heardAt: number;
}

/** GraphQL over WebSockets with the subprotocol `graphql-transport-ws`. */
export class Sockets {
  readonly #server: WebSocketServer;
  readonly #protocol: Protocol;
  readonly #open = new Map<WebSocket, OpenSocket>();
  readonly #headers = new WeakMap<object, readonly string[]>();
  readonly #timers: readonly NodeJS.Timeout[];
  #isStopping = false;

  constructor(
    private readonly parts: LiveParts,
    private readonly times: LiveTimes,
  ) {
    this.#protocol = createProtocol(times.initMs);
    // The types of ws do not have closeTimeout yet.
    const closing: object = { closeTimeout: times.closeMs };
    this.#server = new WebSocketServer({
      ...closing,
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      // Handles one message of a socket per turn of the event loop, so that other sockets are not delayed.
      allowSynchronousEvents: false,
      maxPayload: LIVE_LIMITS.messageBytes,
      maxFragments: LIVE_LIMITS.fragments,
      handleProtocols,
    });
    this.#server.on('headers', (headers, request) => headers.push(...(this.#headers.get(request) ?? [])));
    this.#timers = [
      setInterval(() => this.#ping(), times.pingMs).unref(),
      setInterval(() => void this.#recheck(), times.recheckMs).unref(),
    ];
  }

  /** Handles requests for a WebSocket; passes the others on. */
  readonly upgrade: RequestHandler = (request, response, next) => {
    if (!isUpgrade(request)) {
      next();
      return;
    }
    const requestContext = requestContextOf(response);
    requestContext.template = '/graphql';
    requireHandshake(request);
    // A request on a connection that is still open: `stop` would not end its socket.
    if (this.#isStopping) throw new DomainError('busy', 'The server is stopping.');
    const credentials = readCredentials(request);
    const connection = takeConnection(this.parts.limits.slots, requestContext.ip);
    const { socket: raw, head } = this.#takeOver(request, response);
    raw.once('close', connection.release);
    this.#server.handleUpgrade(request, raw, head, (socket) => {
      const opening = { ...requestContext, ...credentials };
      this.#begin(socket, new SocketSession(socket, raw, this.parts, opening, connection.authenticated));
    });
  };

  /** Waits `graceMs` at most for queries and mutations to finish, then closes every socket. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    for (const timer of this.#timers) clearInterval(timer);
    const sessions = [...this.#open.values()].map(({ session }) => session);
    for (const session of sessions) session.refuseOperations();
    for (let waited = 0; waited < graceMs && sessions.some(({ isBusy }) => isBusy); waited += STOP_POLL_MS) {
      await sleep(STOP_POLL_MS);
    }
    // Sends the last responses before the close frames.
    await setImmediate();
    await Promise.all(
      [...this.#open].map(async ([socket, { session }]) => {
        const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
        void session.close(this.times.closeMs);
        await closed;
      }),
    );
  }

  #takeOver(request: Request, response: Response): ReturnType<typeof takeOver> {
    const names = HANDSHAKE_HEADERS.filter((name) => response.hasHeader(name));
    this.#headers.set(
      request,
      names.map((name) => `${name}: ${String(response.getHeader(name))}`),
    );
    return takeOver(request, response);
  }

  #begin(socket: WebSocket, session: SocketSession): void {
    const { clock } = this.parts;
    const open: OpenSocket = { session, heardAt: clock.elapsed() };
    const markAlive = (): void => {
      open.heardAt = clock.elapsed();
    };
    this.#open.set(socket, open);
    socket.on('pong', markAlive).once('close', () => this.#open.delete(socket));
    serveSocket(this.#protocol, socket, session, markAlive);
  }

  /** Terminates sockets that would be silent for longer than `idleMs` at the next ping. */
  #ping(): void {
    const { idleMs, pingMs } = this.times;
    const now = this.parts.clock.elapsed();
    for (const [socket, open] of this.#open) {
      // A client that reads slowly gets the ping late; its connection is judged by what it reads. What the system holds
      // when all is sent, some megabytes, it may read within the idle time.
      if (open.session.isSending) open.heardAt = now;
      if (now - open.heardAt <= idleMs - pingMs) socket.ping();
      else socket.terminate();
    }
  }

  async #recheck(): Promise<void> {
    for (const { session } of this.#open.values()) {
      if (isTurnOver()) await yieldToEventLoop();
      void session.recheck();
    }
  }
}

function requireHandshake(request: Request): void {
  if (request.method !== 'GET') {
    throw new HttpProblem(405, 'method_not_allowed', 'Open a WebSocket with GET.', { Allow: 'GET' });
  }
  if (headerOf(request, 'sec-websocket-version') !== '13') {
    const wanted = { 'Sec-WebSocket-Version': '13' };
    throw new HttpProblem(400, 'malformed', 'Send Sec-WebSocket-Version: 13.', wanted);
  }
  if (!/^[+/0-9A-Za-z]{22}==$/.test(headerOf(request, 'sec-websocket-key') ?? '')) {
    throw malformed('Send a Sec-WebSocket-Key of 16 bytes in base64.');
  }
}

type Protocol = Server<{ readonly session: SocketSession }>;

type Results = AsyncGenerator<ExecutionResult>;

/** The protocol graphql-transport-ws, by graphql-ws. */
function createProtocol(initMs: number): Protocol {
  const run = ({ contextValue }: { contextValue?: unknown }): Results =>
    sendingMessages(contextValue as SocketOperation) as unknown as Results;
  return makeServer<Record<string, unknown> | undefined, { readonly session: SocketSession }>({
    connectionInitWaitTimeout: initMs,
    onConnect: ({ extra, connectionParams }) => extra.session.connect(connectionParams),
    onSubscribe: ({ extra }, id, payload) => extra.session.subscribe(id, { ...payload }),
    execute: run,
    subscribe: run,
    onError: ({ extra }, _id, _payload, errors) => extra.session.render(errors),
  });
}

/** Sends the messages itself: graphql-ws would make the text of each event again for every client. */
function sendingMessages({ operation, send }: SocketOperation): Messages {
  const messages = operation.messages();
  const next = messages.next.bind(messages);
  messages.next = async () => {
    for (;;) {
      const result = await next();
      if (result.done === true) return result;
      await send(result.value);
    }
  };
  return messages;
}

/** Connects a socket to the protocol. Calls `onMessage` for each message of the client. */
function serveSocket(protocol: Protocol, socket: WebSocket, session: SocketSession, onMessage: () => void) {
  const closed = protocol.opened(
    {
      protocol: socket.protocol,
      send: (text) => session.send(text),
      close: (code, reason) => socket.close(code, reason),
      onMessage: (handle) => {
        socket.on('message', (data: Buffer) => {
          onMessage();
          const text = data.toString();
          handle(text).catch((error: unknown) => {
            if (isInvalid(text)) socket.close(CloseCode.BadRequest, 'Invalid message received');
            else session.fail(error);
          });
        });
      },
    },
    { session },
  );
  // A violation of the WebSocket protocol: ws closes the socket with its code.
  socket.on('error', () => undefined);
  socket.once('close', (code, reason) => {
    closed(code, reason.toString()).catch((error: unknown) => session.fail(error));
  });
}

/** Messages that only servers send, and pings too deeply nested for a pong: graphql-ws throws as at a fault of ours. */
function isInvalid(text: string): boolean {
  const { type } = parseMessage(text);
  return [MessageType.ConnectionAck, MessageType.Next, MessageType.Error, MessageType.Ping].includes(type);
}
