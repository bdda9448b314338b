import type { Units } from '../../database/work.js';
import { SECOND, type Clock } from '../../platform/clock.js';
import { hashToken } from './access-token.model.js';

/** Revocation by this node takes effect at once, by other nodes and commands after this time at the latest. */
export const CACHED_MS = 2 * SECOND;
/** Tokens, or the like, that one node keeps in memory. */
export const MAX_CACHED_TOKENS = 10_000;

interface Cached<T> {
  readonly found: T;
  readonly until: number;
}

/**
 * Looks up what a token stands for, by its hash; undefined for an unknown token. Keeps what it found by the text of the token, so
 * that a token is hashed as seldom as it is looked up. A change of one of the `entityTypes` drops everything.
 */
export function cachedLookUp<T>(
  units: Pick<Units, 'onCommitted'>,
  clock: Clock,
  entityTypes: readonly string[],
  find: (hash: string) => Promise<T | undefined>,
): (token: string) => Promise<T | undefined> {
  /** The first ones expire first. */
  const cache = new Map<string, Cached<T>>();
  let changes = 0;
  const clear = (): void => {
    changes += 1;
    cache.clear();
  };
  units.onCommitted((entries) => {
    if (entries === null || entries.some((entry) => entityTypes.includes(entry.entityType))) clear();
  });
  return async (token) => {
    dropExpired(cache, clock.elapsed());
    const known = cache.get(token);
    if (known !== undefined) return known.found;
    const before = changes;
    const found = await find(hashToken(token));
    // What was read before a change is not kept.
    if (found === undefined || changes !== before) return found;
    if (cache.size >= MAX_CACHED_TOKENS) cache.clear();
    cache.delete(token);
    cache.set(token, { found, until: clock.elapsed() + CACHED_MS });
    return found;
  };
}

/** Tokens that were valid a moment ago. */
export class ValidTokens {
  /** The first ones expire first. */
  readonly #tokens = new Map<string, { readonly until: number }>();

  constructor(private readonly clock: Clock) {}

  has(token: string): boolean {
    dropExpired(this.#tokens, this.clock.elapsed());
    return this.#tokens.has(token);
  }

  add(token: string): void {
    if (this.#tokens.has(token)) return;
    if (this.#tokens.size >= MAX_CACHED_TOKENS) this.#tokens.clear();
    this.#tokens.set(token, { until: this.clock.elapsed() + CACHED_MS });
  }
}

/** No text of a token is kept for longer than a request may use it. */
function dropExpired(cache: Map<string, { readonly until: number }>, now: number): void {
  for (const [token, { until }] of cache) {
    if (until > now) return;
    cache.delete(token);
  }
}
