import { auditOf, changedBy, changedTogether, createdBy } from '../../database/audit.js';
import { listOf } from '../../database/list/list.js';
import { amongIds, flag } from '../../database/storage.js';
import type { Row } from '../../database/tables.js';
import type { ReadWork, WriteWork } from '../../database/work.js';
import type { Audit } from '../../platform/audit.js';
import { offsetOf, type PageRequest } from '../../platform/page.js';
import type { AppVersion } from './app-version.model.js';

export type AppVersionValues = Omit<AppVersion, 'id' | 'appId' | 'uuid' | keyof Audit>;

function appVersionOf(row: Row<'app_versions'>): AppVersion {
  return {
    id: row.id,
    appId: row.app_id,
    number: row.number,
    displayable: flag.fromColumn(row.displayable),
    authorizerUrl: row.authorizer_url,
    posDisplayLabel: row.pos_display_label,
    uuid: row.uuid,
    contentId: row.content_id,
    size: row.size,
    crc: row.crc,
    ...auditOf(row),
  };
}

export const appVersions = listOf<'app_versions', AppVersion>({
  name: 'AppVersion',
  table: 'app_versions',
  id: 'id',
  orders: { ID: 'id', NUMBER: 'number', CREATED_AT: 'created_at', UPDATED_AT: 'updated_at' },
  filters: {
    id: { column: 'id', kind: 'id' },
    appId: { column: 'app_id', kind: 'id' },
    number: { column: 'number', kind: 'text' },
    createdAt: { column: 'created_at', kind: 'instant' },
    updatedAt: { column: 'updated_at', kind: 'instant' },
  },
  recordOf: appVersionOf,
});

export const appVersionsOfApp = appVersions.of({ column: 'app_id' });
export const appVersionsOfFile = appVersions.of({
  link: 'app_version_files',
  parent: 'file_id',
  child: 'app_version_id',
});
export const appVersionsOfGroup = appVersions.of({
  link: 'app_version_groups',
  parent: 'group_id',
  child: 'app_version_id',
});
export const appVersionsOfLogicalNumber = appVersions.of({
  link: 'logical_number_app_versions',
  parent: 'logical_number_id',
  child: 'app_version_id',
});
export const modulesOfAppVersion = appVersions.of({
  link: 'app_version_modules',
  parent: 'app_version_id',
  child: 'module_id',
});

function columnsOf(values: AppVersionValues) {
  return {
    number: values.number,
    displayable: flag.toColumn(values.displayable),
    authorizer_url: values.authorizerUrl,
    pos_display_label: values.posDisplayLabel,
    content_id: values.contentId,
    size: values.size,
    crc: values.crc,
  };
}

const ownVersions = (work: ReadWork) =>
  work.db.selectFrom('app_versions').selectAll().where('company_id', '=', work.caller.companyId);

export async function findAppVersion(
  work: ReadWork,
  appId: number,
  id: number,
): Promise<AppVersion | undefined> {
  const row = await ownVersions(work).where('app_id', '=', appId).where('id', '=', id).executeTakeFirst();
  return row && appVersionOf(row);
}

export async function hasNumber(work: ReadWork, appId: number, number: string): Promise<boolean> {
  const row = await ownVersions(work)
    .where('app_id', '=', appId)
    .where('number', '=', number)
    .executeTakeFirst();
  return row !== undefined;
}

export async function countAppVersions(work: ReadWork, appId: number): Promise<number> {
  const { total } = await work.db
    .selectFrom('app_versions')
    .select((select) => select.fn.countAll<number>().as('total'))
    .where('company_id', '=', work.caller.companyId)
    .where('app_id', '=', appId)
    .executeTakeFirstOrThrow();
  return total;
}

export async function selectAppVersions(
  work: ReadWork,
  appId: number,
  page: PageRequest,
): Promise<AppVersion[]> {
  const rows = await ownVersions(work)
    .where('app_id', '=', appId)
    .orderBy('id')
    .limit(page.perPage)
    .offset(offsetOf(page))
    .execute();
  return rows.map(appVersionOf);
}

export async function selectAllVersionsOf(work: ReadWork, appId: number): Promise<AppVersion[]> {
  const rows = await ownVersions(work).where('app_id', '=', appId).orderBy('id').execute();
  return rows.map(appVersionOf);
}

export async function selectVersionsByIds(work: ReadWork, ids: readonly number[]): Promise<AppVersion[]> {
  const rows = await ownVersions(work).where('id', 'in', amongIds(ids)).orderBy('id').execute();
  return rows.map(appVersionOf);
}

export async function insertAppVersion(
  work: WriteWork,
  appId: number,
  uuid: string,
  values: AppVersionValues,
): Promise<AppVersion> {
  const row = await work.db
    .insertInto('app_versions')
    .values({
      company_id: work.caller.companyId,
      app_id: appId,
      uuid,
      ...columnsOf(values),
      ...createdBy(work),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return appVersionOf(row);
}

export async function updateAppVersionRow(
  work: WriteWork,
  current: AppVersion,
  values: AppVersionValues,
): Promise<AppVersion> {
  const row = await work.db
    .updateTable('app_versions')
    .set({ ...columnsOf(values), ...changedBy(work, current) })
    .where('company_id', '=', work.caller.companyId)
    .where('id', '=', current.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return appVersionOf(row);
}

/** Counts one more change on each; ascending by id. */
export async function touchAppVersions(work: WriteWork, ids: readonly number[]): Promise<AppVersion[]> {
  const rows = await work.db
    .updateTable('app_versions')
    .set(changedTogether(work))
    .where('company_id', '=', work.caller.companyId)
    .where('id', 'in', amongIds(ids))
    .returningAll()
    .execute();
  return rows.map(appVersionOf);
}

/** Their associations go with the rows. */
export async function deleteAppVersionRows(work: WriteWork, ids: readonly number[]): Promise<void> {
  await work.db
    .deleteFrom('app_versions')
    .where('company_id', '=', work.caller.companyId)
    .where('id', 'in', amongIds(ids))
    .execute();
}
