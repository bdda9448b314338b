import { auditOf, changedBy, createdBy } from '../../database/audit.js';
import { listOf } from '../../database/list/list.js';
import { amongTexts } from '../../database/storage.js';
import type { Row } from '../../database/tables.js';
import type { ReadWork, WriteWork } from '../../database/work.js';
import { offsetOf, type PageRequest } from '../../platform/page.js';
import type { App, CommunicationFormat, Kind, Language } from './app.model.js';

export type AppValues = Pick<App, 'name' | 'description' | 'communicationFormat' | 'kind' | 'language'>;

function appOf(row: Row<'apps'>): App {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    communicationFormat: row.communication_format as CommunicationFormat,
    kind: row.kind as Kind,
    language: row.language as Language,
    ...auditOf(row),
  };
}

export const apps = listOf<'apps', App>({
  name: 'App',
  table: 'apps',
  id: 'id',
  orders: { ID: 'id', NAME: 'name', CREATED_AT: 'created_at', UPDATED_AT: 'updated_at' },
  filters: {
    id: { column: 'id', kind: 'id' },
    name: { column: 'name', kind: 'text' },
    kind: { column: 'kind', kind: 'choice' },
    communicationFormat: { column: 'communication_format', kind: 'choice' },
    language: { column: 'language', kind: 'choice' },
    createdAt: { column: 'created_at', kind: 'instant' },
    updatedAt: { column: 'updated_at', kind: 'instant' },
  },
  recordOf: appOf,
});

function columnsOf(values: AppValues) {
  return {
    name: values.name,
    description: values.description,
    communication_format: values.communicationFormat,
    kind: values.kind,
    language: values.language,
  };
}

const ownApps = (work: ReadWork) =>
  work.db.selectFrom('apps').selectAll().where('company_id', '=', work.caller.companyId);

export async function findApp(work: ReadWork, id: number): Promise<App | undefined> {
  const row = await ownApps(work).where('id', '=', id).executeTakeFirst();
  return row && appOf(row);
}

export async function findAppByName(work: ReadWork, name: string): Promise<App | undefined> {
  const row = await ownApps(work).where('name', '=', name).executeTakeFirst();
  return row && appOf(row);
}

export async function selectAppsByNames(work: ReadWork, names: readonly string[]): Promise<App[]> {
  const rows = await ownApps(work).where('name', 'in', amongTexts(names)).execute();
  return rows.map(appOf);
}

export async function selectApps(work: ReadWork, page: PageRequest): Promise<App[]> {
  const rows = await ownApps(work).orderBy('id').limit(page.perPage).offset(offsetOf(page)).execute();
  return rows.map(appOf);
}

export async function insertApp(work: WriteWork, values: AppValues): Promise<App> {
  const row = await work.db
    .insertInto('apps')
    .values({ company_id: work.caller.companyId, ...columnsOf(values), ...createdBy(work) })
    .returningAll()
    .executeTakeFirstOrThrow();
  return appOf(row);
}

export async function updateAppRow(work: WriteWork, current: App, values: AppValues): Promise<App> {
  const row = await work.db
    .updateTable('apps')
    .set({ ...columnsOf(values), ...changedBy(work, current) })
    .where('company_id', '=', work.caller.companyId)
    .where('id', '=', current.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return appOf(row);
}

export async function deleteAppRow(work: WriteWork, id: number): Promise<void> {
  await work.db
    .deleteFrom('apps')
    .where('company_id', '=', work.caller.companyId)
    .where('id', '=', id)
    .execute();
}

/** Whether versions of the application are modules of other versions. */
export async function isModuleInUse(work: ReadWork, id: number): Promise<boolean> {
  const row = await work.db
    .selectFrom('app_version_modules')
    .innerJoin('app_versions', (join) =>
      join
        .onRef('app_versions.company_id', '=', 'app_version_modules.company_id')
        .onRef('app_versions.id', '=', 'app_version_modules.module_id'),
    )
    .select('app_version_modules.module_id')
    .where('app_version_modules.company_id', '=', work.caller.companyId)
    .where('app_versions.app_id', '=', id)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
