import type { Units } from '../../../database/work.js';
import type { Authenticator, Origin } from '../../../platform/caller.js';
import { type Clock, MINUTE, SECOND } from '../../../platform/clock.js';
import { DomainError } from '../../../platform/errors.js';
import { type AccessToken, hashToken, hasLapsed, TOKEN_FORM } from './access-token.model.js';
import { type Credential, findCredential, touchToken } from './access-token.repository.js';

/** Minimum interval between two updates of a token's `lastUsedAt`. */
const TOUCH_EVERY_MS = 5 * MINUTE;

const CHANGES_ACCESS = ['user', 'membership', 'access_token', 'company'];

export function createAuthenticator(
  units: Units,
  clock: Clock,
  onError: (error: unknown) => void,
): Authenticator {
  const find = (hash: string): Promise<Credential | undefined> =>
    units.systemRead((work) => findCredential(work, hash));
  const look = cachedLookUp(units, clock, CHANGES_ACCESS, find);
  const touch = sparseTouch(units, clock, onError);
  return {
    authenticate: async (token, origin) => {
      if (token === undefined || !TOKEN_FORM.test(token)) throw unauthenticated();
      const credential = await look(token);
      if (credential === undefined || !isAlive(credential, clock.now())) throw unauthenticated();
      touch(credential.token, origin);
      return {
        companyId: credential.token.companyId,
        userId: credential.token.userId,
        tokenId: credential.token.id,
        role: credential.role,
        scopes: credential.token.scopes,
        timeZone: credential.timeZone,
        ...origin,
      };
    },
  };
}

/** Updates `lastUsedAt` in the background: no request waits for it or fails with it. */
function sparseTouch(
  units: Units,
  clock: Clock,
  onError: (error: unknown) => void,
): (token: AccessToken, origin: Origin) => void {
  const touched = new Map<string, number>();
  return (token, origin) => {
    const now = clock.now().getTime();
    const name = `${token.companyId}/${token.id}`;
    const last = Math.max(touched.get(name) ?? 0, token.lastUsedAt?.getTime() ?? 0);
    if (now - last < TOUCH_EVERY_MS && now >= last) return;
    if (touched.size >= MAX_CACHED_TOKENS) touched.clear();
    touched.set(name, now);
    units.systemWrite(origin, (work) => touchToken(work, token), token.companyId).catch(onError);
  };
}

function unauthenticated(): DomainError {
  return new DomainError('unauthenticated', 'A valid access token is needed.');
}

function isAlive({ token, userDisabled }: Credential, now: Date): boolean {
  if (userDisabled || token.revokedAt !== null) return false;
  return !hasLapsed(token, now);
}

/** Maximum time until this node notices a revocation by another node or a command; its own apply at once. */
export const CACHED_MS = 2 * SECOND;
/** Maximum tokens in the memory of one node, per cache. */
const MAX_CACHED_TOKENS = 10_000;

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
  const cache = new Map<string, { readonly found: T; readonly until: number }>();
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
