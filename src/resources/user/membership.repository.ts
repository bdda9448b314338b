import { specialSql } from '../../database/special-sql.js';
import { amongIds, instant } from '../../database/storage.js';
import type { SystemReadWork, SystemWriteWork } from '../../database/work.js';
import type { Role } from '../../platform/caller.js';
import type { CompanyMembership, Membership } from './user.model.js';

export async function findMembership(
  work: SystemReadWork,
  companyId: number,
  userId: number,
): Promise<Membership | undefined> {
  const { db } = specialSql(work);
  const row = await db
    .selectFrom('memberships')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row && { companyId: row.company_id, userId: row.user_id, role: row.role as Role };
}

/** Ordered by company. */
export async function selectMemberships(
  work: SystemReadWork,
  userIds: readonly number[],
): Promise<CompanyMembership[]> {
  const { db } = specialSql(work);
  const rows = await db
    .selectFrom('memberships')
    .innerJoin('companies', 'companies.id', 'memberships.company_id')
    .selectAll('memberships')
    .select('companies.name as company_name')
    .where('memberships.user_id', 'in', amongIds(userIds))
    .orderBy('memberships.company_id')
    .orderBy('memberships.user_id')
    .execute();
  return rows.map((row) => ({
    companyId: row.company_id,
    companyName: row.company_name,
    userId: row.user_id,
    role: row.role as Role,
  }));
}

export async function insertMembership(work: SystemWriteWork, values: Membership): Promise<void> {
  const { db } = specialSql(work);
  await db
    .insertInto('memberships')
    .values({
      company_id: values.companyId,
      user_id: values.userId,
      role: values.role,
      created_at: instant.toColumn(work.now),
    })
    .execute();
}

export async function deleteMembership(work: SystemWriteWork, of: Membership): Promise<void> {
  const { db } = specialSql(work);
  await db
    .deleteFrom('memberships')
    .where('company_id', '=', of.companyId)
    .where('user_id', '=', of.userId)
    .execute();
}
