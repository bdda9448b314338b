import type { Units } from '../../../database/work.js';
import { SECOND, type Clock } from '../../../platform/clock.js';
import { hashToken } from './access-token.model.js';

/** Maximum time until this node notices a revocation by another node or a command; its own apply at once. */
export const CACHED_MS = 2 * SECOND;
/** Maximum tokens in the memory of one node, per cache. */
export const MAX_CACHED_TOKENS = 10_000;

interface Cached<T> {
  readonly found: T;
  readonly until: number;
}

/**
 * Looks up the meaning of a token by its hash; undefined for an unknown token. Caches results by the text of
 * the token, so that a cached token is not hashed again. A change of one of the `entityTypes` clears the
 * cache.
 */
export function cachedLookUp<T>(
  units: Pick<Units, 'onCommitted'>,
  clock: Clock,
  entityTypes: readonly string[],
  find: (hash: string) => Promise<T | undefined>,
): (token: string) => Promise<T | undefined> {
  /** Ordered by expiry, the earliest first. */
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
    // The result is not cached if something changed while it was read.
    if (found === undefined || changes !== before) return found;
    if (cache.size >= MAX_CACHED_TOKENS) cache.clear();
    cache.delete(token);
    cache.set(token, { found, until: clock.elapsed() + CACHED_MS });
    return found;
  };
}

/** Tokens that were valid at most `CACHED_MS` ago. */
export class ValidTokens {
  /** Ordered by expiry, the earliest first. */
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

/** Removes expired entries, so that no token text stays in memory for longer than it is used. */
function dropExpired(cache: Map<string, { readonly until: number }>, now: number): void {
  for (const [token, { until }] of cache) {
    if (until > now) return;
    cache.delete(token);
  }
}
