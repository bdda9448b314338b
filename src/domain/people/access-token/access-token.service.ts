import { only } from '../../../database/company/company-rows.js';
import { getFrom } from '../../../database/company/records.js';
import type { ReadWork, SystemWriteWork, WriteWork } from '../../../database/work.js';
import { DomainError, invalid, notFound } from '../../../platform/errors.js';
import {
  type Caller,
  requireScope,
  mayUse,
  ORDINARY_SCOPES,
  type Scope,
} from '../../../platform/requests.js';
import { parse } from '../../../platform/validate.js';
import {
  type AccessToken,
  deriveToken,
  endOfOld,
  hashToken,
  type Member,
  NamedTokenCreate,
  NamedTokenUpdate,
  randomToken,
} from './access-token.model.js';
import * as store from './access-token.repository.js';
import { hasLapsed } from './authentication.service.js';

export { apiTokens, apiTokensOfUser, listTokens, tokenRetention } from './access-token.repository.js';

export async function getToken(work: ReadWork, id: number): Promise<AccessToken> {
  return await getFrom(store.apiTokens, work, id, 'access token');
}

export type IssuedToken = Awaited<ReturnType<typeof createToken>>;

/** Creates a token for a member. Errors: `invalid`. */
export async function createNamedToken(work: SystemWriteWork, member: Member, input: unknown) {
  const { name, scopes, expiresAt = null } = parse(NamedTokenCreate, input);
  if (expiresAt !== null && expiresAt <= work.now) throw invalid('expiresAt', 'must be in the future');
  return await createToken(work, newNamedToken(member, { name, scopes, expiresAt }));
}

const newNamedToken = (
  { companyId, userId }: Member,
  { name, scopes, expiresAt }: Pick<store.NewToken, 'name' | 'scopes' | 'expiresAt'>,
): store.NewToken => ({
  companyId,
  userId,
  kind: 'named',
  name,
  scopes,
  expiresAt,
  nonce: null,
  secret: randomToken(),
});

/** A derived token has all ordinary scopes: the role in the company limits the user's rights. */
function newDerivedToken(tokenSecret: string, { companyId, userId }: Member): store.NewToken {
  const nonce = randomToken();
  const secret = deriveToken(tokenSecret, { companyId, userId }, nonce);
  const fields = { name: null, scopes: ORDINARY_SCOPES, expiresAt: null };
  return { companyId, userId, kind: 'derived', ...fields, nonce, secret };
}

async function createToken(work: SystemWriteWork, token: store.NewToken) {
  return { token: only(await createTokens(work, [token])), secret: token.secret };
}

/** A caller may give its own scopes; administrators who have signed in also `ingest` and `terminals`. */
function mayGive(caller: Caller, scope: Scope): boolean {
  if (mayUse(caller, scope)) return true;
  return ORDINARY_SCOPES.every((each) => mayUse(caller, each));
}

/**
 * Creates a token for the caller, with scopes that the caller may give. A token needs the scope `admin` for it, so that
 * a stolen one makes no others (contract: the user generates tokens in the console). Errors: `forbidden`, `invalid`.
 */
export async function createOwnToken(work: WriteWork, input: unknown) {
  const { companyId, userId, sessionId } = work.caller;
  if (sessionId === undefined) requireScope(work.caller, 'admin');
  const refused = parse(NamedTokenCreate, input).scopes.filter((scope) => !mayGive(work.caller, scope));
  if (refused.length > 0)
    throw invalid('scopes', 'must be scopes that you have: not {values}', { values: refused.join(', ') });
  return await createNamedToken(work, { companyId, userId }, input);
}

/** `by` is the user for the ledger, if the unit of work has no caller. */
async function createTokens(work: SystemWriteWork, values: readonly store.NewToken[], by?: number) {
  if (values.length === 0) return [];
  const tokens = await store.insertTokens(work, values);
  for (const token of tokens) work.ledger.created('access_token', token, companyAndUser(token, by));
  return tokens;
}

/** Also revokes the old tokens that these have replaced and that still work. */
export async function revokeTokens(work: SystemWriteWork, tokens: readonly AccessToken[], by?: number) {
  if (tokens.length === 0) return [];
  const all = [...tokens, ...(await store.selectReplacedBy(work, tokens))];
  await store.markRevoked(work, all);
  return all.map((token) => {
    const revoked = { ...token, revokedAt: work.now };
    work.ledger.updated('access_token', token, revoked, { action: 'revoke', ...companyAndUser(token, by) });
    return revoked;
  });
}

/** Records the deletion of a member's tokens, which are deleted with the membership. */
export async function recordTokensRemoved(work: SystemWriteWork, member: Member): Promise<void> {
  for (const token of await store.selectTokensOf(work, member)) {
    work.ledger.deleted('access_token', token, { companyId: token.companyId });
  }
}

const companyAndUser = ({ companyId }: AccessToken, userId?: number) => ({
  companyId,
  ...(userId !== undefined && { userId }),
});

/**
 * Texts of a user's derived tokens, by company id. The text is equal at every call, although only its hash is
 * stored: it is computed from the nonce. If the user has no token of this secret, a new one is created;
 * tokens of other secrets stay valid until they expire or are revoked (contract 25). `by` is the acting user.
 */
export async function ensureDerivedTokens(
  work: SystemWriteWork,
  tokenSecret: string,
  { userId, companyIds }: { readonly userId: number; readonly companyIds: readonly number[] },
  by = userId,
): Promise<ReadonlyMap<number, string>> {
  const texts = new Map<number, string>();
  const lapsed: AccessToken[] = [];
  for (const { token, nonce, hash } of await store.selectDerivedTokens(work, userId, companyIds)) {
    const text = deriveToken(tokenSecret, token, nonce);
    if (hasLapsed(token, work.now)) lapsed.push(token);
    else if (hashToken(text) === hash) texts.set(token.companyId, text);
  }
  await revokeTokens(work, lapsed, by);
  const created = companyIds
    .filter((companyId) => !texts.has(companyId))
    .map((companyId) => newDerivedToken(tokenSecret, { companyId, userId }));
  await createTokens(work, created, by);
  for (const { companyId, secret } of created) texts.set(companyId, secret);
  return texts;
}

/** A token of the caller's user; any token of the company for administrators. Errors: `not_found`. */
export async function getManagedToken(work: ReadWork, id: number): Promise<AccessToken> {
  const token = await getToken(work, id);
  if (token.userId !== work.caller.userId && !mayUse(work.caller, 'admin')) throw notFound('access token');
  return token;
}

/** Errors: `forbidden` for a token with scopes that the caller's does not have, unless administrators call. */
export async function revokeToken(work: WriteWork, token: AccessToken): Promise<AccessToken> {
  if (!mayUse(work.caller, 'admin')) requireScopesOf(work, token);
  const [revoked = token] = await revokeTokens(work, token.revokedAt === null ? [token] : []);
  return revoked;
}

/** Gives a token another name. Errors: `invalid`, also for a token without a name; `forbidden` as for `revokeToken`. */
export async function renameToken(work: WriteWork, token: AccessToken, input: unknown): Promise<AccessToken> {
  if (!mayUse(work.caller, 'admin')) requireScopesOf(work, token);
  const changes = parse(NamedTokenUpdate, input);
  if (token.kind === 'derived') throw invalid('id', 'has no name: it was created by signing in');
  return changes.name === token.name ? token : await changeToken(work, token, changes);
}

async function changeToken(
  work: WriteWork,
  token: AccessToken,
  changes: Partial<Pick<AccessToken, 'name' | 'expiresAt' | 'replacedById'>>,
): Promise<AccessToken> {
  const changed = { ...token, ...changes };
  await store.updateToken(work, token, changes);
  work.ledger.updated('access_token', token, changed);
  return changed;
}

/**
 * Replaces a token by a new one with the same name, scopes and expiry. The old one ends after `keepOldFor`
 * milliseconds, and at its expiry at the latest; the one before that ends at once. The caller can use the new one, so
 * it has no scope that the caller's token does not have, and does not outlive it. Errors: `invalid` for a token that
 * is revoked, has expired or was renewed, and for a time that is too long; `forbidden`.
 */
export async function renewToken(work: WriteWork, tokenSecret: string, token: AccessToken, keepOldFor = 0) {
  const end = endOfOld(work.now, keepOldFor);
  requireScopesOf(work, token);
  await requireExpiryOf(work, token);
  if (token.revokedAt !== null) throw invalid('id', 'is revoked: create a new token');
  if (hasLapsed(token, work.now)) throw invalid('id', 'has expired: create a new token');
  if (token.replacedById !== null) {
    throw invalid('id', 'was renewed already: renew the new token, or revoke it');
  }
  const created = await createToken(
    work,
    token.kind === 'derived' ? newDerivedToken(tokenSecret, token) : newNamedToken(token, token),
  );
  if (keepOldFor === 0) {
    await revokeTokens(work, [token]);
    return created;
  }
  await revokeTokens(work, await store.selectReplacedBy(work, [token]));
  const expiresAt = token.expiresAt !== null && token.expiresAt < end ? token.expiresAt : end;
  await changeToken(work, token, { expiresAt, replacedById: created.token.id });
  return created;
}

/**
 * Compares with the scopes of the caller's token, not of its role, which may change; people who have signed in renew
 * what they could create. Errors: `forbidden`.
 */
function requireScopesOf({ caller }: ReadWork, { scopes }: AccessToken): void {
  const isPerson = caller.sessionId !== undefined;
  const more = scopes.filter(
    (scope) => !caller.scopes.includes(scope) && !(isPerson && mayGive(caller, scope)),
  );
  if (more.length === 0) return;
  throw new DomainError('forbidden', `That token has scopes that yours does not have: ${more.join(', ')}.`);
}

async function requireExpiryOf(work: ReadWork, token: AccessToken): Promise<void> {
  const { tokenId } = work.caller;
  const own = tokenId === null ? undefined : (await store.apiTokens.byIds(work, [tokenId])).get(tokenId);
  const until = own?.expiresAt ?? null;
  if (until === null || (token.expiresAt !== null && token.expiresAt <= until)) return;
  throw new DomainError('forbidden', 'That token is valid for longer than yours.');
}
