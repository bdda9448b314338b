import type { SystemWriteWork } from '../../database/work.js';
import { ORDINARY_SCOPES } from '../../platform/caller.js';
import { hashToken, randomToken, type AccessToken } from './access-token.model.js';
import { selectDerivedTokens, type NewToken } from './access-token.repository.js';
import { deriveToken, hasLapsed, type Member } from './access-token.rules.js';
import { createTokens, revokeTokens } from './access-token.service.js';

/**
 * The text of a user's derived token for each company, by company id. It is the same at every call, although only its
 * hash is stored: it is computed anew from the nonce. Where none of the user's tokens is of this secret, a new one is
 * created; those of other secrets stay valid until they lapse or are revoked (contract 25). `by` is the acting user.
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

/** With all ordinary scopes: the role in the company limits what the user may do. */
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
