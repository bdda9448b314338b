import { IDLE_RULE } from '../../http/server/connections.js';
import { SECOND } from '../../platform/clock.js';

/** Limits of connections and of the operations on them. */
export const LIVE_LIMITS = {
  /** Operations that run on one socket at a time. */
  operations: 20,
  /** Queries and mutations of one socket that are being executed, or whose response is not sent yet. */
  executed: 4,
  /** Sockets and streams of one token. */
  perToken: 50,
  /** Sockets and streams of one IPv4 address or IPv6 /64 network. */
  perNetwork: 200,
  /** Sockets and streams of one company. */
  perCompany: 400,
  /** Sockets that are not authenticated yet. */
  unauthenticated: 200,
  /** Unauthenticated sockets of one network; otherwise one client could use up the limit above. */
  unauthenticatedPerNetwork: 50,
  /** Sockets and streams of the whole server. Leaves file descriptors for other requests. */
  total: 1_000,
  /** Bytes of a message from a client; the same limit as for a request body. */
  messageBytes: 1024 * 1024,
  /** Fragments of a message from a client. */
  fragments: 1_024,
  /** Unsent bytes to a client above which its messages are not read and its operations not executed. */
  bufferedBytes: 1024 * 1024,
} as const;

/** Timeouts and intervals. */
export interface LiveTimes {
  /** Timeout for `connection_init` of a socket. */
  readonly initMs: number;
  /** Interval of pings. */
  readonly pingMs: number;
  /** A socket from which nothing arrived for this time, not even a pong, is terminated. */
  readonly idleMs: number;
  /** Interval of comments on an event stream: proxies close idle connections. */
  readonly heartbeatMs: number;
  /** Interval at which the token of a connection is checked again. */
  readonly recheckMs: number;
  /** Timeout for the closing handshake of a socket. */
  readonly closeMs: number;
}

export const LIVE_TIMES: LiveTimes = {
  initMs: 3 * SECOND,
  pingMs: 15 * SECOND,
  idleMs: IDLE_RULE.idleMs,
  heartbeatMs: 15 * SECOND,
  recheckMs: 1.5 * SECOND,
  closeMs: SECOND,
};
