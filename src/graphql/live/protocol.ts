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

/** What is said over a socket, and when: the library's part. */
export function createProtocol(initMs: number): Protocol {
  // What the library takes for a result is an `Outcome` all the way.
  const run = ({ contextValue }: { contextValue?: unknown }): Results =>
    (contextValue as Operation).outcomes() as unknown as Results;
  return makeServer<Record<string, unknown> | undefined, { readonly session: SocketSession }>({
    connectionInitWaitTimeout: initMs,
    onConnect: ({ extra, connectionParams }) => extra.session.connect(connectionParams),
    onSubscribe: ({ extra }, id, payload) => extra.session.subscribe(id, { ...payload }),
    execute: run,
    subscribe: run,
    onNext: (_socket, _id, _payload, _args, result) => (result as unknown as Outcome).payload,
    onError: ({ extra }, _id, _payload, errors) => extra.session.shown(errors),
  });
}

/** Lets a socket speak the protocol; `onMessage` is told of each sign of life. */
export function speak(
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
            if (isOfServers(text)) socket.close(CloseCode.BadRequest, 'Invalid message received');
            else session.fail(error);
          });
        });
      },
    },
    { session },
  );
  // What breaks the protocol of sockets closes them, with the code for it.
  socket.on('error', () => undefined);
  socket.once('close', (code, reason) => {
    closed(code, reason.toString()).catch((error: unknown) => session.fail(error));
  });
}

/** Whether only a server may say this; the library takes its own refusal of it for a fault. */
function isOfServers(text: string): boolean {
  const { type } = parseMessage(text);
  return [MessageType.ConnectionAck, MessageType.Next, MessageType.Error].includes(type);
}

/**
 * Resolves when the system has taken it, so that nobody makes the next one before. A client that sends and does not
 * read is not read from either, until it has taken what waits for it.
 */
async function send(socket: WebSocket, session: SocketSession, text: string): Promise<void> {
  if (socket.readyState !== socket.OPEN) return;
  const letGo = session.roomFor(text);
  if (letGo === null) return;
  await new Promise<void>((resolve) => {
    socket.send(text, () => {
      letGo();
      if (socket.isPaused && socket.bufferedAmount < LIVE_LIMITS.waitingBytes) socket.resume();
      resolve();
    });
    if (socket.bufferedAmount > LIVE_LIMITS.waitingBytes) socket.pause();
  });
}
