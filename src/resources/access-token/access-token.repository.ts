import { instant, json, nullable } from '../../database/storage.js';
import type { Row } from '../../database/tables.js';
import type { ReadWork, SystemReadWork, SystemWriteWork } from '../../database/work.js';
import type { Role, Scope } from '../../platform/caller.js';
import type { AccessToken } from './access-token.model.js';

const time = nullable(instant);
const scopes = json<readonly Scope[]>();

export function tokenOf(row: Row<'access_tokens'>): AccessToken {
  return {
    id: row.id,
    companyId: row.company_id,
    userId: row.user_id,
    kind: row.kind === 'derived' ? 'derived' : 'named',
    name: row.name,
    scopes: scopes.fromColumn(row.scopes),
    lastFour: row.last_four,
    createdAt: instant.fromColumn(row.created_at),
    lastUsedAt: time.fromColumn(row.last_used_at),
    expiresAt: time.fromColumn(row.expires_at),
    revokedAt: time.fromColumn(row.revoked_at),
  };
}

export interface Credential {
  readonly token: AccessToken;
  readonly role: Role;
  readonly timeZone: string;
  readonly userDisabled: boolean;
}

/** The token, its user and its membership in one look-up; a membership that ended took its tokens along. */
export async function findCredential(work: SystemReadWork, hash: string): Promise<Credential | undefined> {
  const row = await work.db
    .selectFrom('access_tokens')
    .innerJoin('memberships', (join) =>
      join
        .onRef('memberships.company_id', '=', 'access_tokens.company_id')
        .onRef('memberships.user_id', '=', 'access_tokens.user_id'),
    )
    .innerJoin('users', 'users.id', 'access_tokens.user_id')
    .selectAll('access_tokens')
    .select(['memberships.role as role', 'users.time_zone as time_zone', 'users.disabled_at as disabled_at'])
    .where('access_tokens.token_hash', '=', hash)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    token: tokenOf(row),
    role: row.role as Role,
    timeZone: row.time_zone,
    userDisabled: row.disabled_at !== null,
  };
}

export async function touchToken(work: SystemWriteWork, id: number): Promise<void> {
  await work.db
    .updateTable('access_tokens')
    .set({ last_used_at: instant.toColumn(work.now) })
    .where('id', '=', id)
    .execute();
}

export interface NewToken {
  readonly companyId: number;
  readonly userId: number;
  readonly kind: AccessToken['kind'];
  readonly name: string | null;
  readonly scopes: readonly Scope[];
  readonly hash: string;
  readonly nonce: string | null;
  readonly lastFour: string;
  readonly expiresAt: Date | null;
}

export async function insertToken(work: SystemWriteWork, values: NewToken): Promise<AccessToken> {
  const row = await work.db
    .insertInto('access_tokens')
    .values({
      company_id: values.companyId,
      user_id: values.userId,
      kind: values.kind,
      name: values.name,
      scopes: scopes.toColumn(values.scopes),
      token_hash: values.hash,
      nonce: values.nonce,
      last_four: values.lastFour,
      created_at: instant.toColumn(work.now),
      last_used_at: null,
      expires_at: time.toColumn(values.expiresAt),
      revoked_at: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return tokenOf(row);
}

/** Tokens of the caller's company, newest last. */
export async function selectTokens(work: ReadWork): Promise<AccessToken[]> {
  const rows = await work.db
    .selectFrom('access_tokens')
    .selectAll()
    .where('company_id', '=', work.caller.companyId)
    .orderBy('id')
    .execute();
  return rows.map(tokenOf);
}
