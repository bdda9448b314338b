import { type Insertable, sql } from 'kysely';

import { specialSql } from '../../../database/company/company-rows.js';
import { recordMapping } from '../../../database/company/company-table.js';
import { instant } from '../../../database/storage.js';
import type { SystemReadWork, SystemWriteWork } from '../../../database/work.js';
import { HOUR, MINUTE } from '../../../platform/clock.js';
import { CHALLENGE_MS } from '../../../platform/passkeys.js';
import type { RecordOf, Tables } from '../../../schema/schema.js';
import { hashToken } from '../access-token/access-token.model.js';
import type { Membership, MembershipKey } from './user.model.js';

/** Time after which codes of a kind end by themselves; recovery codes and invitations do not. */
const LIFETIMES = {
  sign_in: 10 * MINUTE,
  password: 72 * HOUR,
  email: 72 * HOUR,
  create: CHALLENGE_MS,
  get: CHALLENGE_MS,
  recovery: null,
  invitation: null,
} as const;
export type CodeKind = keyof typeof LIFETIMES;

/** The invitation of a company to a person who has an account. */
interface Invitation {
  readonly companyId: number;
  readonly companyName: string;
  readonly membership: Omit<Membership, keyof MembershipKey>;
}

type Kind = Readonly<Record<'kind', CodeKind> & Record<'membership', Invitation['membership'] | null>>;
export type OneTimeCode = RecordOf<'one_time_codes', Kind, never>;

const { recordOf, columnsOf } = recordMapping<'one_time_codes', OneTimeCode, never>('one_time_codes', []);

/** Stores hashes of codes. */
export async function saveCodes(
  work: SystemWriteWork,
  given: Pick<OneTimeCode, 'kind' | 'userId'> & Partial<OneTimeCode>,
  codes: readonly string[],
): Promise<void> {
  const { db } = specialSql(work);
  const shared = columnsOf({ removesPasskeys: false, ...given, createdAt: work.now });
  const rows = codes.map((code) => ({ ...shared, code_hash: hashToken(code) }));
  await db
    .insertInto('one_time_codes')
    .values(rows as Insertable<Tables['one_time_codes']>[])
    .execute();
}

/** The user of a code of a kind that was not used and has not ended. */
export async function findUserOfCode(work: SystemReadWork, kind: CodeKind, code: string) {
  const { db } = specialSql(work);
  const query = sql<{ user_id: number | null }>`select user_id from one_time_codes
    where ${isOpen(work, kind, code)}`;
  return (await query.execute(db)).rows[0]?.user_id;
}

/** Uses up a code: of this user, of no user if that is null, of any if it is absent. Undefined if there is none. */
export async function takeCode(
  work: SystemWriteWork,
  kind: CodeKind,
  code: string,
  userId?: number | null,
): Promise<OneTimeCode | undefined> {
  const { db } = specialSql(work);
  const isOwn = userId === undefined ? sql`` : sql`and coalesce(user_id, 0) = ${userId ?? 0}`;
  const { rows } = await sql<
    Parameters<typeof recordOf>[0]
  >`delete from one_time_codes where ${isOpen(work, kind, code)} ${isOwn} returning *`.execute(db);
  return rows.map(recordOf)[0];
}

const isOpen = (work: SystemReadWork, kind: CodeKind, code: string) =>
  sql`code_hash = ${hashToken(code)} and kind = ${kind} and created_at > ${newestEnded(work, kind)}`;

/** Codes of a kind that were made until then have ended. */
function newestEnded({ now }: SystemReadWork, kind: CodeKind): Date {
  const lifetime = LIFETIMES[kind];
  return instant.toColumn(new Date(lifetime === null ? 0 : now.getTime() - lifetime));
}

/** Codes of a user, also those that have ended by themselves. */
export async function selectCodes(work: SystemReadWork, userId: number, kind: CodeKind) {
  const { db } = specialSql(work);
  const query = db.selectFrom('one_time_codes').selectAll().where('user_id', '=', userId);
  return (await query.where('kind', '=', kind).execute()).map(recordOf);
}

/** Resolves to the number of codes that were left. */
export async function deleteCodes(work: SystemWriteWork, userId: number, kind: CodeKind): Promise<number> {
  const { db } = specialSql(work);
  const query = db.deleteFrom('one_time_codes').where('user_id', '=', userId).where('kind', '=', kind);
  return (await query.returning('kind').execute()).length;
}

/** The code of an invitation. Nobody is given it: it counts in a session of the person. */
export const invitationCode = ({ companyId, userId }: MembershipKey): string => `${companyId} ${userId}`;

/** Open invitations of a person, the oldest first. */
export async function selectInvitations(work: SystemReadWork, userId: number): Promise<Invitation[]> {
  const { db } = specialSql(work);
  const query = db.selectFrom('one_time_codes as o').innerJoin('companies as c', 'c.id', 'o.company_id');
  const own = query.selectAll('o').select('c.name').where('user_id', '=', userId);
  const rows = await own.where('kind', '=', 'invitation').orderBy('o.created_at').execute();
  return rows.map((row) => ({ ...recordOf(row), companyName: row.name }) as Invitation);
}

/** Maximum invitations that are listed. */
export const MAX_INVITED = 100;

/** A person who was invited to a company and has not come yet. */
export interface Invited extends Pick<Membership, 'name' | 'role'> {
  readonly email: string;
  /** False for a person who has an account elsewhere and was asked. */
  readonly isMember: boolean;
  readonly invitedAt: Date;
  /** When the link to choose a password ends; null for a person who was asked. */
  readonly expiresAt: Date | null;
}

/** Codes with the addresses of their users, the newest first. */
function newestCodes(work: SystemReadWork) {
  const { db } = specialSql(work);
  return db
    .selectFrom('one_time_codes as o')
    .innerJoin('users as u', 'u.id', 'o.user_id')
    .selectAll('o')
    .select('u.email as address')
    .orderBy('o.created_at', 'desc')
    .limit(MAX_INVITED);
}

/** People with an account whom a company has asked, and who have not answered. */
export async function selectAsked(work: SystemReadWork, companyId: number): Promise<readonly Invited[]> {
  const query = newestCodes(work).where('o.company_id', '=', companyId).where('o.kind', '=', 'invitation');
  return (await query.execute()).map(({ address: email, ...row }) => {
    const { membership, createdAt: invitedAt } = recordOf(row) as Invitation & OneTimeCode;
    const { name, role } = membership;
    return { name, role, email, isMember: false, invitedAt, expiresAt: null };
  });
}

/**
 * New accounts of a company that have a link to choose a password, and have not signed in. A link of a member of other
 * companies too is no business of this one.
 */
export async function selectLinked(work: SystemReadWork, companyId: number): Promise<readonly Invited[]> {
  const query = newestCodes(work)
    .innerJoin('memberships as own', 'own.user_id', 'o.user_id')
    .leftJoin('memberships as other', (join) =>
      join.onRef('other.user_id', '=', 'o.user_id').on('other.company_id', '!=', companyId),
    )
    .select(['own.name', 'own.role'])
    .where('own.company_id', '=', companyId)
    .where('own.sign_in_count', '=', 0)
    .where('other.user_id', 'is', null)
    .where('o.kind', '=', 'password');
  return (await query.execute()).map(({ address: email, name, role, ...row }) => {
    const { createdAt: invitedAt } = recordOf(row);
    const expiresAt = new Date(invitedAt.getTime() + LIFETIMES.password);
    return { name, role: role as Invited['role'], email, isMember: true, invitedAt, expiresAt };
  });
}

/** Deletes the codes of a user but invitations, which need a session, and recovery codes, which stay with passkeys. */
export async function endCodes(work: SystemWriteWork, userId: number): Promise<void> {
  const { db } = specialSql(work);
  await db
    .deleteFrom('one_time_codes')
    .where('user_id', '=', userId)
    .where('kind', 'not in', ['recovery', 'invitation'])
    .execute();
}

const DELETED_PER_CALL = 500;

/** Deletes some of the codes that have ended; returns whether there may be more. */
export async function deleteEndedCodes(work: SystemWriteWork): Promise<boolean> {
  const { db } = specialSql(work);
  const kinds = (Object.keys(LIFETIMES) as CodeKind[]).filter((kind) => kind !== 'recovery');
  const ended = kinds.map((kind) => sql`kind = ${kind} and created_at <= ${newestEnded(work, kind)}`);
  const { rows } = await sql`delete from one_time_codes where code_hash in (select code_hash
    from one_time_codes where ${sql.join(ended, sql` or `)} limit ${DELETED_PER_CALL}) returning kind`.execute(
    db,
  );
  return rows.length === DELETED_PER_CALL;
}
