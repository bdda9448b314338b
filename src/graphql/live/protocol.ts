import {
  CloseCode,
  makeServer,
  MessageType,
  parseMessage,
  type ExecutionResult,
  type Server,
} from 'graphql-ws';
import type { WebSocket } from 'ws';

import { LIVE_LIMITS } from './limits.js';
import type { Operation, Outcome } from './operation.js';
import type { SocketSession } from './socket-session.js';

export type Protocol = Server<{ readonly session: SocketSession }>;

type Results = AsyncGenerator<ExecutionResult>;

/** The protocol graphql-transport-ws, by graphql-ws. */
export function createProtocol(initMs: number): Protocol {
  // graphql-ws passes each result to `onNext` unchanged, so it may be an `Outcome`.
  const run = ({ contextValue }: { contextValue?: unknown }): Results =>
    (contextValue as Operation).outcomes() as unknown as Results;
  return makeServer<Record<string, unknown> | undefined, { readonly session: SocketSession }>({
    connectionInitWaitTimeout: initMs,
    onConnect: ({ extra, connectionParams }) => extra.session.connect(connectionParams),
    onSubscribe: ({ extra }, id, payload) => extra.session.subscribe(id, { ...payload }),
    execute: run,
    subscribe: run,
    onNext: (_socket, _id, _payload, _args, result) => (result as unknown as Outcome).payload,
    onError: ({ extra }, _id, _payload, errors) => extra.session.render(errors),
  });
}

/** Connects a socket to the protocol. Calls `onMessage` for each message of the client. */
export function serveSocket(
  protocol: Protocol,
  socket: WebSocket,
  session: SocketSession,
  onMessage: () => void,
): void {
  const closed = protocol.opened(
    {
      protocol: socket.protocol,
      send: (text) => send(socket, session, text),
      close: (code, reason) => socket.close(code, reason),
      onMessage: (handle) => {
        socket.on('message', (data: Buffer) => {
          onMessage();
          const text = data.toString();
          handle(text).catch((error: unknown) => {
            if (isServerMessage(text)) socket.close(CloseCode.BadRequest, 'Invalid message received');
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

/** Messages that only servers send: graphql-ws throws an error for them that looks like a fault of the server. */
function isServerMessage(text: string): boolean {
  const { type } = parseMessage(text);
  return [MessageType.ConnectionAck, MessageType.Next, MessageType.Error].includes(type);
}

/**
 * Resolves when the operating system has taken the text: graphql-ws asks for the next result after that. Nothing is
 * read from a client while more than `bufferedBytes` are unread by it.
 */
async function send(socket: WebSocket, session: SocketSession, text: string): Promise<void> {
  if (socket.readyState !== socket.OPEN) return;
  const release = session.takeBytes(text);
  if (release === null) return;
  await new Promise<void>((resolve) => {
    socket.send(text, () => {
      release();
      if (socket.isPaused && socket.bufferedAmount < LIVE_LIMITS.bufferedBytes) socket.resume();
      resolve();
    });
    if (socket.bufferedAmount > LIVE_LIMITS.bufferedBytes) socket.pause();
  });
}
