import { sql, type Updateable } from 'kysely';

import { changedBy, recordMapping } from '../../../database/company/company-table.js';
import { randomId } from '../../../database/counters.js';
import { forUpdate, instant, nullable, typed } from '../../../database/storage.js';
import { specialSql, type SystemReadWork, type SystemWriteWork } from '../../../database/work.js';
import { DAY } from '../../../platform/clock.js';
import type { Row, Tables } from '../../../schema/schema.js';
import {
  comparableEmail,
  NEW_NETWORK,
  type SignInNetwork,
  type SignInState,
  type User,
} from './user.model.js';

const time = nullable(instant);

/** Columns of accounts, which users do not show. */
const HIDDEN = ['password_hash', 'failed_sign_ins', 'failed_since'] as const;
const { recordOf: userOf } = recordMapping<'users', User, (typeof HIDDEN)[number]>('users', HIDDEN);
const { recordOf: rowOf, columnsOf } = recordMapping<'users', User & Omit<Account, 'user'>, never>(
  'users',
  [],
);

export async function insertUser(
  work: SystemWriteWork,
  { timeZone, passwordHash, ...values }: Pick<User, 'email' | 'name' | 'timeZone'> & { passwordHash: string },
): Promise<User> {
  const { db } = specialSql(work);
  const now = instant.toColumn(work.now);
  const id = await randomId(db, 'users');
  const row = await db
    .insertInto('users')
    .values({
      id,
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
const changesOf = (state: UserState) => columnsOf(state) as Updateable<Tables['users']>;

export async function updateUser(work: SystemWriteWork, current: User, state: UserState): Promise<User> {
  const { db } = specialSql(work);
  const row = await db
    .updateTable('users')
    .set({ ...changesOf(state), ...changedBy(work, current) })
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
  const { passwordHash, failedSignIns, failedSince, lockedUntil } = rowOf(row);
  return { user: userOf(row), passwordHash, failedSignIns, failedSince, lockedUntil };
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
  const columns = changesOf({ failedSignIns, failedSince, lockedUntil });
  await db.updateTable('users').set(columns).where('id', '=', userId).execute();
}

/** Known networks of an account: those of the latest sign-ins. */
const KNOWN_NETWORKS = 10;

export async function findNetwork(
  work: SystemReadWork,
  userId: number,
  network: string,
): Promise<SignInNetwork> {
  const { db } = specialSql(work);
  const { rows } = await sql<Row<'sign_in_networks'>>`select * from sign_in_networks
    where user_id = ${userId} and network = ${network}`.execute(db);
  const [row] = rows;
  if (row === undefined) return NEW_NETWORK;
  return {
    signedInAt: time.fromColumn(row.signed_in_at),
    failedSignIns: row.failed_sign_ins,
    lockedUntil: time.fromColumn(row.locked_until),
  };
}

/** Stores nothing if there is no such user, but takes the same time. */
export async function saveNetwork(
  work: SystemWriteWork,
  userId: number,
  network: string,
  { signedInAt, failedSignIns, lockedUntil }: SignInNetwork,
): Promise<void> {
  const { db } = specialSql(work);
  await sql`insert into sign_in_networks
      (user_id, network, signed_in_at, failed_sign_ins, locked_until, updated_at)
    select id, ${typed('text', network)}, ${typed('instant', time.toColumn(signedInAt))},
      ${typed('integer', failedSignIns)}, ${typed('instant', time.toColumn(lockedUntil))},
      ${typed('instant', instant.toColumn(work.now))}
    from users where id = ${userId}
    on conflict (user_id, network) do update set signed_in_at = excluded.signed_in_at,
      failed_sign_ins = excluded.failed_sign_ins, locked_until = excluded.locked_until,
      updated_at = excluded.updated_at`.execute(db);
}

/** Deletes networks without a sign-in or a failure for a day, and known ones that are too many. */
export async function deleteOldNetworks(work: SystemWriteWork, userId: number): Promise<void> {
  const { db } = specialSql(work);
  const dayAgo = instant.toColumn(new Date(work.now.getTime() - DAY));
  await sql`delete from sign_in_networks where user_id = ${userId} and (
    (signed_in_at is null and updated_at < ${dayAgo})
    or (signed_in_at is not null and network not in (
      select network from sign_in_networks where user_id = ${userId} and signed_in_at is not null
      order by signed_in_at desc, network limit ${KNOWN_NETWORKS})))`.execute(db);
}

/** Lifts the locks of all networks for a user; known ones stay known. */
export async function resetNetworks(work: SystemWriteWork, userId: number): Promise<void> {
  const { db } = specialSql(work);
  await sql`update sign_in_networks set failed_sign_ins = 0, locked_until = null
    where user_id = ${userId}`.execute(db);
}
