import { type Insertable, sql, type Updateable } from 'kysely';

import {
  CompanyRows,
  inCompany,
  type NewRow,
  type OfCompany,
  only,
  specialSql,
} from '../../../database/company/company-rows.js';
import { changedBy, changedTogether, recordMapping } from '../../../database/company/company-table.js';
import { randomId } from '../../../database/counters.js';
import { listOf } from '../../../database/list/list.js';
import { inIds, forUpdate, instant, nullable, typed } from '../../../database/storage.js';
import type { SystemReadWork, SystemWriteWork, WriteWork } from '../../../database/work.js';
import { DAY } from '../../../platform/clock.js';
import type { PageRequest } from '../../../platform/requests.js';
import { withoutUndefined } from '../../../platform/validate.js';
import type { Row, Tables } from '../../../schema/schema.js';
import {
  type Account,
  type Attempted,
  type CompanyMembership,
  comparableEmail,
  HIDDEN_OF_USER,
  type Member,
  type Membership,
  type MembershipKey,
  NEW_NETWORK,
  type SignInNetwork,
  type User,
} from './user.model.js';

const time = nullable(instant);

const { recordOf: userOf } = recordMapping<'users', User, (typeof HIDDEN_OF_USER)[number]>(
  'users',
  HIDDEN_OF_USER,
);
const { recordOf: accountOf, columnsOf } = recordMapping<'users', Account, 'preferences'>('users', [
  'preferences',
]);

export async function insertUser(
  work: SystemWriteWork,
  given: Pick<Account, 'email' | 'name' | 'timeZone' | 'passwordHash'>,
): Promise<User> {
  const { db } = specialSql(work);
  const id = await randomId(db, 'users');
  const zeros = { signInCount: 0, failedSignIns: 0, revision: 1 };
  const row = columnsOf({ id, ...given, ...zeros, createdAt: work.now, updatedAt: work.now });
  const query = db.insertInto('users').values(row as Insertable<Tables['users']>);
  return userOf(await query.returningAll().executeTakeFirstOrThrow());
}

export async function hasUsers(work: SystemReadWork): Promise<boolean> {
  const { db } = specialSql(work);
  return (await sql`select 1 from users limit 1`.execute(db)).rows.length > 0;
}

/** Ordered by e-mail address. */
export async function selectUsers(work: SystemReadWork): Promise<User[]> {
  const { db } = specialSql(work);
  return (await db.selectFrom('users').selectAll().orderBy('email').execute()).map(userOf);
}

export async function findAccountByEmail(work: SystemReadWork, email: string): Promise<Account | undefined> {
  const { db } = specialSql(work);
  const query = db.selectFrom('users').selectAll().where('email', '=', comparableEmail(email));
  const row = await query.executeTakeFirst();
  return row && accountOf(row);
}

export async function getAccount(work: SystemWriteWork, userId: number): Promise<Account> {
  const { db } = specialSql(work);
  const query = db.selectFrom('users').selectAll().where('id', '=', userId).modifyEnd(forUpdate);
  return accountOf(await query.executeTakeFirstOrThrow());
}

type Optional<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** Fields of a user that a change may set; absent ones (undefined) do not change. */
export type UserState = Optional<Omit<Account, 'id' | 'revision' | 'createdAt' | 'updatedAt'>>;

/** Kysely leaves out the columns that are undefined. */
const changesOf = (state: UserState) => columnsOf(state) as Updateable<Tables['users']>;

export async function updateUser(work: SystemWriteWork, current: User, state: UserState): Promise<User> {
  const { db } = specialSql(work);
  const changes = { ...changesOf(state), ...changedBy(work, current) };
  const query = db.updateTable('users').set(changes).where('id', '=', current.id).returningAll();
  return userOf(await query.executeTakeFirstOrThrow());
}

/** Known networks of an account: those of the latest sign-ins. */
const KNOWN_NETWORKS = 10;

/** The network, in the form of `clientNetwork`, as an account knows it. */
export async function findNetwork(work: SystemReadWork, id: number, network: string): Promise<SignInNetwork> {
  const { db } = specialSql(work);
  const { rows } = await sql<Row<'sign_in_networks'>>`select * from sign_in_networks
    where user_id = ${id} and network = ${network}`.execute(db);
  const [row] = rows;
  if (row === undefined) return NEW_NETWORK;
  return {
    signedInAt: time.fromColumn(row.signed_in_at),
    failedSignIns: row.failed_sign_ins,
    lockedUntil: time.fromColumn(row.locked_until),
  };
}

/**
 * Stores the state of an account and of a network after an attempt. The user's revision stays the same. Stores
 * nothing if there is no such user, but takes the same time. Deletes networks without a sign-in or a failure for
 * a day, and known ones that are too many.
 */
export async function saveAttempt(
  work: SystemWriteWork,
  userId: number,
  network: string,
  { account: { failedSignIns, failedSince, lockedUntil }, network: state }: Attempted,
): Promise<void> {
  const { db } = specialSql(work);
  await sql`insert into sign_in_networks
      (user_id, network, signed_in_at, failed_sign_ins, locked_until, updated_at)
    select id, ${typed('text', network)}, ${typed('instant', time.toColumn(state.signedInAt))},
      ${typed('integer', state.failedSignIns)}, ${typed('instant', time.toColumn(state.lockedUntil))},
      ${typed('instant', instant.toColumn(work.now))}
    from users where id = ${userId}
    on conflict (user_id, network) do update set signed_in_at = excluded.signed_in_at,
      failed_sign_ins = excluded.failed_sign_ins, locked_until = excluded.locked_until,
      updated_at = excluded.updated_at`.execute(db);
  const dayAgo = instant.toColumn(new Date(work.now.getTime() - DAY));
  await sql`delete from sign_in_networks where user_id = ${userId} and (
    (signed_in_at is null and updated_at < ${dayAgo})
    or (signed_in_at is not null and network not in (
      select network from sign_in_networks where user_id = ${userId} and signed_in_at is not null
      order by signed_in_at desc, network limit ${KNOWN_NETWORKS})))`.execute(db);
  const failures = changesOf({ failedSignIns, failedSince, lockedUntil });
  await db.updateTable('users').set(failures).where('id', '=', userId).execute();
}

/** Lifts the locks of all networks for a user; known ones stay known. Returns whether there was something to lift. */
export async function resetNetworks(work: SystemWriteWork, userId: number): Promise<boolean> {
  const { db } = specialSql(work);
  const { rows } = await sql`update sign_in_networks set failed_sign_ins = 0, locked_until = null
    where user_id = ${userId} and (failed_sign_ins > 0 or locked_until is not null) returning network`.execute(
    db,
  );
  return rows.length > 0;
}

const memberships = new CompanyRows('memberships');
const members = new CompanyRows('members');
const { recordOf } = recordMapping<
  'members',
  Omit<Member, 'isDisabledByOperator'> & { readonly accountDisabledAt: Date | null },
  'last_session_at'
>('members', ['last_session_at']);

function memberOf(row: Row<'members'>): Member {
  const { accountDisabledAt, ...member } = recordOf(row);
  const disabledAt = accountDisabledAt ?? member.disabledAt;
  return { ...member, disabledAt, isDisabledByOperator: accountDisabledAt !== null };
}

const TEXTS = { email: { column: 'email', kind: 'text' }, name: { column: 'name', kind: 'text' } } as const;

const listing = {
  table: 'members',
  rows: 'users',
  id: 'id',
  orders: { ID: 'id', NAME: 'name', CREATED_AT: 'created_at' },
  recordOf: memberOf,
  columns: {
    email: 'email',
    name: 'name',
    timeZone: 'time_zone',
    signInCount: 'sign_in_count',
    lastSignInAt: 'last_sign_in_at',
    lastSignInIp: 'last_sign_in_ip',
    createdAt: 'created_at',
    updatedAt: 'updated_at',
  },
} as const;

export const users = listOf<'members', Member>({
  ...listing,
  name: 'User',
  filters: { id: { column: 'id', kind: 'id', isUnique: true }, ...TEXTS },
});

/** Members as records of the type Member, which can be filtered by role. */
export const memberList = listOf<'members', Member>({
  ...listing,
  name: 'Member',
  filters: { ...TEXTS, role: { column: 'role', kind: 'choice' } },
});

/** Members of the company, ascending by id; all of them, or one page. */
export async function listMembers(work: OfCompany<SystemReadWork>, page?: PageRequest): Promise<Member[]> {
  const rows = await members.select(work, {}, { orderBy: ['id'], ...(page && { page }) });
  return rows.map(memberOf);
}

/** The administrators of a company who are not disabled, the earliest first. */
export async function selectAdministrators(work: SystemReadWork, companyId: number): Promise<Member[]> {
  const active = { role: 'admin', disabled_at: null, account_disabled_at: null };
  const orderBy = ['created_at', 'id'] as const;
  return (await members.select(inCompany(work, companyId), active, { orderBy })).map(memberOf);
}

const ACTIVITY = ['sign_in_count', 'last_sign_in_at', 'last_sign_in_ip', 'last_session_at'] as const;
const { recordOf: membershipOf, columnsOf: columnsOfMembership } = recordMapping<
  'memberships',
  Omit<CompanyMembership, 'companyName'>,
  (typeof ACTIVITY)[number] | 'revision' | 'created_at' | 'updated_at'
>('memberships', [...ACTIVITY, 'revision', 'created_at', 'updated_at']);

export async function findMembership(work: SystemReadWork, of: MembershipKey) {
  const row = await memberships.find(inCompany(work, of.companyId), { user_id: of.userId });
  return row && membershipOf(row);
}

/** Memberships of users, the one that a session was in last first, then the oldest. */
export async function selectMemberships(work: SystemReadWork, userIds: readonly number[]) {
  const { db } = specialSql(work);
  const { rows } = await sql<Row<'memberships'> & { company_name: string }>`
    select m.*, c.name as company_name from memberships as m join companies as c on c.id = m.company_id
    where m.user_id ${inIds(userIds)} 
    order by m.last_session_at desc nulls last, m.created_at, c.name, m.user_id`.execute(db);
  return rows.map((row) => ({ ...membershipOf(row), companyName: row.company_name }));
}

export async function insertMembership(
  work: SystemWriteWork,
  { companyId, ...given }: Membership,
): Promise<void> {
  const now = instant.toColumn(work.now);
  const row = { ...columnsOfMembership(given), revision: 1, created_at: now, updated_at: now };
  await memberships.insert(inCompany(work, companyId), [row as NewRow<'memberships'>]);
}

export type MemberChanges = Optional<Pick<Member, 'role' | 'name' | 'timeZone' | 'disabledAt'>>;

export async function updateMember(work: WriteWork, current: Member, given: MemberChanges): Promise<Member> {
  const changes = { ...columnsOfMembership(withoutUndefined(given)), ...changedBy(work, current) };
  only(await memberships.update(work, { user_id: current.id }, changes));
  return memberOf(only(await members.select(work, { id: current.id })));
}

/** Sets name and time zone where a membership has others; absent fields do not change. Returns whether one had. */
export async function renameInAll(
  work: SystemWriteWork,
  userId: number,
  { name, timeZone }: Pick<MemberChanges, 'name' | 'timeZone'>,
): Promise<boolean> {
  const { db } = specialSql(work);
  const values = withoutUndefined({ name, time_zone: timeZone });
  const changes = { ...values, ...changedTogether(work, 'memberships') };
  const query = db.updateTable('memberships').set(changes).where('user_id', '=', userId);
  const differing = query.where((other) => other.not(other.and(values))).returning('user_id');
  return (await differing.execute()).length > 0;
}

/** Records a sign-in in each company of a user, except where the user is disabled. */
export async function recordSignIn(work: SystemWriteWork, userId: number, ip: string): Promise<void> {
  const { db } = specialSql(work);
  const changes = {
    sign_in_count: sql<number>`sign_in_count + 1`,
    last_sign_in_at: instant.toColumn(work.now),
    last_sign_in_ip: ip,
    ...changedTogether(work, 'memberships'),
  };
  const query = db.updateTable('memberships').set(changes).where('user_id', '=', userId);
  await query.where('disabled_at', 'is', null).execute();
}

export async function deleteMembership(work: SystemWriteWork, of: MembershipKey): Promise<void> {
  await memberships.delete(inCompany(work, of.companyId), { user_id: of.userId });
}
