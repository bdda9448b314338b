import type { SystemWriteWork, Units } from '../../../database/work.js';
import { type Clock, DAY, MINUTE, SECOND } from '../../../platform/clock.js';
import { DomainError } from '../../../platform/errors.js';
import type { Authenticator, Caller, Origin } from '../../../platform/requests.js';
import { type AccessToken, hashToken } from './access-token.model.js';
import { findCredential, touchToken } from './access-token.repository.js';

/** A derived token expires after this time without use (contract 25). */
const DERIVED_TOKEN_LAPSES_MS = 90 * DAY;
/** Minimum interval between two updates of a token's `lastUsedAt`. */
const TOUCH_EVERY_MS = 5 * MINUTE;

export const CHANGES_ACCESS = ['user', 'membership', 'access_token', 'company'];

export interface CachingAuthenticator extends Authenticator {
  /** True if the token was looked up in the last `CACHED_MS`, and found. */
  knows(token: string | undefined): boolean;
  /** The caller of an access token; undefined for any other text. */
  callerOf(token: string | undefined, origin: Origin): Promise<Caller | undefined>;
}

/** `refuse` gets each token that is not one of a user; it throws an `unauthenticated` error, or a more precise one. */
export function createAuthenticator(
  units: Units,
  clock: Clock,
  refuse: (token: string | undefined) => Promise<never>,
  onError: (error: unknown) => void,
): CachingAuthenticator {
  const lookUp = new TokenLookUp(units, clock, CHANGES_ACCESS, (hash) =>
    units.systemRead((work) => findCredential(work, hash)),
  );
  const touch = sparseTouch(units, clock, onError, touchToken);
  const callerOf: CachingAuthenticator['callerOf'] = async (token, origin) => {
    const credential = await lookUp.find(token);
    if (credential === undefined || credential.isRevoked || hasLapsed(credential.token, clock.now())) {
      return undefined;
    }
    touch(credential.token, origin);
    const { companyId, userId, id: tokenId, scopes } = credential.token;
    const { role, timeZone } = credential;
    return { companyId, userId, tokenId, role, scopes, timeZone, ...origin };
  };
  return {
    callerOf,
    knows: (token) => lookUp.knows(token),
    authenticate: async (token, origin) => (await callerOf(token, origin)) ?? (await refuse(token)),
  };
}

/** True if a token has reached its expiry date or, if derived, was not used for `DERIVED_TOKEN_LAPSES_MS`. */
export function hasLapsed(token: AccessToken, now: Date): boolean {
  if (token.expiresAt !== null && token.expiresAt <= now) return true;
  const used = token.lastUsedAt ?? token.createdAt;
  return token.kind === 'derived' && now.getTime() - used.getTime() > DERIVED_TOKEN_LAPSES_MS;
}

/** Error for every token that is not accepted. */
export const unauthenticated = (): DomainError =>
  new DomainError('unauthenticated', 'A valid access token is needed.');

/** An access token or a session. */
interface Used {
  readonly id: number;
  readonly companyId: number;
  readonly lastUsedAt: Date | null;
}

/** Updates `lastUsedAt` in the background: no request waits for it or fails with it. */
export function sparseTouch<T extends Used>(
  units: Units,
  clock: Clock,
  onError: (error: unknown) => void,
  update: (work: SystemWriteWork, used: T) => Promise<void>,
): (used: T, origin: Origin) => void {
  const touched = new Map<string, number>();
  return (token, origin) => {
    const now = clock.now().getTime();
    const name = `${token.companyId}/${token.id}`;
    const last = Math.max(touched.get(name) ?? 0, token.lastUsedAt?.getTime() ?? 0);
    if (now - last < TOUCH_EVERY_MS && now >= last) return;
    if (touched.size >= MAX_CACHED_TOKENS) touched.clear();
    touched.set(name, now);
    units.systemWrite(origin, (work) => update(work, token), token.companyId).catch(onError);
  };
}

/** Maximum time until this node notices a revocation by another node or a command; its own apply at once. */
export const CACHED_MS = 2 * SECOND;
/** Maximum tokens in the memory of one node, per cache. */
const MAX_CACHED_TOKENS = 10_000;

/** 160 bits as 40 lower-case hexadecimal characters. */
const TOKEN_FORM = /^[0-9a-f]{40}$/;

/** Looks tokens up by their hash, and caches results by their text until an entity of `entityTypes` changes. */
export class TokenLookUp<T> {
  /** Ordered by expiry, the earliest first. */
  readonly #cache = new Map<string, { readonly found: T; readonly until: number }>();
  #changes = 0;

  constructor(
    units: Pick<Units, 'onCommitted'>,
    private readonly clock: Clock,
    entityTypes: readonly string[],
    private readonly read: (hash: string) => Promise<T | undefined>,
  ) {
    units.onCommitted(() => {
      this.#changes += 1;
      this.#cache.clear();
    }, entityTypes);
  }

  /** True if the token is cached: it was found in the last `CACHED_MS`. */
  knows(token: string | undefined): boolean {
    this.#dropExpired();
    return token !== undefined && this.#cache.has(token);
  }

  /**
   * Undefined for an unknown token, no token, and any other text. What is cached counts only if it `isExpected`: another
   * node may have changed it.
   */
  async find(token: string | undefined, isExpected = (_cached: T) => true): Promise<T | undefined> {
    if (token === undefined || !TOKEN_FORM.test(token)) return undefined;
    this.#dropExpired();
    const known = this.#cache.get(token);
    if (known !== undefined && isExpected(known.found)) return known.found;
    const before = this.#changes;
    const found = await this.read(hashToken(token));
    // The result is not cached if something changed while it was read.
    if (found === undefined || this.#changes !== before) return found;
    if (this.#cache.size >= MAX_CACHED_TOKENS) this.#cache.clear();
    this.#cache.delete(token);
    this.#cache.set(token, { found, until: this.clock.elapsed() + CACHED_MS });
    return found;
  }

  /** Removes expired entries, so that no token text stays in memory for longer than it is used. */
  #dropExpired(): void {
    const now = this.clock.elapsed();
    for (const [token, { until }] of this.#cache) {
      if (until > now) return;
      this.#cache.delete(token);
    }
  }
}
