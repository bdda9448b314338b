import { HttpProblem } from '../../http/problem.js';
import type { Caller } from '../../platform/caller.js';
import type { Slots } from '../../platform/limits/slots.js';
import { clientNetwork } from '../../platform/network.js';
import { LIVE_LIMITS } from './limits.js';

const RETRY = { 'Retry-After': '5' };

/** The slots of one connection. */
export interface LiveConnection {
  /** Call when the connection is authenticated: releases its slot for unauthenticated connections. */
  readonly authenticated: () => void;
  /** Call when the connection ends. */
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

/** Takes slots for a token and its company. Throws `HttpProblem` 429 or 503 if there are none. */
export function takeToken(
  slots: Slots,
  { tokenId, companyId }: Pick<Caller, 'tokenId' | 'companyId'>,
): () => void {
  const { perToken, perCompany } = LIVE_LIMITS;
  const release = slots.take(
    { kind: 'live_of_token', of: `${companyId}/${tokenId ?? 'none'}`, max: perToken },
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
