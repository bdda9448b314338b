import { CompanyRows, inCompany } from '../../database/company/company-rows.js';
import { specialSql } from '../../database/special-sql.js';
import { amongIds, instant } from '../../database/storage.js';
import type { SystemReadWork, SystemWriteWork } from '../../database/work.js';
import type { Role } from '../../platform/caller.js';
import type { CompanyMembership, Membership } from './user.model.js';

const rows = new CompanyRows('memberships');

export async function findMembership(
  work: SystemReadWork,
  companyId: number,
  userId: number,
): Promise<Membership | undefined> {
  const row = await rows.find(inCompany(work, companyId), { user_id: userId });
  return row && { companyId: row.company_id, userId: row.user_id, role: row.role as Role };
}

/** Ordered by company. */
export async function selectMemberships(
  work: SystemReadWork,
  userIds: readonly number[],
): Promise<CompanyMembership[]> {
  const { db } = specialSql(work);
  const found = await db
    .selectFrom('memberships')
    .innerJoin('companies', 'companies.id', 'memberships.company_id')
    .selectAll('memberships')
    .select('companies.name as company_name')
    .where('memberships.user_id', 'in', amongIds(userIds))
    .orderBy('memberships.company_id')
    .orderBy('memberships.user_id')
    .execute();
  return found.map((row) => ({
    companyId: row.company_id,
    companyName: row.company_name,
    userId: row.user_id,
    role: row.role as Role,
  }));
}

export async function insertMembership(work: SystemWriteWork, membership: Membership): Promise<void> {
  const { companyId, userId, role } = membership;
  const row = { user_id: userId, role, created_at: instant.toColumn(work.now) };
  await rows.insert(inCompany(work, companyId), [row]);
}

export async function deleteMembership(work: SystemWriteWork, of: Membership): Promise<void> {
  await rows.delete(inCompany(work, of.companyId), { user_id: of.userId });
}
