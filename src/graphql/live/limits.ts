import { HttpProblem } from '../../http/problem.js';
import { IDLE_RULE } from '../../http/server/connections.js';
import { clientNetwork, type Slots } from '../../platform/client-limits.js';
import { SECOND } from '../../platform/clock.js';
import type { Caller } from '../../platform/requests.js';

/** Limits of connections and of the operations on them. */
export const LIVE_LIMITS = {
  operations: 20,
  /** Queries and mutations of one socket that are being executed, or whose response is not sent yet. */
  executed: 4,
  perToken: 50,
  /** Sockets and streams of one IPv4 address or IPv6 /64 network. */
  perNetwork: 200,
  perCompany: 400,
  unauthenticated: 200,
  /** Unauthenticated sockets of one network; otherwise one client could use up the limit above. */
  unauthenticatedPerNetwork: 50,
  /** Sockets and streams of the whole server. Leaves file descriptors for other requests. */
  total: 1_000,
  /** Bytes of a message from a client; the same limit as for a request body. */
  messageBytes: 1024 * 1024,
  fragments: 1_024,
  /** Unsent bytes to a client above which its messages are not read and its operations not executed. */
  bufferedBytes: 1024 * 1024,
} as const;

export interface LiveTimes {
  readonly initMs: number;
  readonly pingMs: number;
  /** A socket from which nothing arrived for this time, not even a pong, is terminated. */
  readonly idleMs: number;
  /** Interval of comments on an event stream: proxies close idle connections. */
  readonly heartbeatMs: number;
  /** Interval at which the token of a connection is checked again. */
  readonly recheckMs: number;
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

const RETRY = { 'Retry-After': '5' };

export interface LiveConnection {
  /** Call when the connection is authenticated: releases its slot for unauthenticated connections. */
  readonly authenticated: () => void;
  readonly release: () => void;
}

/** Takes slots for a connection of an address. Throws `HttpProblem` 429 or 503 if there are none. */
export function takeConnection(slots: Slots, ip: string, isAuthenticated = false): LiveConnection {
  const { total, unauthenticated, unauthenticatedPerNetwork, perNetwork } = LIVE_LIMITS;
  const of = clientNetwork(ip);
  const release = slots.take(
    { kind: 'live_of_network', of, max: perNetwork },
    { kind: 'live', of: 'all', max: total },
  );
  if (typeof release !== 'function') throw refusal(release.kind);
  if (isAuthenticated) return { authenticated: () => undefined, release };
  const authenticated = slots.take(
    { kind: 'unauthenticated_of_network', of, max: unauthenticatedPerNetwork },
    { kind: 'unauthenticated', of: 'all', max: unauthenticated },
  );
  if (typeof authenticated === 'function') {
    return { authenticated, release: () => [authenticated, release].forEach((each) => each()) };
  }
  release();
  throw refusal(authenticated.kind);
}

/** Takes slots for a token or session and its company. Throws `HttpProblem` 429 or 503 if there are none. */
export function takeToken(
  slots: Slots,
  { tokenId, sessionId, companyId }: Pick<Caller, 'tokenId' | 'sessionId' | 'companyId'>,
): () => void {
  const { perToken, perCompany } = LIVE_LIMITS;
  const release = slots.take(
    { kind: 'live_of_token', of: `${companyId}/${tokenId ?? `session ${sessionId}`}`, max: perToken },
    { kind: 'live_of_company', of: String(companyId), max: perCompany },
  );
  if (typeof release === 'function') return release;
  throw refusal(release.kind);
}

function refusal(kind: string): HttpProblem {
  const [, owner] = kind.split('_of_');
  const message = `Too many connections${owner === undefined ? '' : OWNERS[owner]}`;
  return owner === undefined || owner === 'company'
    ? new HttpProblem(503, 'busy', `${message}.`, RETRY)
    : new HttpProblem(429, 'rate_limited', `${message}.`, RETRY);
}

const OWNERS: Readonly<Record<string, string>> = {
  network: ' from this address',
  token: ' with this token',
  company: ' of this company',
};
