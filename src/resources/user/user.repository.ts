import { listOf } from '../../database/list/list.js';
import { specialSql } from '../../database/special-sql.js';
import { instant, nullable } from '../../database/storage.js';
import type { Row } from '../../database/tables.js';
import type { ReadWork, SystemReadWork, SystemWriteWork } from '../../database/work.js';
import { offsetOf, type PageRequest } from '../../platform/page.js';
import type { SignInState } from './sign-in/sign-in.model.js';
import { comparableEmail, type User } from './user.model.js';

const time = nullable(instant);

function userOf(row: Row<'users'>): User {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    timeZone: row.time_zone,
    signInCount: row.sign_in_count,
    lastSignInAt: time.fromColumn(row.last_sign_in_at),
    lastSignInIp: row.last_sign_in_ip,
    disabledAt: time.fromColumn(row.disabled_at),
    lockedUntil: time.fromColumn(row.locked_until),
    revision: row.revision,
    createdAt: instant.fromColumn(row.created_at),
    updatedAt: instant.fromColumn(row.updated_at),
  };
}

export async function insertUser(
  work: SystemWriteWork,
  values: Pick<User, 'email' | 'name' | 'timeZone'> & { passwordHash: string },
): Promise<User> {
  const { db } = specialSql(work);
  const now = instant.toColumn(work.now);
  const row = await db
    .insertInto('users')
    .values({
      email: values.email,
      name: values.name,
      time_zone: values.timeZone,
      password_hash: values.passwordHash,
      sign_in_count: 0,
      failed_sign_ins: 0,
      revision: 1,
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return userOf(row);
}

export const users = listOf<'users', User>({
  name: 'User',
  table: 'users',
  id: 'id',
  orders: { ID: 'id', CREATED_AT: 'created_at' },
  filters: { id: { column: 'id', kind: 'id' }, email: { column: 'email', kind: 'text' } },
  recordOf: userOf,
  company: { link: 'memberships', child: 'user_id' },
});

/** Members of the caller's company. */
function members(work: ReadWork) {
  const { db, companyId } = specialSql(work);
  return db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .selectAll('users')
    .where('memberships.company_id', '=', companyId);
}

export async function findMember(work: ReadWork, userId: number): Promise<User | undefined> {
  const row = await members(work).where('memberships.user_id', '=', userId).executeTakeFirst();
  return row && userOf(row);
}

export async function selectMembers(work: ReadWork, page: PageRequest): Promise<User[]> {
  const rows = await members(work)
    .orderBy('memberships.user_id')
    .limit(page.perPage)
    .offset(offsetOf(page))
    .execute();
  return rows.map(userOf);
}

export async function findAnyUser(work: SystemReadWork): Promise<{ id: number } | undefined> {
  const { db } = specialSql(work);
  return await db.selectFrom('users').select('id').limit(1).executeTakeFirst();
}

/** All users, or a company's. */
export async function selectUsers(work: SystemReadWork, companyId: number | null): Promise<User[]> {
  const { db } = specialSql(work);
  let query = db.selectFrom('users').selectAll('users').orderBy('users.id');
  if (companyId !== null) {
    query = query.where((eb) =>
      eb.exists(
        eb
          .selectFrom('memberships')
          .select('memberships.user_id')
          .whereRef('memberships.user_id', '=', 'users.id')
          .where('memberships.company_id', '=', companyId),
      ),
    );
  }
  return (await query.execute()).map(userOf);
}

/** The fields of a user that a change may set. */
export interface UserState {
  readonly passwordHash?: string;
  readonly disabledAt?: Date | null;
  readonly lockedUntil?: Date | null;
  readonly failedSignIns?: number;
}

export async function updateUserState(work: SystemWriteWork, current: User, state: UserState): Promise<User> {
  const { db } = specialSql(work);
  const updated = Math.max(work.now.getTime(), current.updatedAt.getTime());
  const row = await db
    .updateTable('users')
    .set({
      ...(state.passwordHash === undefined ? {} : { password_hash: state.passwordHash }),
      ...(state.disabledAt === undefined ? {} : { disabled_at: time.toColumn(state.disabledAt) }),
      ...(state.lockedUntil === undefined ? {} : { locked_until: time.toColumn(state.lockedUntil) }),
      ...(state.failedSignIns === undefined ? {} : { failed_sign_ins: state.failedSignIns }),
      revision: current.revision + 1,
      updated_at: instant.toColumn(new Date(updated)),
    })
    .where('id', '=', current.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return userOf(row);
}

/** A user with what signing in needs. */
export interface Account extends SignInState {
  readonly user: User;
  readonly passwordHash: string;
}

function accountOf(row: Row<'users'>): Account {
  return {
    user: userOf(row),
    passwordHash: row.password_hash,
    failedSignIns: row.failed_sign_ins,
    lockedUntil: time.fromColumn(row.locked_until),
  };
}

export async function findAccountByEmail(work: SystemReadWork, email: string): Promise<Account | undefined> {
  const { db } = specialSql(work);
  const row = await db
    .selectFrom('users')
    .selectAll()
    .where('email', '=', comparableEmail(email))
    .executeTakeFirst();
  return row && accountOf(row);
}

export async function getAccount(work: SystemReadWork, userId: number): Promise<Account> {
  const { db } = specialSql(work);
  const row = await db.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirstOrThrow();
  return accountOf(row);
}

/** Changes no field of the user's public record, so its revision stays the same. */
export async function updateFailures(
  work: SystemWriteWork,
  userId: number,
  state: SignInState,
): Promise<void> {
  const { db } = specialSql(work);
  await db
    .updateTable('users')
    .set({ failed_sign_ins: state.failedSignIns, locked_until: time.toColumn(state.lockedUntil) })
    .where('id', '=', userId)
    .execute();
}

export async function updateSignedIn(work: SystemWriteWork, user: User, ip: string | null): Promise<void> {
  const { db } = specialSql(work);
  const now = instant.toColumn(work.now);
  await db
    .updateTable('users')
    .set({
      sign_in_count: user.signInCount + 1,
      last_sign_in_at: now,
      last_sign_in_ip: ip,
      failed_sign_ins: 0,
      locked_until: null,
      revision: user.revision + 1,
      updated_at: Math.max(now, instant.toColumn(user.updatedAt)),
    })
    .where('id', '=', user.id)
    .execute();
}
