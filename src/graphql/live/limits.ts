import { SECOND } from '../../platform/clock.js';

/** Limits of connections and of the operations on them. */
export const LIVE_LIMITS = {
  /** Operations that run on one socket at a time. */
  operations: 20,
  /** Sockets and streams of one token. */
  perToken: 50,
  /** Sockets and streams of one IPv4 address or IPv6 /64 network. */
  perNetwork: 200,
  /** Sockets that are not authenticated yet. */
  unauthenticated: 200,
  /** The same of one network: otherwise one client could use up all of them. */
  unauthenticatedPerNetwork: 50,
  /** Sockets and streams of the whole server: leaves file descriptors for other requests. */
  total: 1_000,
  /** Bytes of a message from a client, as many as a request body may have. */
  messageBytes: 1024 * 1024,
  /** Bytes buffered for a client above which nothing more is read from it. */
  bufferedBytes: 1024 * 1024,
} as const;

/** Timeouts and intervals. */
export interface LiveTimes {
  /** Timeout for `connection_init` of a socket. */
  readonly initMs: number;
  /** Interval of pings. A socket that sent nothing since the last ping is terminated. */
  readonly pingMs: number;
  /** Interval of comments on an event stream: proxies close idle connections. */
  readonly heartbeatMs: number;
  /** Timeout for the client of an event stream to read what is buffered for it. */
  readonly stalledMs: number;
  /** Interval at which the token of a connection is checked again. */
  readonly recheckMs: number;
  /** Timeout for the closing handshake of a socket. */
  readonly closeMs: number;
}

export const LIVE_TIMES: LiveTimes = {
  initMs: 3 * SECOND,
  pingMs: 15 * SECOND,
  heartbeatMs: 15 * SECOND,
  stalledMs: 60 * SECOND,
  recheckMs: 1.5 * SECOND,
  closeMs: SECOND,
};
