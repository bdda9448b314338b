import type { SystemWriteWork } from '../../database/work.js';
import { SCOPES } from '../../platform/caller.js';
import { hashToken, randomToken } from './access-token.model.js';
import { selectDerivedTokens, type NewToken } from './access-token.repository.js';
import { deriveToken, hasLapsed, type Member } from './access-token.rules.js';
import { createTokens, revokeTokens } from './access-token.service.js';

/**
 * A user's token for each of the companies, by company id: the same at every call, though only its hash is
 * kept. One that lapsed, or that was made with another secret, gives way to a new one (contract 25).
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
  const drawn = companyIds
    .filter((companyId) => !texts.has(companyId))
    .map((companyId) => draw(secret, { companyId, userId }));
  await createTokens(
    work,
    drawn.map(({ values }) => values),
    by,
  );
  for (const { values, text } of drawn) texts.set(values.companyId, text);
  return texts;
}

/** Ends a member's derived token and answers the one in its place. */
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
  const { values, text } = draw(secret, member);
  await createTokens(work, [values]);
  return text;
}

/** Every scope: what the user may do with it is up to the role in the company. */
function draw(secret: string, member: Member): { values: NewToken; text: string } {
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
