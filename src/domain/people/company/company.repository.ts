import { sql } from 'kysely';

import { specialSql } from '../../../database/company/company-rows.js';
import { randomId } from '../../../database/counters.js';
import { listOf } from '../../../database/list/list.js';
import { instant } from '../../../database/storage.js';
import type { SystemReadWork, SystemWriteWork } from '../../../database/work.js';
import { normalized } from '../../../platform/validate.js';
import type { Company, CompanySummary } from './company.model.js';

export async function findCompany(work: SystemReadWork, name: string): Promise<Company | undefined> {
  const { db } = specialSql(work);
  const query = db.selectFrom('companies').select(['id', 'name', 'time_zone as timeZone']);
  return await query.where('name', '=', normalized(name)).executeTakeFirst();
}

export async function insertCompany(work: SystemWriteWork, given: Omit<Company, 'id'>): Promise<Company> {
  const { db } = specialSql(work);
  const id = await randomId(db, 'companies');
  const { name, timeZone } = given;
  const now = instant.toColumn(work.now);
  const row = { id, name, time_zone: timeZone, created_at: now, updated_at: now };
  await db.insertInto('companies').values(row).execute();
  return { id, ...given };
}

export async function updateCompany(work: SystemWriteWork, { id, name, timeZone }: Company): Promise<void> {
  const { db } = specialSql(work);
  const changes = { name, time_zone: timeZone, updated_at: instant.toColumn(work.now) };
  await db.updateTable('companies').set(changes).where('id', '=', id).execute();
}

/** All companies of the server, ordered by name, for its operator. */
export async function listCompanies(work: SystemReadWork): Promise<CompanySummary[]> {
  const { db } = specialSql(work);
  const { rows } = await sql<Omit<CompanySummary, 'createdAt'> & { at: number }>`
    select c.id, c.name, c.time_zone as "timeZone", c.created_at as at, coalesce(n.total, 0) as members
    from companies as c left join counters as n on n.company_id = c.id and n.name = 'users'
    order by c.name`.execute(db);
  return rows.map(({ at, ...company }) => ({ ...company, createdAt: instant.fromColumn(at) }));
}

/** Has only the caller's company. */
export const companies = listOf<'companies', Company>({
  name: 'Company',
  table: 'companies',
  id: 'id',
  orders: { ID: 'id' },
  filters: {},
  recordOf: ({ id, name, time_zone: timeZone }) => ({ id, name, timeZone }),
  company: 'id',
  rows: 1,
});
