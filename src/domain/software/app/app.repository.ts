import { sql } from 'kysely';

import { CompanyRows, specialSql } from '../../../database/company/company-rows.js';
import { CompanyTable } from '../../../database/company/company-table.js';
import { auditedList } from '../../../database/list/list.js';
import { crossJoin, idTable, inIds, instant, typed } from '../../../database/storage.js';
import type { ReadWork, SystemReadWork, SystemWriteWork, WriteWork } from '../../../database/work.js';
import type { App, AppVersion, Associations } from './app.model.js';

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

export const appVersionTable = new CompanyTable<'app_versions', AppVersion>('app_versions');

export const appVersions = auditedList(appVersionTable, {
  name: 'AppVersion',
  orders: { NUMBER: 'number' },
  filters: {
    appId: { column: 'app_id', kind: 'id', order: 'ID' },
    number: { column: 'number', kind: 'text', order: 'ID' },
  },
});

export const appVersionsOfApp = appVersions.of({ column: 'app_id' });
export const appVersionsOfFile = appVersions.of({ link: 'app_version_files', parent: 'file_id' });
export const appVersionsOfGroup = appVersions.of({ link: 'app_version_groups', parent: 'group_id' });
export const defaultVersionsOfGroup = appVersions.of({ link: 'group_default_versions', parent: 'group_id' });
export const appVersionsOfLogicalNumber = appVersions.of({
  link: 'logical_number_app_versions',
  parent: 'logical_number_id',
});
export const modulesOfAppVersion = appVersions.of({ link: 'app_version_modules', parent: 'app_version_id' });

export type Association = keyof Associations;
export const ASSOCIATIONS = ['groupIds', 'moduleIds', 'fileIds'] as const satisfies readonly Association[];

const TABLES = {
  groupIds: { table: 'app_version_groups', column: 'group_id' },
  moduleIds: { table: 'app_version_modules', column: 'module_id' },
  fileIds: { table: 'app_version_files', column: 'file_id' },
} as const;

/** Adds their associations to app versions; three statements. */
export async function withAssociations(work: ReadWork, versions: readonly AppVersion[]) {
  const versionIds = versions.map(({ id }) => id);
  const linksOf = async (association: Association): Promise<(id: number) => readonly number[]> => {
    const links = await selectLinks(work, association, 'app_version_id', versionIds);
    const byVersion = Map.groupBy(links, ({ versionId }) => versionId);
    return (id) => byVersion.get(id)?.map(({ otherId }) => otherId) ?? [];
  };
  const groupIds = await linksOf('groupIds');
  const moduleIds = await linksOf('moduleIds');
  const fileIds = await linksOf('fileIds');
  return versions.map((version) => {
    const { id } = version;
    return { ...version, groupIds: groupIds(id), moduleIds: moduleIds(id), fileIds: fileIds(id) };
  });
}

/** Ids of versions that are associated with one of the given records. */
export async function selectAssociatedWith(work: ReadWork, association: Association, ids: readonly number[]) {
  const links = await selectLinks(work, association, TABLES[association].column, ids);
  return [...new Set(links.map(({ versionId }) => versionId))];
}

/** Associations whose column `by` has one of the ids, in the order of their versions. */
async function selectLinks(work: ReadWork, association: Association, by: string, ids: readonly number[]) {
  const { db, companyId } = specialSql(work);
  const { table, column } = TABLES[association];
  const { rows } = await sql<{ versionId: number; otherId: number }>`
    select app_version_id as "versionId", ${sql.ref(column)} as "otherId" from ${sql.table(table)}
    where company_id = ${companyId} and ${sql.ref(by)} ${inIds(ids)}
    order by app_version_id, ${sql.ref(column)}`.execute(db);
  return rows;
}

export async function deleteAssociations(
  work: WriteWork,
  association: Association,
  versionIds: readonly number[],
  ids: readonly number[],
): Promise<void> {
  const { db, companyId } = specialSql(work);
  const { table, column } = TABLES[association];
  await sql`delete from ${sql.table(table)} where company_id = ${companyId}
    and app_version_id ${inIds(versionIds)} and ${sql.ref(column)} ${inIds(ids)}`.execute(db);
}

/** Associates versions with those ids that the company has, of the right kind. Returns the number of associations. */
export async function insertAssociations(
  work: WriteWork,
  association: Association,
  versionIds: readonly number[],
  ids: readonly number[],
): Promise<number> {
  const { db, companyId } = specialSql(work);
  const { table, column } = TABLES[association];
  const result = await sql`insert into ${sql.table(table)} (company_id, app_version_id, ${sql.ref(column)})
    select t.company_id, p.value, t.id from ${idTable(versionIds)} cross join ${associable(association)} as t
    where t.company_id = ${companyId} and t.id ${inIds(ids)}`.execute(db);
  return Number(result.numAffectedRows ?? 0);
}

function associable(association: Association) {
  switch (association) {
    case 'groupIds':
      return sql.table('groups');
    case 'fileIds':
      return sql.table('files');
    case 'moduleIds':
      return sql`(select v.company_id, v.id from app_versions v
        join apps a on a.company_id = v.company_id and a.id = v.app_id
        where a.kind = 'module')`;
  }
}

export async function isModuleInUse(work: ReadWork, id: number): Promise<boolean> {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql`select 1 from app_version_modules as m
    join app_versions as v on v.company_id = m.company_id and v.id = m.module_id
    where m.company_id = ${companyId} and v.app_id = ${id} limit 1`.execute(db);
  return rows.length > 0;
}

export const versionTotals = new CompanyRows('app_version_totals');

/** Number of terminals of which it is known that they have a version, or could not install it, or a little more. */
export async function countKnownTerminals(work: ReadWork, versionId: number): Promise<number> {
  const found = await versionTotals.find(work, { app_version_id: versionId });
  if (found === undefined) return 0;
  const { downloaded, installed, proven, failed, fetched } = found;
  return downloaded + installed + proven + failed + fetched;
}

/** Forgets what is known of a version on terminals: those that are to have it begin anew, others have it no more. */
export async function resetTerminals(work: WriteWork, versionId: number): Promise<void> {
  const { db, companyId } = specialSql(work);
  const isGranted = sql`exists (select 1 from devices as d
    ${crossJoin} logical_number_app_versions as l on l.company_id = d.company_id
      and l.logical_number_id = d.logical_number_id
    where d.company_id = ${companyId} and d.id = terminal_versions.device_id and l.app_version_id = ${versionId})`;
  await sql`delete from terminal_versions
    where company_id = ${companyId} and app_version_id = ${versionId} and not ${isGranted}`.execute(db);
  await sql`update terminal_versions set state = 'granted', reason = null, detail = null, attempts = 0,
      since = ${typed('instant', instant.toColumn(work.now))}
    where company_id = ${companyId} and app_version_id = ${versionId}
      and (state <> 'granted' or attempts > 0)`.execute(db);
}

/** Copies one chunk to another content; false if there is none. */
export async function copyChunk(work: WriteWork, from: number, to: number, sequence: number) {
  const { db, companyId } = specialSql(work);
  const { numAffectedRows } = await sql`insert into content_chunks (company_id, content_id, sequence, bytes)
    select company_id, ${typed('integer', to)}, sequence, bytes from content_chunks
    where company_id = ${companyId} and content_id = ${from} and sequence = ${sequence}`.execute(db);
  return Number(numAffectedRows ?? 0) === 1;
}

/** The content that was released first, before `before`, unless a stored idempotent response shows it. */
export async function findReleased(work: SystemReadWork, before: Date) {
  const { db } = specialSql(work);
  const { rows } = await sql<{ id: number; companyId: number }>`
    select c.id, c.company_id as "companyId" from contents as c where c.released_at < ${instant.toColumn(before)}
      and not exists (select 1 from idempotency_keys as k
        where k.company_id = c.company_id and k.content_id = c.id)
    order by c.released_at limit 1`.execute(db);
  return rows[0];
}

/** Deletes the last `limit` chunks of a released content, then the content. Returns whether chunks may be left. */
export async function deletePart(work: SystemWriteWork, companyId: number, id: number, limit: number) {
  const { db } = specialSql(work);
  const { numAffectedRows } = await sql`delete from content_chunks
    where company_id = ${companyId} and content_id = ${id}
      and sequence in (select sequence from content_chunks
        where company_id = ${companyId} and content_id = ${id} order by sequence desc limit ${limit})
      and exists (select 1 from contents
        where company_id = ${companyId} and id = ${id} and released_at is not null)`.execute(db);
  if (Number(numAffectedRows ?? 0) === limit) return true;
  await sql`delete from contents
    where company_id = ${companyId} and id = ${id} and released_at is not null`.execute(db);
  return false;
}
