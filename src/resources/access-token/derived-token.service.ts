import type { SystemWriteWork } from '../../database/work.js';
import { SCOPES } from '../../platform/caller.js';
import { hashToken, randomToken } from './access-token.model.js';
import { selectDerivedTokens, type NewToken } from './access-token.repository.js';
import { deriveToken, hasLapsed, type Member } from './access-token.rules.js';
import { createTokens, revokeTokens } from './access-token.service.js';

/**
 * The text of a user's derived token for each company, by company id. It is the same at every call, although only its
 * hash is stored: it is computed anew from the nonce. An expired token, or one of another secret, is replaced
 * (contract 25).
 */
export async function ensureDerivedTokens(
  work: SystemWriteWork,
  secret: string,
  { userId, companyIds }: { readonly userId: number; readonly companyIds: readonly number[] },
  by?: number,
): Promise<ReadonlyMap<number, string>> {
  const texts = new Map<number, string>();
  const stale = (await selectDerivedTokens(work, userId, companyIds)).filter(({ token, nonce, hash }) => {
    const text = deriveToken(secret, token, nonce);
    if (hasLapsed(token, work.now) || hashToken(text) !== hash) return true;
    texts.set(token.companyId, text);
    return false;
  });
  await revokeTokens(
    work,
    stale.map(({ token }) => token),
    by,
  );
  const created = companyIds
    .filter((companyId) => !texts.has(companyId))
    .map((companyId) => newToken(secret, { companyId, userId }));
  await createTokens(
    work,
    created.map(({ values }) => values),
    by,
  );
  for (const { values, text } of created) texts.set(values.companyId, text);
  return texts;
}

/** Revokes a member's derived token and returns a new one. */
export async function renewDerivedToken(
  work: SystemWriteWork,
  secret: string,
  member: Member,
): Promise<string> {
  const current = await selectDerivedTokens(work, member.userId, [member.companyId]);
  await revokeTokens(
    work,
    current.map(({ token }) => token),
  );
  const { values, text } = newToken(secret, member);
  await createTokens(work, [values]);
  return text;
}

/** With every scope: the role in the company limits what the user may do. */
function newToken(secret: string, member: Member): { values: NewToken; text: string } {
  const nonce = randomToken();
  const text = deriveToken(secret, member, nonce);
  const values: NewToken = {
    ...member,
    kind: 'derived',
    name: null,
    scopes: SCOPES,
    hash: hashToken(text),
    nonce,
    lastFour: text.slice(-4),
    expiresAt: null,
  };
  return { values, text };
}
