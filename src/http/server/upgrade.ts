import { ServerResponse, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';

export const SWITCHING_PROTOCOLS = 101;

/** What came after the head of a request that asks for a WebSocket. */
const heads = new WeakMap<IncomingMessage, Buffer>();

/** Other protocols than WebSocket may be asked for (clients of HTTP/2 do so): those requests are as any other. */
export function asksForSocket(request: IncomingMessage): boolean {
  return request.headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * Lets requests for a WebSocket meet the application like every other request, so that the same walls stand
 * before them. Whoever accepts one says `takeOver`; every other answer ends the connection.
 */
export function answerUpgrades(server: Server, listener: RequestListener): void {
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => undefined);
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    try {
      response.assignSocket(socket);
    } catch {
      // The answer to an earlier request is still under way on this connection.
      socket.destroy();
      return;
    }
    if (asksForSocket(request)) heads.set(request, head);
    response.once('finish', () => socket.destroySoon());
    listener(request, response);
  });
}

/** Whether the connection can be taken over as a WebSocket. */
export function isUpgrade(request: IncomingMessage): boolean {
  return heads.has(request);
}

/** The connection of a request that is accepted; its response is over. */
export function takeOver(
  request: IncomingMessage,
  response: ServerResponse,
): { readonly socket: Socket; readonly head: Buffer } {
  const { socket } = request;
  const head = heads.get(request);
  if (head === undefined) throw new Error('The request asked for no other protocol');
  response.detachSocket(socket);
  response.statusCode = SWITCHING_PROTOCOLS;
  response.emit('close');
  return { socket, head };
}
