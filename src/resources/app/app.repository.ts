import { auditOf } from '../../database/audit.js';
import { CompanyTable } from '../../database/company-table.js';
import { auditedList } from '../../database/list/audited-list.js';
import { specialSql } from '../../database/special-sql.js';
import type { ReadWork } from '../../database/work.js';
import type { App, CommunicationFormat, Kind, Language } from './app.model.js';

export const appTable = new CompanyTable<'apps', App>({
  table: 'apps',
  recordOf: (row) => ({
    id: row.id,
    name: row.name,
    description: row.description,
    communicationFormat: row.communication_format as CommunicationFormat,
    kind: row.kind as Kind,
    language: row.language as Language,
    ...auditOf(row),
  }),
  columnsOf: (app) => ({
    name: app.name,
    description: app.description,
    communication_format: app.communicationFormat,
    kind: app.kind,
    language: app.language,
  }),
});

export const apps = auditedList(appTable, {
  name: 'App',
  orders: { NAME: 'name' },
  filters: {
    name: { column: 'name', kind: 'text' },
    kind: { column: 'kind', kind: 'choice' },
    communicationFormat: { column: 'communication_format', kind: 'choice' },
    language: { column: 'language', kind: 'choice' },
  },
});

/** Whether versions of the application are modules of other versions. */
export async function isModuleInUse(work: ReadWork, id: number): Promise<boolean> {
  const { db, companyId } = specialSql(work);
  const row = await db
    .selectFrom('app_version_modules')
    .innerJoin('app_versions', (join) =>
      join
        .onRef('app_versions.company_id', '=', 'app_version_modules.company_id')
        .onRef('app_versions.id', '=', 'app_version_modules.module_id'),
    )
    .select('app_version_modules.module_id')
    .where('app_version_modules.company_id', '=', companyId)
    .where('app_versions.app_id', '=', id)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
