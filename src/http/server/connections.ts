import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

import { MINUTE, SECOND, type Clock } from '../../platform/clock.js';
import type { Slots } from '../../platform/limits/slots.js';
import { clientNetwork } from '../../platform/network.js';

/** TCP connections. */
export const CONNECTION_LIMITS = {
  /** A fleet of 10,000 terminals waits for notifications, each on a connection of its own, and others go on. */
  total: 12_000,
  /** Of one IPv4 address or IPv6 /64 network; connections of trusted proxies, and of terminals that wait, are not limited so. */
  ofNetwork: 500,
} as const;

export interface IdleRule {
  /** Interval in which the client must take `leastBytes` of those that wait for it, or all. */
  readonly idleMs: number;
  readonly leastBytes: number;
}

/** How long a client may leave bytes unread: on average 1 KiB a second over two minutes. */
export const IDLE_RULE: IdleRule = { idleMs: 2 * MINUTE, leastBytes: 120 * 1024 };

/** What ends the counting of a connection for its network, by `keyOf`: a TLS socket is not the one that was accepted. */
const networkSlots = new Map<string, () => void>();

const keyOf = ({ localPort, remoteAddress, remotePort }: Socket): string =>
  `${localPort} ${remoteAddress} ${remotePort}`;

/** The client of the connection is known, and has limits of its own: thousands of terminals may share one address. */
export function leaveNetwork(socket: Socket): void {
  networkSlots.get(keyOf(socket))?.();
}

/** How much a client has taken, and when that was looked at. */
interface Progress {
  readonly taken: number;
  readonly since: number;
}

interface Connection {
  /** Null if nothing waits for the client. */
  progress: Progress | null;
  /** Requests without a complete response. */
  requests: number;
}

/** The connections of a server: their limit by network, and the end of those whose clients do not read. */
export class Connections {
  readonly #open = new Map<Socket, Connection>();
  #cut = 0;

  constructor(
    private readonly slots: Slots,
    private readonly rule: IdleRule,
    private readonly isTrusted: (address: string) => boolean,
    private readonly clock: Pick<Clock, 'elapsed'>,
  ) {}

  get count(): number {
    return this.#open.size;
  }

  /** How many were cut because their clients did not read. */
  get cut(): number {
    return this.#cut;
  }

  /** Whether bytes wait for some client. */
  get haveUnsent(): boolean {
    return [...this.#open.keys()].some((socket) => socket.writableLength > 0);
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
    server.prependListener('request', this.#countRequest);
    server.prependListener('checkContinue', this.#countRequest);
    // Without a listener Node would close each silent connection: also one whose client waits for its response, and
    // one of which bytes wait, which is for `check`.
    server.on('timeout', (socket: Socket) => {
      if (socket.writableLength === 0 && !this.#open.get(socket)?.requests) socket.destroy();
    });
    const timer = setInterval(() => this.check(), checkInterval(this.rule)).unref();
    server.once('close', () => clearInterval(timer));
  }

  /** Cuts connections whose clients have not taken enough of what waits for them. */
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
        this.#cut += 1;
        reset(socket);
      }
    }
  }

  #add(socket: Socket): void {
    if (socket.destroyed) return;
    this.#open.set(socket, { progress: null, requests: 0 });
    socket.once('close', () => this.#open.delete(socket));
  }

  readonly #countRequest = ({ socket }: IncomingMessage, response: ServerResponse): void => {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    connection.requests += 1;
    response.once('close', () => (connection.requests -= 1));
  };

  /** Closes a connection of a network that has too many. */
  #admit(socket: Socket): void {
    // The address of a link has the name of the interface after a percent sign; a closed connection has none.
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
    socket.once('close', () => {
      taken();
      networkSlots.delete(key);
    });
  }
}

/** Drops what is unread in the operating system as well, so that a client that does not read sees the end. */
function reset(socket: Socket): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}

/** How often connections are looked at: often enough to cut them at most an eighth later than the rule says. */
function checkInterval({ idleMs }: IdleRule): number {
  return Math.min(5 * SECOND, idleMs / 8);
}
