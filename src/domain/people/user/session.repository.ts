import { type Insertable, sql } from 'kysely';

import { specialSql } from '../../../database/company/company-rows.js';
import { recordMapping } from '../../../database/company/company-table.js';
import { randomId } from '../../../database/counters.js';
import { instant, json } from '../../../database/storage.js';
import type { SystemReadWork, SystemWriteWork } from '../../../database/work.js';
import type { Role } from '../../../platform/requests.js';
import type { Row, Tables } from '../../../schema/schema.js';
import { MAX_SESSIONS, type Session, SESSION_MS } from './session.model.js';
import type { MembershipKey } from './user.model.js';

const { recordOf: sessionOf, columnsOf } = recordMapping<'sessions', Session, 'token_hash'>('sessions', [
  'token_hash',
]);

const preferencesOf = json<object>();

type Access = Pick<Row<'members'>, 'role' | 'time_zone' | 'disabled_at' | 'account_disabled_at'>;

/** The session with its member, in one statement; undefined if there is none. */
export async function findSessionAccess(work: SystemReadWork, hash: string) {
  const { db } = specialSql(work);
  const { rows } = await sql<Row<'sessions'> & Access>`
    select s.*, m.role, m.time_zone, m.disabled_at, m.account_disabled_at from sessions as s
    join members as m on m.company_id = s.company_id and m.id = s.user_id
    where s.token_hash = ${hash}`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  const isRevoked = row.disabled_at !== null || row.account_disabled_at !== null;
  return { session: sessionOf(row), role: row.role as Role, timeZone: row.time_zone, isRevoked };
}

/** Adds a session. Deletes those of the user that are over or too many, so that no rows of others are locked. */
export async function insertSession(
  work: SystemWriteWork,
  given: Omit<Session, 'id'>,
  token_hash: string,
): Promise<Session> {
  const { db } = specialSql(work);
  const id = await randomId(db, 'sessions');
  const oldest = instant.toColumn(new Date(work.now.getTime() - SESSION_MS));
  await sql`delete from sessions where user_id = ${given.userId} and (created_at <= ${oldest} or id in (
    select id from sessions where user_id = ${given.userId}
    order by last_used_at desc, id desc limit ${MAX_SESSIONS} offset ${MAX_SESSIONS - 1}))`.execute(db);
  const session = { id, ...given };
  const row = { ...columnsOf(session), token_hash } as Insertable<Tables['sessions']>;
  await db.insertInto('sessions').values(row).execute();
  return session;
}

/** Sessions of a user, the last used first; also those that have ended by themselves. */
export async function selectSessions(work: SystemReadWork, userId: number): Promise<Session[]> {
  const { db } = specialSql(work);
  const query = db.selectFrom('sessions').selectAll().where('user_id', '=', userId);
  return (await query.orderBy('last_used_at', 'desc').orderBy('id').execute()).map(sessionOf);
}

export async function touchSession(work: SystemWriteWork, { id }: Pick<Session, 'id'>): Promise<void> {
  const { db } = specialSql(work);
  const last_used_at = instant.toColumn(work.now);
  await db.updateTable('sessions').set({ last_used_at }).where('id', '=', id).execute();
}

/** Notes that a session is in a company from now on, where the next one begins. */
export async function noteSession(work: SystemWriteWork, { companyId, userId }: MembershipKey) {
  const { db } = specialSql(work);
  await sql`update memberships set last_session_at = ${instant.toColumn(work.now)}
    where company_id = ${companyId} and user_id = ${userId}`.execute(db);
}

/** False if there is no such session. */
export async function moveSession(work: SystemWriteWork, id: number, company_id: number): Promise<boolean> {
  const { db } = specialSql(work);
  const query = db.updateTable('sessions').set({ company_id }).where('id', '=', id);
  return (await query.returning('id').execute()).length > 0;
}

/** False if the user has no such session. */
export async function deleteSession(work: SystemWriteWork, userId: number, id: number): Promise<boolean> {
  const { db } = specialSql(work);
  const query = db.deleteFrom('sessions').where('id', '=', id).where('user_id', '=', userId);
  return (await query.returning('id').execute()).length > 0;
}

/** Deletes the sessions of a user but `kept`. */
export async function endSessions(work: SystemWriteWork, userId: number, kept = 0): Promise<void> {
  const { db } = specialSql(work);
  await db.deleteFrom('sessions').where('user_id', '=', userId).where('id', '<>', kept).execute();
}

export async function findPreferences(work: SystemReadWork, userId: number): Promise<object> {
  const { db } = specialSql(work);
  const query = db.selectFrom('users').select('preferences').where('id', '=', userId);
  const row = await query.executeTakeFirst();
  return row === undefined ? {} : preferencesOf.fromColumn(row.preferences);
}

export async function savePreferences(work: SystemWriteWork, userId: number, value: object): Promise<void> {
  const { db } = specialSql(work);
  const preferences = preferencesOf.toColumn(value);
  await db.updateTable('users').set({ preferences }).where('id', '=', userId).execute();
}
