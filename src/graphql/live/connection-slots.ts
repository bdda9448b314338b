import type { Caller } from '../../platform/caller.js';
import { clientNetwork } from '../../platform/network.js';
import { HttpProblem } from '../../http/problem.js';
import { LIVE_LIMITS } from './limits.js';

const RETRY = { 'Retry-After': '5' };

export interface Seat {
  readonly name: string;
  readonly most: number;
}

/** Counts who is there: so many at a time under each name. */
export class ConnectionSlots {
  readonly #taken = new Map<string, number>();

  /** Answers how to leave, which counts once; null where one of them has no room. */
  take(...seats: readonly Seat[]): (() => void) | null {
    if (!this.haveRoom(...seats)) return null;
    for (const { name } of seats) this.#taken.set(name, this.count(name) + 1);
    let taken = true;
    return () => {
      if (!taken) return;
      taken = false;
      for (const { name } of seats) this.#leave(name);
    };
  }

  haveRoom(...seats: readonly Seat[]): boolean {
    return seats.every(({ name, most }) => this.count(name) < most);
  }

  count(name: string): number {
    return this.#taken.get(name) ?? 0;
  }

  #leave(name: string): void {
    const left = this.count(name) - 1;
    if (left === 0) this.#taken.delete(name);
    else this.#taken.set(name, left);
  }
}

export interface LiveConnection {
  /** It is known whose it is. */
  readonly known: () => void;
  readonly leave: () => void;
}

/**
 * Room for a connection of an address; one of which it is known whose it is takes no room from those that have yet
 * to say so. Throws an `HttpProblem` where there is none.
 */
export function takeConnection(seats: ConnectionSlots, ip: string, isKnown = false): LiveConnection {
  const { total, unknown, unknownPerNetwork, perNetwork } = LIVE_LIMITS;
  const network = clientNetwork(ip);
  const ofNetwork = [
    { name: `network ${network}`, most: perNetwork },
    ...(isKnown ? [] : [{ name: `unknown network ${network}`, most: unknownPerNetwork }]),
  ];
  if (!seats.haveRoom(...ofNetwork)) {
    throw new HttpProblem(429, 'rate_limited', 'There are too many connections from this address.', RETRY);
  }
  const leaveAll = seats.take({ name: 'all', most: total }, ...ofNetwork.slice(0, 1));
  const known = isKnown ? nothing : seats.take({ name: 'unknown', most: unknown }, ...ofNetwork.slice(1));
  if (leaveAll !== null && known !== null)
    return { known, leave: () => [known, leaveAll].forEach((each) => each()) };
  leaveAll?.();
  known?.();
  throw new HttpProblem(503, 'busy', 'There are too many connections.', RETRY);
}

const nothing = (): void => undefined;

/** Room for a connection of a token; null where there is none. */
export function takeToken(seats: ConnectionSlots, { tokenId }: Pick<Caller, 'tokenId'>): (() => void) | null {
  return seats.take({ name: `token ${tokenId ?? 'none'}`, most: LIVE_LIMITS.perToken });
}

export function tooManyOfToken(): HttpProblem {
  return new HttpProblem(429, 'rate_limited', 'There are too many connections with this token.', RETRY);
}
