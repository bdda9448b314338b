import express from 'express';
import { type IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';

import { clientNetwork, Slots, WaitingBytes } from '../../platform/client-limits.js';
import { MINUTE, SECOND, type Clock } from '../../platform/clock.js';
import { headerOf } from '../request.js';

export const CONNECTION_LIMITS = {
  /** All connections: 10,000 of terminals that wait for notifications, and 2,000 of other clients. */
  total: 12_000,
  /** Connections of one IPv4 address or IPv6 /64 network, without trusted proxies and waiting terminals. */
  ofNetwork: 500,
} as const;

/** How long a client may leave bytes unread: on average 1 KiB a second over a minute. */
export const IDLE_RULE = {
  /** Within this time, the client must read `leastBytes`, or all bytes that wait for it. */
  idleMs: MINUTE,
  leastBytes: 60 * 1024,
};
type IdleRule = Readonly<typeof IDLE_RULE>;

/** Functions by `keyOf`, not by socket: with TLS, a request has another socket than was accepted. */
const networkSlots = new Map<string, () => void>();

const keyOf = ({ localPort, remoteAddress, remotePort }: Socket): string =>
  `${localPort} ${remoteAddress} ${remotePort}`;

/** Called once the client is known and has limits of its own: thousands of terminals may share one address. */
export function leaveNetwork(socket: Socket): void {
  networkSlots.get(keyOf(socket))?.();
}

/** A request on a connection, where requests are answered in their order. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface Connection {
  /** Bytes that the client has read, and the monotonic time of that in milliseconds; null if no bytes wait for it. */
  progress: { readonly taken: number; readonly since: number } | null;
  exchanges: readonly Exchange[];
}

const isOpen = ({ request, response }: Exchange): boolean => !request.complete || !response.closed;

/** Limits the connections of each network, and cuts those whose clients do not read. */
export class Connections {
  readonly #open = new Map<Socket, Connection>();
  /** Connections cut because their clients did not read. */
  cut = 0;

  constructor(
    private readonly slots: Slots,
    private readonly rule: IdleRule,
    private readonly isTrusted: (address: string) => boolean,
    private readonly clock: Pick<Clock, 'elapsed'>,
  ) {}

  get count(): number {
    return this.#open.size;
  }

  get haveUnsent(): boolean {
    return [...this.#open.keys()].some((socket) => socket.writableLength > 0);
  }

  /** The requests of a connection that have not arrived as a whole or are not answered, in order. */
  exchangesOf(socket: Duplex): readonly Exchange[] {
    return this.#open.get(socket as Socket)?.exchanges.filter(isOpen) ?? [];
  }

  /** Call before the server listens. */
  watch(server: Server, isTls: boolean): void {
    server.maxConnections = CONNECTION_LIMITS.total;
    server.on('drop', () => this.slots.countRefusal('connections'));
    server.prependListener('connection', (socket) => {
      this.#admit(socket);
      if (!isTls) this.#add(socket);
    });
    if (isTls) server.on('secureConnection', (socket: Socket) => this.#add(socket));
    server.prependListener('request', this.#remember);
    server.prependListener('checkContinue', this.#remember);
    // Without this listener, Node would close every idle connection, even if its client waits for a response
    // or has unread bytes. `check` cuts the latter.
    server.on('timeout', (socket: Socket) => {
      if (socket.writableLength === 0 && this.exchangesOf(socket).length === 0) socket.destroy();
    });
    const timer = setInterval(() => this.check(), checkInterval(this.rule)).unref();
    server.once('close', () => clearInterval(timer));
  }

  /** Cuts connections whose clients read too slowly, as `rule` defines. */
  check(now = this.clock.elapsed()): void {
    const { idleMs, leastBytes } = this.rule;
    for (const [socket, connection] of this.#open) {
      const { progress } = connection;
      const waits = socket.writableLength;
      const taken = socket.bytesWritten - waits;
      if (waits === 0) connection.progress = null;
      else if (progress === null || taken - progress.taken >= leastBytes) {
        connection.progress = { taken, since: now };
      } else if (now - progress.since >= idleMs) {
        this.cut += 1;
        reset(socket);
      }
    }
  }

  #add(socket: Socket): void {
    if (socket.destroyed) return;
    this.#open.set(socket, { progress: null, exchanges: [] });
    socket.once('close', () => this.#open.delete(socket));
  }

  readonly #remember = (request: IncomingMessage, response: ServerResponse): void => {
    const connection = this.#open.get(request.socket);
    if (connection === undefined) return;
    connection.exchanges = [...connection.exchanges.filter(isOpen), { request, response }];
  };

  /** Counts a new connection for its network, or closes it if the network has too many. */
  #admit(socket: Socket): void {
    // A link-local address ends with the interface (`fe80::1%eth0`). A closed connection has no address.
    const [address = ''] = (socket.remoteAddress ?? '').split('%');
    if (address === '' || this.isTrusted(address)) return;
    const of = clientNetwork(address);
    const taken = this.slots.take({ kind: 'connections_of_network', of, max: CONNECTION_LIMITS.ofNetwork });
    if (typeof taken !== 'function') {
      socket.destroy();
      return;
    }
    const key = keyOf(socket);
    networkSlots.set(key, taken);
    socket.once('close', taken).once('close', () => networkSlots.delete(key));
  }
}

/** Closes the socket and drops its unsent bytes, also in the operating system, so that the client notices. */
function reset(socket: Socket): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}

/** Interval of `check`, in milliseconds: connections are cut at most an eighth of `idleMs` late. */
const checkInterval = ({ idleMs }: IdleRule): number => Math.min(5 * SECOND, idleMs / 8);

export type ServerLimits = ReturnType<typeof createClientLimits>;

interface LimitOptions {
  readonly trustProxy: readonly string[];
  readonly idleMs: number;
  readonly clock: Clock;
}

export function createClientLimits({ trustProxy, idleMs, clock }: LimitOptions) {
  const slots = new Slots();
  const waiting = new WaitingBytes();
  const rule = { ...IDLE_RULE, idleMs };
  /** The rule of express for the same setting. */
  const isTrusted = express()
    .set('trust proxy', [...trustProxy])
    .get('trust proxy fn') as (address: string) => boolean;
  const connections = new Connections(slots, rule, isTrusted, clock);
  const figures = () => ({
    waitingBytes: waiting.bytes,
    connections: connections.count,
    cut: connections.cut,
    /** Refusals by the limit that was exceeded. */
    refused: new Map([...slots.refused, ['waiting_bytes', waiting.refused]]),
  });
  return { slots, waiting, connections, figures };
}

export const SWITCHING_PROTOCOLS = 101;

/** First bytes after the headers of each request for a WebSocket. */
const heads = new WeakMap<IncomingMessage, Buffer>();

/** Requests to upgrade to another protocol, such as HTTP/2, are treated as ordinary requests. */
export function requestsWebSocket(request: IncomingMessage): boolean {
  return headerOf(request, 'upgrade')?.toLowerCase() === 'websocket';
}

/** Passes requests for a WebSocket to the application, so that all checks apply; its handler calls `takeOver`. */
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

/** True if the connection can be taken over as a WebSocket. */
export const isUpgrade = (request: IncomingMessage): boolean => heads.has(request);

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
