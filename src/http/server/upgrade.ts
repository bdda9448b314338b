import { ServerResponse, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';

import { headerOf } from '../headers.js';

export const SWITCHING_PROTOCOLS = 101;

/** First bytes after the headers of each request for a WebSocket. */
const heads = new WeakMap<IncomingMessage, Buffer>();

/** Requests to upgrade to another protocol, such as HTTP/2, are treated as ordinary requests. */
export function requestsWebSocket(request: IncomingMessage): boolean {
  return headerOf(request, 'upgrade')?.toLowerCase() === 'websocket';
}

/**
 * Passes requests for a WebSocket to the application like any other request, so that the rate limit and the other
 * checks apply. The handler that accepts one calls `takeOver`; any other response closes the connection.
 */
export function handleUpgrades(server: Server, listener: RequestListener): void {
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => undefined);
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    try {
      response.assignSocket(socket);
    } catch {
      // The response to an earlier request on this connection is still in flight.
      socket.destroy();
      return;
    }
    if (requestsWebSocket(request)) heads.set(request, head);
    response.once('finish', () => socket.destroySoon());
    listener(request, response);
  });
}

/** Whether the connection can be taken over as a WebSocket. */
export function isUpgrade(request: IncomingMessage): boolean {
  return heads.has(request);
}

/** Accepts a WebSocket request: detaches the socket from the response, which ends with status 101. */
export function takeOver(
  request: IncomingMessage,
  response: ServerResponse,
): { readonly socket: Socket; readonly head: Buffer } {
  const { socket } = request;
  const head = heads.get(request);
  if (head === undefined) throw new Error('The request is not a WebSocket upgrade');
  response.detachSocket(socket);
  response.statusCode = SWITCHING_PROTOCOLS;
  response.emit('close');
  return { socket, head };
}
