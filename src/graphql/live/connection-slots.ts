import type { Caller } from '../../platform/caller.js';
import { clientNetwork } from '../../platform/network.js';
import { HttpProblem } from '../../http/problem.js';
import { LIVE_LIMITS } from './limits.js';

const RETRY = { 'Retry-After': '5' };

/** A named limit, for example `{ name: 'token 1/17', max: 50 }`. */
export interface Slot {
  readonly name: string;
  readonly max: number;
}

/** Counts open connections by name. */
export class ConnectionSlots {
  readonly #taken = new Map<string, number>();

  /** Takes one slot of each name. Returns the function that releases them; null where one of them is used up. */
  take(...slots: readonly Slot[]): (() => void) | null {
    if (!this.hasRoom(...slots)) return null;
    for (const { name } of slots) this.#taken.set(name, this.count(name) + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      for (const { name } of slots) this.#release(name);
    };
  }

  hasRoom(...slots: readonly Slot[]): boolean {
    return slots.every(({ name, max }) => this.count(name) < max);
  }

  count(name: string): number {
    return this.#taken.get(name) ?? 0;
  }

  #release(name: string): void {
    const left = this.count(name) - 1;
    if (left === 0) this.#taken.delete(name);
    else this.#taken.set(name, left);
  }
}

/** The slots of one connection. */
export interface LiveConnection {
  /** Call when the connection is authenticated: releases its slot among those that are not. */
  readonly authenticated: () => void;
  /** Call when the connection ends. */
  readonly release: () => void;
}

/** Takes slots for a connection of an address. Throws `HttpProblem` 429 or 503 where there are none. */
export function takeConnection(slots: ConnectionSlots, ip: string, isAuthenticated = false): LiveConnection {
  const { total, unauthenticated, unauthenticatedPerNetwork, perNetwork } = LIVE_LIMITS;
  const network = clientNetwork(ip);
  const ofNetwork = [{ name: `network ${network}`, max: perNetwork }];
  const ofUnauthenticated = isAuthenticated
    ? []
    : [{ name: `unauthenticated network ${network}`, max: unauthenticatedPerNetwork }];
  if (!slots.hasRoom(...ofNetwork, ...ofUnauthenticated)) {
    throw new HttpProblem(429, 'rate_limited', 'There are too many connections from this address.', RETRY);
  }
  const releaseAll = slots.take({ name: 'all', max: total }, ...ofNetwork);
  const authenticated = isAuthenticated
    ? () => undefined
    : slots.take({ name: 'unauthenticated', max: unauthenticated }, ...ofUnauthenticated);
  if (releaseAll !== null && authenticated !== null) {
    return { authenticated, release: () => [authenticated, releaseAll].forEach((release) => release()) };
  }
  releaseAll?.();
  authenticated?.();
  throw new HttpProblem(503, 'busy', 'There are too many connections.', RETRY);
}

/** Takes a slot for a connection with a token; null where there is none. */
export function takeToken(
  slots: ConnectionSlots,
  { companyId, tokenId }: Pick<Caller, 'companyId' | 'tokenId'>,
): (() => void) | null {
  return slots.take({ name: `token ${companyId}/${tokenId ?? 'none'}`, max: LIVE_LIMITS.perToken });
}

export function tooManyOfToken(): HttpProblem {
  return new HttpProblem(429, 'rate_limited', 'There are too many connections with this token.', RETRY);
}
