import type { SystemWriteWork } from '../../../database/work.js';
import { ORDINARY_SCOPES } from '../../../platform/caller.js';
import { hashToken, randomToken, type AccessToken } from './access-token.model.js';
import { selectDerivedTokens, type NewToken } from './access-token.repository.js';
import { deriveToken, hasLapsed, type Member } from './access-token.rules.js';
import { createTokens, revokeTokens } from './access-token.service.js';

/**
 * Texts of a user's derived tokens, by company id. The text is equal at every call, although only its hash is
 * stored: it is computed from the nonce. If the user has no token of this secret, a new one is created;
 * tokens of other secrets stay valid until they expire or are revoked (contract 25). `by` is the acting user.
 */
export async function ensureDerivedTokens(
  work: SystemWriteWork,
  secret: string,
  { userId, companyIds }: { readonly userId: number; readonly companyIds: readonly number[] },
  by = userId,
): Promise<ReadonlyMap<number, string>> {
  const texts = new Map<number, string>();
  const lapsed: AccessToken[] = [];
  for (const { token, nonce, hash } of await selectDerivedTokens(work, userId, companyIds)) {
    const text = deriveToken(secret, token, nonce);
    if (hasLapsed(token, work.now)) lapsed.push(token);
    else if (hashToken(text) === hash) texts.set(token.companyId, text);
  }
  await revokeTokens(work, lapsed, by);
  const created = companyIds
    .filter((companyId) => !texts.has(companyId))
    .map((companyId) => newDerivedToken(secret, { companyId, userId }));
  await createTokens(
    work,
    created.map(({ values }) => values),
    by,
  );
  for (const { values, text } of created) texts.set(values.companyId, text);
  return texts;
}

/** A derived token has all ordinary scopes: the role in the company limits the user's rights. */
export function newDerivedToken(
  secret: string,
  { companyId, userId }: Member,
): { values: NewToken; text: string } {
  const nonce = randomToken();
  const text = deriveToken(secret, { companyId, userId }, nonce);
  const values: NewToken = {
    companyId,
    userId,
    kind: 'derived',
    name: null,
    scopes: ORDINARY_SCOPES,
    hash: hashToken(text),
    nonce,
    lastFour: text.slice(-4),
    expiresAt: null,
  };
  return { values, text };
}
