import { only } from '../../../database/company/company-rows.js';
import { found } from '../../../database/company/records.js';
import type { ReadWork, SystemWriteWork, WriteWork } from '../../../database/work.js';
import { mayUse, ORDINARY_SCOPES, type Caller, type Scope } from '../../../platform/caller.js';
import { invalid } from '../../../platform/errors.js';
import { parse } from '../../../platform/validate.js';
import { hashToken, NamedTokenCreate, randomToken, type AccessToken } from './access-token.model.js';
import {
  findToken,
  insertTokens,
  markRevoked,
  selectTokensOf,
  type NewToken,
} from './access-token.repository.js';
import type { Member } from './access-token.rules.js';

export { apiTokens, apiTokensOfUser, listTokens, tokenRetention } from './access-token.repository.js';

export async function getToken(work: ReadWork, id: number): Promise<AccessToken> {
  return found(await findToken(work, id), 'access token');
}

/** Creates a token for a member. `secret` is its text, which is not stored. Errors: `invalid`. */
export async function createNamedToken(
  work: SystemWriteWork,
  { companyId, userId }: Member,
  input: unknown,
): Promise<{ token: AccessToken; secret: string }> {
  const { name, scopes, expiresAt = null } = parse(NamedTokenCreate, input);
  if (expiresAt !== null && expiresAt <= work.now) throw invalid('expiresAt', 'must be in the future');
  const { values, text } = newNamedToken({ companyId, userId, name, scopes, expiresAt });
  return { token: only(await createTokens(work, [values])), secret: text };
}

/** A token with a new text, to be created. */
export function newNamedToken(
  fields: Pick<AccessToken, 'companyId' | 'userId' | 'name' | 'scopes' | 'expiresAt'>,
): { readonly values: NewToken; readonly text: string } {
  const text = randomToken();
  const values = {
    ...fields,
    kind: 'named',
    hash: hashToken(text),
    nonce: null,
    lastFour: text.slice(-4),
  } as const;
  return { values, text };
}

/**
 * Whether the caller may give a token this scope: any scope that the caller has. Administrators who have
 * signed in have all ordinary scopes, and may also give `ingest` and `terminals`.
 */
function mayGive(caller: Caller, scope: Scope): boolean {
  if (mayUse(caller, scope)) return true;
  return ORDINARY_SCOPES.every((each) => mayUse(caller, each));
}

/** Creates a token for the caller, with scopes that the caller may give. Errors: `invalid`. */
export async function createOwnToken(
  work: WriteWork,
  input: unknown,
): Promise<{ token: AccessToken; secret: string }> {
  const { companyId, userId } = work.caller;
  const refused = parse(NamedTokenCreate, input).scopes.filter((scope) => !mayGive(work.caller, scope));
  if (refused.length > 0) throw invalid('scopes', `must be scopes that you have: not ${refused.join(', ')}`);
  return await createNamedToken(work, { companyId, userId }, input);
}

/** `by` is the user for the ledger, if the unit of work has no caller. */
export async function createTokens(
  work: SystemWriteWork,
  values: readonly NewToken[],
  by?: number,
): Promise<readonly AccessToken[]> {
  if (values.length === 0) return [];
  const tokens = await insertTokens(work, values);
  for (const token of tokens) work.ledger.created('access_token', token, companyAndUser(token, by));
  return tokens;
}

export async function revokeTokens(
  work: SystemWriteWork,
  tokens: readonly AccessToken[],
  by?: number,
): Promise<readonly AccessToken[]> {
  if (tokens.length === 0) return [];
  await markRevoked(work, tokens);
  return tokens.map((token) => {
    const revoked = { ...token, revokedAt: work.now };
    const given = { action: 'revoke', ...companyAndUser(token, by) };
    work.ledger.updated('access_token', token, revoked, given);
    return revoked;
  });
}

/** Records the deletion of a member's tokens, which are deleted with the membership. */
export async function recordTokensRemoved(work: SystemWriteWork, member: Member): Promise<void> {
  for (const token of await selectTokensOf(work, member)) {
    work.ledger.deleted('access_token', token, { companyId: token.companyId });
  }
}

function companyAndUser({ companyId }: AccessToken, userId?: number) {
  return userId === undefined ? { companyId } : { companyId, userId };
}
