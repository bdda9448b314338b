import {
  CloseCode,
  makeServer,
  MessageType,
  parseMessage,
  type ExecutionResult,
  type Server,
} from 'graphql-ws';
import type { WebSocket } from 'ws';

import { workFor } from '../../platform/concurrency/event-loop.js';
import type { Outcome } from './operation/operation.js';
import type { SocketOperation, SocketSession } from './socket-session.js';

export type Protocol = Server<{ readonly session: SocketSession }>;

type Results = AsyncGenerator<ExecutionResult>;

/** The protocol graphql-transport-ws, by graphql-ws. */
export function createProtocol(initMs: number): Protocol {
  const run = ({ contextValue }: { contextValue?: unknown }): Results =>
    sendingOutcomes(contextValue as SocketOperation) as unknown as Results;
  return makeServer<Record<string, unknown> | undefined, { readonly session: SocketSession }>({
    connectionInitWaitTimeout: initMs,
    onConnect: ({ extra, connectionParams }) => extra.session.connect(connectionParams),
    onSubscribe: ({ extra }, id, payload) => extra.session.subscribe(id, { ...payload }),
    execute: run,
    subscribe: run,
    onError: ({ extra }, _id, _payload, errors) => extra.session.render(errors),
  });
}

/**
 * Sends the outcomes, so that graphql-ws only handles the end: it would send events one by one, and make the
 * text of each for every client.
 */
function sendingOutcomes({ operation, send }: SocketOperation): AsyncGenerator<Outcome> {
  const outcomes = operation.outcomes();
  const next = outcomes.next.bind(outcomes);
  outcomes.next = async () => {
    for (;;) {
      const result = await next();
      if (result.done === true) return result;
      await send(result.value);
    }
  };
  return outcomes;
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
      send: (text) => session.send(text),
      close: (code, reason) => socket.close(code, reason),
      onMessage: (handle) => {
        socket.on('message', (data: Buffer) => {
          onMessage();
          const text = data.toString();
          workFor(session.owner, () => handle(text)).catch((error: unknown) => {
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

/** Messages that only servers send: graphql-ws reports them like a fault of the server. */
function isServerMessage(text: string): boolean {
  const { type } = parseMessage(text);
  return [MessageType.ConnectionAck, MessageType.Next, MessageType.Error].includes(type);
}
