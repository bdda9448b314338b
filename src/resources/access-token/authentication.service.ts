import type { Origin, Units } from '../../database/work.js';
import type { Caller } from '../../platform/caller.js';
import { MINUTE, SECOND, type Clock } from '../../platform/clock.js';
import { DomainError } from '../../platform/errors.js';
import { hashToken, TOKEN_FORM, type AccessToken } from './access-token.model.js';
import { findCredential, touchToken, type Credential } from './access-token.repository.js';
import { hasLapsed } from './access-token.rules.js';

/** Revocation acts at once in this process; changes that another process makes are seen after this long. */
const REMEMBERED_MS = 2 * SECOND;
const REMEMBERED_TOKENS = 10_000;
/** "Last used" is written at most this often. */
const TOUCH_EVERY_MS = 5 * MINUTE;

const CHANGES_ACCESS = ['user', 'membership', 'access_token', 'company'];

export interface Authenticator {
  /** The caller that a token speaks for; `unauthenticated`, in the same words whatever is wrong with it. */
  authenticate(token: string | undefined, origin: Origin): Promise<Caller>;
}

interface Remembered {
  readonly credential: Credential;
  readonly until: number;
}

export function createAuthenticator(
  units: Units,
  clock: Clock,
  onError: (error: unknown) => void,
): Authenticator {
  const look = rememberedLookUp(units, clock);
  const touch = sparseTouch(units, clock, onError);
  return {
    authenticate: async (token, origin) => {
      if (token === undefined || !TOKEN_FORM.test(token)) throw unauthenticated();
      const credential = await look(hashToken(token));
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

function rememberedLookUp(units: Units, clock: Clock): (hash: string) => Promise<Credential | undefined> {
  const remembered = new Map<string, Remembered>();
  units.onCommitted((entries) => {
    if (entries.some((entry) => CHANGES_ACCESS.includes(entry.entityType))) remembered.clear();
  });
  return async (hash) => {
    const known = remembered.get(hash);
    if (known !== undefined && known.until > clock.elapsed()) return known.credential;
    const credential = await units.systemRead((work) => findCredential(work, hash));
    if (remembered.size >= REMEMBERED_TOKENS) remembered.clear();
    if (credential === undefined) remembered.delete(hash);
    else remembered.set(hash, { credential, until: clock.elapsed() + REMEMBERED_MS });
    return credential;
  };
}

/** Beside the request: no answer waits for it, and none fails with it. */
function sparseTouch(
  units: Units,
  clock: Clock,
  onError: (error: unknown) => void,
): (token: AccessToken, origin: Origin) => void {
  const touched = new Map<number, number>();
  return (token, origin) => {
    const now = clock.now().getTime();
    const last = Math.max(touched.get(token.id) ?? 0, token.lastUsedAt?.getTime() ?? 0);
    if (now - last < TOUCH_EVERY_MS && now >= last) return;
    if (touched.size >= REMEMBERED_TOKENS) touched.clear();
    touched.set(token.id, now);
    units.systemWrite(origin, (work) => touchToken(work, token.id)).catch(onError);
  };
}

function unauthenticated(): DomainError {
  return new DomainError('unauthenticated', 'A valid access token is needed.');
}

function isAlive({ token, userDisabled }: Credential, now: Date): boolean {
  if (userDisabled || token.revokedAt !== null) return false;
  return !hasLapsed(token, now);
}
