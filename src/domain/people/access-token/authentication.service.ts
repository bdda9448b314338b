import type { Units } from '../../../database/work.js';
import type { Authenticator, Origin } from '../../../platform/caller.js';
import { MINUTE, type Clock } from '../../../platform/clock.js';
import { DomainError } from '../../../platform/errors.js';
import { TOKEN_FORM, type AccessToken } from './access-token.model.js';
import { findCredential, touchToken, type Credential } from './access-token.repository.js';
import { hasLapsed } from './access-token.rules.js';
import { cachedLookUp, MAX_CACHED_TOKENS } from './token-cache.service.js';

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
