import { changedBy } from '../../../database/audit.js';
import { specialSql } from '../../../database/company/special-sql.js';
import { forUpdate, instant, nullable } from '../../../database/storage.js';
import type { SystemReadWork, SystemWriteWork } from '../../../database/work.js';
import { randomId } from '../../../platform/keys.js';
import type { Row } from '../../../schema/schema.js';
import { comparableEmail, type SignInState, type User } from './user.model.js';

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

async function isTaken(work: SystemReadWork, id: number): Promise<boolean> {
  const { db } = specialSql(work);
  return (await db.selectFrom('users').select('id').where('id', '=', id).execute()).length > 0;
}

export async function insertUser(
  work: SystemWriteWork,
  { timeZone, passwordHash, ...values }: Pick<User, 'email' | 'name' | 'timeZone'> & { passwordHash: string },
): Promise<User> {
  const { db } = specialSql(work);
  const now = instant.toColumn(work.now);
  const row = await db
    .insertInto('users')
    .values({
      id: await randomId((id) => isTaken(work, id)),
      ...values,
      time_zone: timeZone,
      password_hash: passwordHash,
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

export async function hasUsers(work: SystemReadWork): Promise<boolean> {
  const { db } = specialSql(work);
  return (await db.selectFrom('users').select('id').limit(1).execute()).length > 0;
}

/** Ordered by e-mail address. */
export async function selectUsers(work: SystemReadWork): Promise<User[]> {
  const { db } = specialSql(work);
  return (await db.selectFrom('users').selectAll().orderBy('email').execute()).map(userOf);
}

type Optional<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** The fields of a user that a change may set; absent ones (undefined) do not change. */
export type UserState = Optional<
  SignInState &
    Pick<Account, 'passwordHash'> &
    Pick<User, 'name' | 'timeZone' | 'disabledAt' | 'signInCount' | 'lastSignInAt' | 'lastSignInIp'>
>;

/** Kysely leaves out the columns that are undefined. */
function columnsOf(state: UserState) {
  return {
    name: state.name,
    time_zone: state.timeZone,
    password_hash: state.passwordHash,
    disabled_at: state.disabledAt && instant.toColumn(state.disabledAt),
    sign_in_count: state.signInCount,
    last_sign_in_at: state.lastSignInAt && instant.toColumn(state.lastSignInAt),
    last_sign_in_ip: state.lastSignInIp,
    failed_sign_ins: state.failedSignIns,
    failed_since: state.failedSince && instant.toColumn(state.failedSince),
    locked_until: state.lockedUntil && instant.toColumn(state.lockedUntil),
  };
}

export async function updateUser(work: SystemWriteWork, current: User, state: UserState): Promise<User> {
  const { db } = specialSql(work);
  const row = await db
    .updateTable('users')
    .set({ ...columnsOf(state), ...changedBy(work, current) })
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
    failedSince: time.fromColumn(row.failed_since),
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

export async function getAccount(work: SystemWriteWork, userId: number): Promise<Account> {
  const { db } = specialSql(work);
  const query = db.selectFrom('users').selectAll().where('id', '=', userId).modifyEnd(forUpdate);
  return accountOf(await query.executeTakeFirstOrThrow());
}

/** Changes no field of the user's public record, so its revision stays the same. */
export async function updateFailures(
  work: SystemWriteWork,
  userId: number,
  { failedSignIns, failedSince, lockedUntil }: SignInState,
): Promise<void> {
  const { db } = specialSql(work);
  const columns = columnsOf({ failedSignIns, failedSince, lockedUntil });
  await db.updateTable('users').set(columns).where('id', '=', userId).execute();
}
