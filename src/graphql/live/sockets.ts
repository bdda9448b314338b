import type { Request, RequestHandler, Response } from 'express';
import { parse } from 'graphql';
import { CloseCode, handleProtocols, makeServer, MessageType, parseMessage, type Server } from 'graphql-ws';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { WebSocketServer, type WebSocket } from 'ws';

import { HttpProblem } from '../../http/problem.js';
import { headerOf, malformed, requestContextOf } from '../../http/request.js';
import { isUpgrade, takeOver } from '../../http/server/connections.js';
import { DomainError } from '../../platform/errors.js';
import { readCredentials } from '../http/request.js';
import { LIVE_LIMITS, takeSocket, type LiveTimes } from './limits.js';
import type { LiveParts } from './operation.js';
import { SocketSession } from './socket-session.js';

const STOP_POLL_MS = 20;
/** Headers of the HTTP response that are also sent with the response to a handshake. */
const HANDSHAKE_HEADERS = [
  'X-Request-Id',
  'X-Rate-Limit-Limit',
  'X-Rate-Limit-Remaining',
  'X-Rate-Limit-Reset',
  'Strict-Transport-Security',
];

/** GraphQL over WebSockets with the subprotocol `graphql-transport-ws`. */
export class Sockets {
  readonly #server: WebSocketServer;
  readonly #protocol: Protocol;
  readonly #open = new Set<SocketSession>();
  readonly #headers = new WeakMap<object, readonly string[]>();
  #isStopping = false;

  constructor(
    private readonly parts: LiveParts,
    private readonly times: LiveTimes,
  ) {
    this.#protocol = createProtocol(parts, times.initMs);
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
    const connection = takeSocket(this.parts.limits.slots, requestContext.ip);
    const { socket: raw, head } = this.#takeOver(request, response);
    raw.once('close', connection.release);
    this.#server.handleUpgrade(request, raw, head, (socket) => {
      const { parts, times } = this;
      const opening = { ...requestContext, ...credentials };
      const session = new SocketSession(socket, raw, parts, times, opening, connection.authenticated);
      this.#open.add(session);
      socket.once('close', () => this.#open.delete(session));
      serveSocket(this.#protocol, socket, session);
    });
  };

  /** Waits `graceMs` at most for queries and mutations to finish, then closes every socket. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    const sessions = [...this.#open];
    for (const session of sessions) session.refuseOperations();
    for (let waited = 0; waited < graceMs && sessions.some(({ isBusy }) => isBusy); waited += STOP_POLL_MS) {
      await sleep(STOP_POLL_MS);
    }
    // Sends the last responses before the close frames.
    await setImmediate();
    await Promise.all([...this.#open].map((session) => session.close()));
  }

  #takeOver(request: Request, response: Response): ReturnType<typeof takeOver> {
    const names = HANDSHAKE_HEADERS.filter((name) => response.hasHeader(name));
    this.#headers.set(
      request,
      names.map((name) => `${name}: ${String(response.getHeader(name))}`),
    );
    return takeOver(request, response);
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

/** graphql-ws asks for a document; `SocketSession` reads, executes and sends the operations. */
const NO_DOCUMENT = parse('{ __typename }');

/** The protocol graphql-transport-ws, by graphql-ws. */
function createProtocol({ schema }: LiveParts, initMs: number): Protocol {
  return makeServer<Record<string, unknown> | undefined, { readonly session: SocketSession }>({
    connectionInitWaitTimeout: initMs,
    onConnect: ({ extra: { session }, connectionParams }) => session.connect(connectionParams),
    onSubscribe: ({ extra: { session } }, id, payload) => ({
      schema,
      document: NO_DOCUMENT,
      contextValue: (signal: AbortSignal) => session.run(id, { ...payload }, signal),
    }),
    execute: ({ contextValue }) => resultsOf(contextValue as Run),
    onError: ({ extra: { session } }, _id, _payload, errors) => session.errorsFor(errors),
  });
}

type Run = (signal: AbortSignal) => Promise<void>;

/** Runs an operation while graphql-ws waits for results: none come, since it would make each text for every client. */
function resultsOf(run: Run): AsyncGenerator<never, undefined> {
  const stop = new AbortController();
  async function* results(): AsyncGenerator<never, undefined> {
    // The client may have left before it begins.
    if (!stop.signal.aborted) await run(stop.signal);
    return undefined;
  }
  const generator = results();
  generator.return = async () => {
    stop.abort();
    return await generator.next();
  };
  return generator;
}

/** Connects a socket to the protocol. */
function serveSocket(protocol: Protocol, socket: WebSocket, session: SocketSession): void {
  const closed = protocol.opened(
    {
      protocol: socket.protocol,
      send: (text) => session.send(text),
      close: (code, reason) => socket.close(code, reason),
      onMessage: (handle) => {
        socket.on('message', (data: Buffer) => {
          session.hear();
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
