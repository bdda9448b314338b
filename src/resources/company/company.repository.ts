import { listOf } from '../../database/list/list.js';
import { specialSql } from '../../database/special-sql.js';
import { instant } from '../../database/storage.js';
import type { SystemReadWork, SystemWriteWork } from '../../database/work.js';
import type { Company } from './company.model.js';

export async function findCompanyByName(work: SystemReadWork, name: string): Promise<Company | undefined> {
  const { db } = specialSql(work);
  return await db.selectFrom('companies').select(['id', 'name']).where('name', '=', name).executeTakeFirst();
}

export async function findCompanies(work: SystemReadWork): Promise<Company[]> {
  const { db } = specialSql(work);
  return await db.selectFrom('companies').select(['id', 'name']).orderBy('id').execute();
}

export async function insertCompany(work: SystemWriteWork, name: string): Promise<Company> {
  const now = instant.toColumn(work.now);
  const { db } = specialSql(work);
  return await db
    .insertInto('companies')
    .values({ name, created_at: now, updated_at: now })
    .returning(['id', 'name'])
    .executeTakeFirstOrThrow();
}

/** Has only the caller's company. */
export const companies = listOf<'companies', Company>({
  name: 'Company',
  table: 'companies',
  id: 'id',
  orders: { ID: 'id' },
  filters: {},
  recordOf: ({ id, name }) => ({ id, name }),
  company: { column: 'id' },
});
