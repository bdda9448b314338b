import { sql, type Insertable } from 'kysely';

import {
  CompanyRows,
  inCompany,
  type OfCompany,
  specialSql,
} from '../../../database/company/company-rows.js';
import { recordMapping } from '../../../database/company/company-table.js';
import type { Comparison, Condition } from '../../../database/list/condition.js';
import { listOf } from '../../../database/list/list.js';
import { deleteAged, type AgedRow, type Retained } from '../../../database/prunings.js';
import { drawIds } from '../../../database/statements.js';
import { inIds, inPairs, instant } from '../../../database/storage.js';
import type { SystemReadWork, SystemWriteWork } from '../../../database/work.js';
import type { Role } from '../../../platform/requests.js';
import type { Moment } from '../../../platform/terminal.js';
import type { Row, Tables } from '../../../schema/schema.js';
import { type AccessToken, hashToken, type Member, type TokenState } from './access-token.model.js';

const HIDDEN = ['token_hash', 'nonce'] as const;
const { recordOf: tokenOf, columnsOf } = recordMapping<'access_tokens', AccessToken, (typeof HIDDEN)[number]>(
  'access_tokens',
  HIDDEN,
);
const tokens = new CompanyRows('access_tokens');

export const apiTokens = listOf<'access_tokens', AccessToken>({
  name: 'ApiToken',
  table: 'access_tokens',
  rows: 'access_tokens',
  columns: { userId: 'user_id', replacedById: 'replaced_by_id' },
  id: 'id',
  orders: { ID: 'id', CREATED_AT: 'created_at' },
  filters: {
    id: { column: 'id', kind: 'id', isUnique: true },
    userId: { column: 'user_id', kind: 'id', order: 'ID' },
    createdAt: { column: 'created_at', kind: 'instant' },
    expiresAt: { column: 'expires_at', kind: 'instant' },
    revokedAt: { column: 'revoked_at', kind: 'instant' },
    state: { column: 'revoked_at', kind: 'choice', meaning: meaningOfState },
  },
  recordOf: tokenOf,
});

export const apiTokensOfUser = apiTokens.of({ column: 'user_id' });

/** A comparison of the state as comparisons of the times. A token has expired at the very time of its expiry. */
function meaningOfState({ value }: Comparison, { now }: Moment): Condition {
  const revoked: Condition = { field: 'revokedAt', operator: 'isNull', value: false };
  const expired: Condition = { field: 'expiresAt', operator: 'lt', value: new Date(now.getTime() + 1) };
  const meanings: Readonly<Record<TokenState, Condition>> = {
    revoked,
    expired: { and: [{ not: revoked }, expired] },
    valid: { and: [{ not: revoked }, { not: expired }] },
  };
  const wanted = new Set(Array.isArray(value) ? (value as readonly unknown[]) : [value]);
  return { or: Object.entries(meanings).flatMap(([state, meaning]) => (wanted.has(state) ? meaning : [])) };
}

/** The token with its member, in one statement. Ending a membership deletes its tokens. */
export async function findCredential(work: SystemReadWork, hash: string) {
  const { db } = specialSql(work);
  const { rows } = await sql<
    Row<'access_tokens'> & Pick<Row<'members'>, 'role' | 'time_zone' | 'disabled_at' | 'account_disabled_at'>
  >`select t.*, m.role, m.time_zone, m.disabled_at, m.account_disabled_at from access_tokens as t
    join members as m on m.company_id = t.company_id and m.id = t.user_id
    where t.token_hash = ${hash}`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  const ends = [row.revoked_at, row.disabled_at, row.account_disabled_at];
  const isRevoked = ends.some((end) => end !== null);
  return { token: tokenOf(row), role: row.role as Role, timeZone: row.time_zone, isRevoked };
}

export async function touchToken(
  work: SystemWriteWork,
  { companyId, id }: Pick<AccessToken, 'companyId' | 'id'>,
): Promise<void> {
  const last_used_at = instant.toColumn(work.now);
  await tokens.update(inCompany(work, companyId), { id }, { last_used_at });
}

export interface NewToken extends Omit<
  AccessToken,
  'id' | 'lastFour' | 'createdAt' | 'lastUsedAt' | 'revokedAt' | 'replacedById'
> {
  readonly nonce: string | null;
  /** The text of the token, of which only a hash and the last four characters are stored. */
  readonly secret: string;
}

/** The new tokens in undefined order; at most one for each company. */
export async function insertTokens(work: SystemWriteWork, tokens: readonly NewToken[]) {
  const { db } = specialSql(work);
  const draws = tokens.map(({ companyId }) => ({ companyId, count: 1 }));
  const ids = await drawIds(db, 'access_tokens', draws);
  const rows = await db
    .insertInto('access_tokens')
    .values(
      tokens.map((token) => ({
        ...(columnsOf(token) as Insertable<Tables['access_tokens']>),
        id: ids.get(token.companyId) ?? 0,
        token_hash: hashToken(token.secret),
        last_four: token.secret.slice(-4),
        nonce: token.nonce,
        created_at: instant.toColumn(work.now),
      })),
    )
    .returningAll()
    .execute();
  return rows.map(tokenOf);
}

export async function markRevoked(
  work: SystemWriteWork,
  revoked: readonly Pick<AccessToken, 'companyId' | 'id'>[],
): Promise<void> {
  const { db } = specialSql(work);
  await sql`update access_tokens set revoked_at = ${instant.toColumn(work.now)} where revoked_at is null
    and (company_id, id) ${inPairs(revoked.map(({ companyId, id }) => [companyId, id]))}`.execute(db);
}

/** Tokens that work on although these were issued in their place. One statement. */
export async function selectReplacedBy(
  work: SystemReadWork,
  successors: readonly Pick<AccessToken, 'companyId' | 'id'>[],
): Promise<AccessToken[]> {
  const { db } = specialSql(work);
  const { rows } = await sql<Row<'access_tokens'>>`select * from access_tokens
    where revoked_at is null and expires_at > ${instant.toColumn(work.now)} and replaced_by_id is not null
    and (company_id, replaced_by_id) ${inPairs(successors.map(({ companyId, id }) => [companyId, id]))}
    order by company_id, id`.execute(db);
  return rows.map(tokenOf);
}

/** Stores another name of a token, or its end and the token that was issued in its place. */
export async function updateToken(
  work: SystemWriteWork,
  { companyId, id }: AccessToken,
  changes: Partial<Pick<AccessToken, 'name' | 'expiresAt' | 'replacedById'>>,
): Promise<void> {
  await tokens.update(inCompany(work, companyId), { id }, columnsOf(changes));
}

/** The derived tokens of a user that are not revoked, the oldest first. A company has one for each secret. */
export async function selectDerivedTokens(
  work: SystemReadWork,
  userId: number,
  companyIds: readonly number[],
): Promise<{ readonly token: AccessToken; readonly nonce: string; readonly hash: string }[]> {
  const { db } = specialSql(work);
  const { rows } = await sql<Row<'access_tokens'>>`select * from access_tokens
    where user_id = ${userId} and company_id ${inIds(companyIds)} and kind = 'derived' and revoked_at is null
    order by id`.execute(db);
  return rows.map((row) => ({ token: tokenOf(row), nonce: row.nonce ?? '', hash: row.token_hash }));
}

export async function selectTokensOf(work: SystemReadWork, member: Member): Promise<AccessToken[]> {
  const own = inCompany(work, member.companyId);
  return (await tokens.select(own, { user_id: member.userId }, { orderBy: ['id'] })).map(tokenOf);
}

/** All tokens of the company, also revoked and expired ones, ascending by id. */
export async function listTokens(work: OfCompany<SystemReadWork>): Promise<AccessToken[]> {
  return (await tokens.select(work, {}, { orderBy: ['id'] })).map(tokenOf);
}

/** Revoked and expired tokens, by the earlier of the two times. */
export const tokenRetention: Retained = {
  kind: 'tokens',
  table: 'access_tokens',
  rowsPerUnit: 200,
  oldest: sql`select case when r.at < e.at or e.at is null then r.at else e.at end from
    (select min(revoked_at) as at from access_tokens where company_id = c.id and revoked_at is not null) as r,
    (select min(expires_at) as at from access_tokens where company_id = c.id and expires_at is not null) as e`,
  aged: (companyId, before) =>
    sql`select case when revoked_at < ${before} then revoked_at else expires_at end as at
      from access_tokens where company_id = ${companyId} and (revoked_at < ${before} or expires_at < ${before})`,
  deleteOld: async (work, { companyId, before, limit }) => {
    const { db } = specialSql(work);
    const { rows } = await sql<AgedRow>`select id, revoked_at as at from access_tokens
        where company_id = ${companyId} and revoked_at is not null and revoked_at < ${before}
      union select id, expires_at as at from access_tokens
        where company_id = ${companyId} and expires_at is not null and expires_at < ${before}
      order by at, id limit ${limit}`.execute(db);
    const once = [...new Map(rows.map((row) => [row.id, row])).values()];
    return await deleteAged(work, companyId, 'access_tokens', once);
  },
};
