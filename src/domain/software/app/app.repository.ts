import { sql } from 'kysely';

import { CompanyTable } from '../../../database/company/company-table.js';
import { specialSql } from '../../../database/company/special-sql.js';
import { auditedList } from '../../../database/list/list.js';
import type { ReadWork } from '../../../database/work.js';
import type { App } from './app.model.js';

export const appTable = new CompanyTable<'apps', App>('apps');

export const apps = auditedList(appTable, {
  name: 'App',
  orders: { NAME: 'name' },
  filters: {
    name: { column: 'name', kind: 'text', isUnique: true },
    kind: { column: 'kind', kind: 'choice', order: 'ID' },
    communicationFormat: { column: 'communication_format', kind: 'choice', order: 'ID' },
    language: { column: 'language', kind: 'choice', order: 'ID' },
  },
});

/** Whether versions of the application are modules of other versions. */
export async function isModuleInUse(work: ReadWork, id: number): Promise<boolean> {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql`select 1 from app_version_modules as m
    join app_versions as v on v.company_id = m.company_id and v.id = m.module_id
    where m.company_id = ${companyId} and v.app_id = ${id} limit 1`.execute(db);
  return rows.length > 0;
}
