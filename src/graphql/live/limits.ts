import { SECOND } from '../../platform/clock.js';

/** How many connections and operations there are at a time, at most. */
export const LIVE_LIMITS = {
  /** Operations of one socket. */
  operations: 20,
  /** Sockets and streams of one token. */
  perToken: 50,
  /** Sockets and streams of one address, or of one /64 network. */
  perNetwork: 200,
  /** Sockets of which nobody knows yet whose they are. */
  unknown: 200,
  /** The same of one address: nobody alone keeps all others from saying whose they are. */
  unknownPerNetwork: 50,
  /** Of the whole server; ordinary requests need connections too. */
  total: 1_000,
  /** Bytes of a message from a client: as much as a body has. */
  messageBytes: 1024 * 1024,
  /** Bytes that wait for a client before nothing more is read from it. */
  waitingBytes: 1024 * 1024,
} as const;

/** How long is waited, and how often is looked. */
export interface LiveTimes {
  /** For a socket to say whose it is. */
  readonly initMs: number;
  /** A socket is asked for a sign of life this often, and ends where none came until the next. */
  readonly pingMs: number;
  /** Something is sent on a stream this often, so that nobody on the way takes it for dead. */
  readonly heartbeatMs: number;
  /** For the client of a stream to take what waits for it. */
  readonly stalledMs: number;
  /** How often the token of a connection is looked at. */
  readonly recheckMs: number;
  /** For a client to agree that its socket ends. */
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
