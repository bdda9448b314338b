import type { Units } from '../../database/work.js';
import type { Authenticator, Origin } from '../../platform/caller.js';
import { MINUTE, SECOND, type Clock } from '../../platform/clock.js';
import { DomainError } from '../../platform/errors.js';
import { hashToken, TOKEN_FORM, type AccessToken } from './access-token.model.js';
import { findCredential, touchToken, type Credential } from './access-token.repository.js';
import { hasLapsed } from './access-token.rules.js';

/** Revocation by this node takes effect at once, by other nodes and commands after this time at the latest. */
const CACHED_MS = 2 * SECOND;
const MAX_CACHED_TOKENS = 10_000;
/** Minimum interval between two updates of a token's `lastUsedAt`. */
const TOUCH_EVERY_MS = 5 * MINUTE;

const CHANGES_ACCESS = ['user', 'membership', 'access_token', 'company'];

interface CachedCredential {
  readonly credential: Credential;
  readonly until: number;
}

export function createAuthenticator(
  units: Units,
  clock: Clock,
  onError: (error: unknown) => void,
): Authenticator {
  const look = cachedLookUp(units, clock);
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

/** Keeps what it found by the text of the token, so that a token is hashed as seldom as it is looked up. */
function cachedLookUp(units: Units, clock: Clock): (token: string) => Promise<Credential | undefined> {
  /** The first ones expire first. */
  const cache = new Map<string, CachedCredential>();
  let changes = 0;
  const clear = (): void => {
    changes += 1;
    cache.clear();
  };
  units.onCommitted((entries) => {
    if (entries === null || entries.some((entry) => CHANGES_ACCESS.includes(entry.entityType))) clear();
  });
  return async (token) => {
    dropExpired(cache, clock.elapsed());
    const known = cache.get(token);
    if (known !== undefined) return known.credential;
    const before = changes;
    const credential = await units.systemRead((work) => findCredential(work, hashToken(token)));
    // What was read before a change is not kept.
    if (credential === undefined || changes !== before) return credential;
    if (cache.size >= MAX_CACHED_TOKENS) cache.clear();
    cache.delete(token);
    cache.set(token, { credential, until: clock.elapsed() + CACHED_MS });
    return credential;
  };
}

/** No text of a token is kept for longer than a request may use it. */
function dropExpired(cache: Map<string, CachedCredential>, now: number): void {
  for (const [token, { until }] of cache) {
    if (until > now) return;
    cache.delete(token);
  }
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
