import { sql } from 'kysely';

import { inIds } from '../../../database/bound-lists.js';
import { CompanyRows, inCompany, type OfCompany, only } from '../../../database/company/company-rows.js';
import { changedBy, changedTogether, recordMapping } from '../../../database/company/company-table.js';
import { listOf } from '../../../database/list/list.js';
import { instant, nullable } from '../../../database/storage.js';
import {
  specialSql,
  type SystemReadWork,
  type SystemWriteWork,
  type WriteWork,
} from '../../../database/work.js';
import type { Role } from '../../../platform/caller.js';
import type { PageRequest } from '../../../platform/requests.js';
import type { Row } from '../../../schema/schema.js';
import type { CompanyMembership, Member, Membership } from './user.model.js';

const time = nullable(instant);
const memberships = new CompanyRows('memberships');
const members = new CompanyRows('members');

const { recordOf } = recordMapping<
  'members',
  Omit<Member, 'isDisabledByOperator'> & { readonly accountDisabledAt: Date | null }
>('members');

function memberOf(row: Row<'members'>): Member {
  const { accountDisabledAt, ...member } = recordOf(row);
  const disabledAt = accountDisabledAt ?? member.disabledAt;
  return { ...member, disabledAt, isDisabledByOperator: accountDisabledAt !== null };
}

const listing = {
  table: 'members',
  rows: 'users',
  id: 'id',
  orders: { ID: 'id', CREATED_AT: 'created_at' },
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
  filters: { id: { column: 'id', kind: 'id', isUnique: true }, email: { column: 'email', kind: 'text' } },
});

/** Members as records of the type Member, which can be filtered by role. */
export const memberList = listOf<'members', Member>({
  ...listing,
  name: 'Member',
  filters: { email: { column: 'email', kind: 'text' }, role: { column: 'role', kind: 'choice' } },
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

export async function findMembership(
  work: SystemReadWork,
  companyId: number,
  userId: number,
): Promise<Membership | undefined> {
  const row = await memberships.find(inCompany(work, companyId), { user_id: userId });
  return row && { companyId, userId, role: row.role as Role, name: row.name, timeZone: row.time_zone };
}

/** Memberships of users, ordered by the name of the company. */
export async function selectMemberships(
  work: SystemReadWork,
  userIds: readonly number[],
): Promise<CompanyMembership[]> {
  const { db } = specialSql(work);
  const { rows } = await sql<Row<'memberships'> & { company_name: string }>`
    select m.*, c.name as company_name from memberships as m join companies as c on c.id = m.company_id
    where m.user_id ${inIds(userIds)} order by c.name, m.user_id`.execute(db);
  return rows.map((row) => ({
    companyId: row.company_id,
    companyName: row.company_name,
    userId: row.user_id,
    role: row.role as Role,
    name: row.name,
    timeZone: row.time_zone,
    disabledAt: time.fromColumn(row.disabled_at),
  }));
}

export async function insertMembership(work: SystemWriteWork, membership: Membership): Promise<void> {
  const { companyId, userId, role, name, timeZone } = membership;
  const now = instant.toColumn(work.now);
  const times = { revision: 1, created_at: now, updated_at: now };
  const row = { user_id: userId, role, name, time_zone: timeZone, ...times };
  await memberships.insert(inCompany(work, companyId), [row]);
}

/** New values; undefined fields do not change. */
export type MemberChanges = {
  readonly [K in 'role' | 'name' | 'timeZone' | 'disabledAt']?: Member[K] | undefined;
};

export async function updateMember(
  work: WriteWork,
  current: Member,
  { role, name, timeZone, disabledAt }: MemberChanges,
): Promise<Member> {
  const changes = {
    ...(role !== undefined && { role }),
    ...(name !== undefined && { name }),
    ...(timeZone !== undefined && { time_zone: timeZone }),
    ...(disabledAt !== undefined && { disabled_at: time.toColumn(disabledAt) }),
    ...changedBy(work, current),
  };
  only(await memberships.update(work, { user_id: current.id }, changes));
  return memberOf(only(await members.select(work, { id: current.id })));
}

/** Sets name and time zone in all companies of a user; absent fields do not change. */
export async function renameInAll(
  work: SystemWriteWork,
  userId: number,
  { name, timeZone }: Pick<MemberChanges, 'name' | 'timeZone'>,
): Promise<void> {
  const { db } = specialSql(work);
  await db
    .updateTable('memberships')
    .set({ name, time_zone: timeZone, ...changedTogether(work, 'memberships') })
    .where('user_id', '=', userId)
    .execute();
}

/** Records a sign-in in each company of a user, except where the user is disabled. */
export async function recordSignIn(work: SystemWriteWork, userId: number, ip: string): Promise<void> {
  const { db } = specialSql(work);
  await db
    .updateTable('memberships')
    .set({
      sign_in_count: sql`sign_in_count + 1`,
      last_sign_in_at: instant.toColumn(work.now),
      last_sign_in_ip: ip,
      ...changedTogether(work, 'memberships'),
    })
    .where('user_id', '=', userId)
    .where('disabled_at', 'is', null)
    .execute();
}

export async function deleteMembership(
  work: SystemWriteWork,
  of: Pick<Membership, 'companyId' | 'userId'>,
): Promise<void> {
  await memberships.delete(inCompany(work, of.companyId), { user_id: of.userId });
}
