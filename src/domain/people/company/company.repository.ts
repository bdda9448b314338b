import { specialSql } from '../../../database/company/special-sql.js';
import { listOf } from '../../../database/list/list.js';
import { instant } from '../../../database/storage.js';
import type { SystemReadWork, SystemWriteWork } from '../../../database/work.js';
import { randomId } from '../../../platform/keys/random-id.js';
import type { Company, CompanySummary } from './company.model.js';

const COLUMNS = ['id', 'name', 'time_zone as timeZone'] as const;

export async function findCompanyByName(work: SystemReadWork, name: string): Promise<Company | undefined> {
  const { db } = specialSql(work);
  return await db.selectFrom('companies').select(COLUMNS).where('name', '=', name).executeTakeFirst();
}

async function isTaken(work: SystemReadWork, id: number): Promise<boolean> {
  const { db } = specialSql(work);
  return (await db.selectFrom('companies').select('id').where('id', '=', id).execute()).length > 0;
}

export async function insertCompany(
  work: SystemWriteWork,
  { name, timeZone }: Omit<Company, 'id'>,
): Promise<Company> {
  const now = instant.toColumn(work.now);
  const { db } = specialSql(work);
  return await db
    .insertInto('companies')
    .values({
      id: await randomId((id) => isTaken(work, id)),
      ...{ name, time_zone: timeZone, created_at: now, updated_at: now },
    })
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

/** Ordered by name. */
export async function selectCompanies(work: SystemReadWork): Promise<CompanySummary[]> {
  const { db } = specialSql(work);
  const rows = await db
    .selectFrom('companies')
    .leftJoin('counters', (join) =>
      join.onRef('counters.company_id', '=', 'companies.id').on('counters.name', '=', 'users'),
    )
    .select([
      'companies.id',
      'companies.name',
      'companies.time_zone',
      'companies.created_at',
      'counters.total',
    ])
    .orderBy('companies.name')
    .execute();
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
