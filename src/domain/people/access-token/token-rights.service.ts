/** Who may revoke and renew which tokens: users their own, administrators all of the company. */
import { only } from '../../../database/company/company-rows.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';
import { mayUse } from '../../../platform/caller.js';
import { DomainError, invalid, notFound } from '../../../platform/errors.js';
import type { AccessToken } from './access-token.model.js';
import { findToken } from './access-token.repository.js';
import { hasLapsed } from './access-token.rules.js';
import { createTokens, getToken, newNamedToken, revokeTokens } from './access-token.service.js';
import { newDerivedToken } from './derived-token.service.js';

/** A token of the caller's user; any token of the company for administrators. Errors: `not_found`. */
export async function getManagedToken(work: ReadWork, id: number): Promise<AccessToken> {
  const token = await getToken(work, id);
  if (token.userId !== work.caller.userId && !mayUse(work.caller, 'admin')) throw notFound('access token');
  return token;
}

/**
 * Revokes a token. A revoked token does not change. Errors: `forbidden` if the caller is not an administrator
 * and the token has a scope that the caller's token does not have.
 */
export async function revokeToken(work: WriteWork, token: AccessToken): Promise<AccessToken> {
  if (!mayUse(work.caller, 'admin')) demandScopesOf(work, token);
  const [revoked = token] = await revokeTokens(work, token.revokedAt === null ? [token] : []);
  return revoked;
}

/**
 * Replaces a token by a new one with the same name, scopes and expiry, and revokes it. `secret` is the new
 * token's text. The caller who renews a token can use it, so it has no scope that the caller's token does not
 * have, and does not outlive it. Errors: `invalid` for a token that is revoked or has expired, `forbidden`.
 */
export async function renewToken(
  work: WriteWork,
  tokenSecret: string,
  token: AccessToken,
): Promise<{ token: AccessToken; secret: string }> {
  demandScopesOf(work, token);
  await demandExpiryOf(work, token);
  if (token.revokedAt !== null) throw invalid('id', 'is revoked: create a new token');
  if (hasLapsed(token, work.now)) throw invalid('id', 'has expired: create a new token');
  await revokeTokens(work, [token]);
  const { companyId, userId, name, scopes, expiresAt } = token;
  const { values, text } =
    token.kind === 'derived'
      ? newDerivedToken(tokenSecret, token)
      : newNamedToken({ companyId, userId, name, scopes, expiresAt });
  return { token: only(await createTokens(work, [values])), secret: text };
}

/**
 * Compares with the scopes of the caller's token, not of its role: the role may change, and then the token
 * gives more.
 */
function demandScopesOf({ caller }: ReadWork, { scopes }: AccessToken): void {
  const more = scopes.filter((scope) => !caller.scopes.includes(scope));
  if (more.length === 0) return;
  throw new DomainError('forbidden', `That token has scopes that yours does not have: ${more.join(', ')}.`);
}

async function demandExpiryOf(work: ReadWork, token: AccessToken): Promise<void> {
  const { tokenId } = work.caller;
  const own = tokenId === null ? undefined : await findToken(work, tokenId);
  const until = own?.expiresAt ?? null;
  if (until === null || (token.expiresAt !== null && token.expiresAt <= until)) return;
  throw new DomainError('forbidden', 'That token is valid for longer than yours.');
}
