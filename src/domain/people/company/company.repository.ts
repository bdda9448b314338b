import { sql } from 'kysely';

import { randomId } from '../../../database/counters.js';
import { listOf } from '../../../database/list/list.js';
import { instant } from '../../../database/storage.js';
import { specialSql, type SystemReadWork, type SystemWriteWork } from '../../../database/work.js';
import type { Row } from '../../../schema/schema.js';
import type { Company, CompanySummary } from './company.model.js';

const COLUMNS = ['id', 'name', 'time_zone as timeZone'] as const;

export async function findCompanyByName(work: SystemReadWork, name: string): Promise<Company | undefined> {
  const { db } = specialSql(work);
  return await db.selectFrom('companies').select(COLUMNS).where('name', '=', name).executeTakeFirst();
}

export async function insertCompany(
  work: SystemWriteWork,
  { name, timeZone }: Omit<Company, 'id'>,
): Promise<Company> {
  const now = instant.toColumn(work.now);
  const { db } = specialSql(work);
  const id = await randomId(db, 'companies');
  return await db
    .insertInto('companies')
    .values({ id, name, time_zone: timeZone, created_at: now, updated_at: now })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}

export async function updateCompany(
  work: SystemWriteWork,
  { id, name, timeZone }: Company,
): Promise<Company> {
  const { db } = specialSql(work);
  return await db
    .updateTable('companies')
    .set({ name, time_zone: timeZone, updated_at: instant.toColumn(work.now) })
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}

/** All companies of the server, ordered by name, for its operator. */
export async function listCompanies(work: SystemReadWork): Promise<CompanySummary[]> {
  const { db } = specialSql(work);
  const { rows } = await sql<Row<'companies'> & { total: number | null }>`select c.*, n.total
    from companies as c left join counters as n on n.company_id = c.id and n.name = 'users'
    order by c.name`.execute(db);
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    timeZone: row.time_zone,
    createdAt: instant.fromColumn(row.created_at),
    members: row.total ?? 0,
  }));
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
