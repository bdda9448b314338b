import { HttpProblem, rateLimited, RETRY_SECONDS } from '../../http/problem.js';
import { IDLE_RULE } from '../../http/server/connections.js';
import { clientNetwork, type Slot, type Slots } from '../../platform/client-limits.js';
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

export interface SocketSlots {
  /** Call when the socket is authenticated: others may be unauthenticated in its place. */
  readonly authenticated: () => void;
  readonly release: () => void;
}

/** Takes slots for a socket whose caller is not known yet. Throws `HttpProblem` 429 or 503 if there are none. */
export function takeSocket(slots: Slots, ip: string): SocketSlots {
  const { unauthenticated: max, unauthenticatedPerNetwork } = LIVE_LIMITS;
  const release = take(slots, ofConnection(ip));
  try {
    const authenticated = take(slots, [
      { kind: 'unauthenticated_of_network', of: clientNetwork(ip), max: unauthenticatedPerNetwork },
      { kind: 'unauthenticated', of: 'all', max },
    ]);
    return { authenticated, release: () => [authenticated, release].forEach((each) => each()) };
  } catch (error) {
    release();
    throw error;
  }
}

/** Takes slots for the caller of a socket. Returns their release. Throws as `takeSocket` does. */
export const takeCaller = (slots: Slots, caller: Caller): (() => void) => take(slots, ofCaller(caller));

/** Takes slots for an event stream. Returns their release. Throws as `takeSocket` does. */
export const takeStream = (slots: Slots, ip: string, caller: Caller): (() => void) =>
  take(slots, [...ofConnection(ip), ...ofCaller(caller)]);

const ofConnection = (ip: string): readonly Slot[] => [
  { kind: 'live_of_network', of: clientNetwork(ip), max: LIVE_LIMITS.perNetwork },
  { kind: 'live', of: 'all', max: LIVE_LIMITS.total },
];

const ofCaller = ({ tokenId, sessionId, companyId }: Caller): readonly Slot[] => [
  {
    kind: 'live_of_token',
    of: `${companyId}/${tokenId ?? `session ${sessionId}`}`,
    max: LIVE_LIMITS.perToken,
  },
  { kind: 'live_of_company', of: String(companyId), max: LIVE_LIMITS.perCompany },
];

function take(slots: Slots, wanted: readonly Slot[]): () => void {
  const taken = slots.take(...wanted);
  if (typeof taken === 'function') return taken;
  const [, owner] = taken.kind.split('_of_');
  const message = `Too many connections${owner === undefined ? '' : OWNERS[owner]}.`;
  if (owner !== undefined && owner !== 'company') throw rateLimited(message);
  throw new HttpProblem(503, 'busy', message, { 'Retry-After': String(RETRY_SECONDS) });
}

const OWNERS: Readonly<Record<string, string>> = {
  network: ' from this address',
  token: ' with this token',
  company: ' of this company',
};
