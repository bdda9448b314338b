import { type RawBuilder, sql } from 'kysely';

import { CompanyRows, type NewRow, specialSql } from '../../../database/company/company-rows.js';
import { recordMapping } from '../../../database/company/company-table.js';
import { countUpTo, type EntryCount } from '../../../database/list/request-class.js';
import { idTable, inIds, crossJoin, flag } from '../../../database/storage.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';
import type { RecordOf } from '../../../schema/schema.js';
import type { Reach, StoredFile, StoredVersion } from './manifest.model.js';

/**
 * Columns of a version `v`, its app `a` and its content `c`, and the joins for them. The statements start at
 * the links: otherwise, SQLite would read all app versions of the company.
 */
const VERSION = sql`v.id, a.name as "appName", a.language, v.number, v.displayable,
  v.pos_display_label as "posDisplayLabel", v.size, v.crc, v.content_id as "contentId", c.sha256`;
const JOINED = sql`${crossJoin} apps as a on a.company_id = v.company_id and a.id = v.app_id
  left join contents as c on c.company_id = v.company_id and c.id = v.content_id`;

/** Count the rows of the manifests of devices: app versions, and parameters of numbers and groups. */
export const manifestEntries: readonly EntryCount[] = [
  (work, max, ids) => ofNumbers(work, max, ids, sql`parameters`),
  (work, max, ids) => ofNumbers(work, max, ids, sql`logical_number_app_versions`),
  (work, max, ids) =>
    countUpTo(
      max,
      sql`from ${idTable(ids)} cross join devices as d cross join logical_numbers as n cross join parameters as t
        where d.company_id = ${specialSql(work).companyId} and d.id = p.value
          and n.company_id = d.company_id and n.id = d.logical_number_id
          and t.company_id = n.company_id and t.group_id = n.group_id`,
    ),
];

function ofNumbers(work: ReadWork, max: number, deviceIds: readonly number[], table: RawBuilder<unknown>) {
  return countUpTo(
    max,
    sql`from ${idTable(deviceIds)} cross join devices as d cross join ${table} as t
      where d.company_id = ${specialSql(work).companyId} and d.id = p.value
        and t.company_id = d.company_id and t.logical_number_id = d.logical_number_id`,
  );
}

/** A version or file, and the logical number or version that has it. */
type Held<Stored> = Stored & { readonly holder: number };

/** Software of these logical numbers. Three statements. Reads at most `limit` rows of each kind. */
export async function selectSoftware(work: ReadWork, numberIds: readonly number[], limit: number) {
  const { db, companyId } = specialSql(work);
  const granted = await sql<Held<StoredVersion>>`select l.logical_number_id as holder, ${VERSION}
    from logical_number_app_versions as l
    ${crossJoin} app_versions as v on v.company_id = l.company_id and v.id = l.app_version_id ${JOINED}
    where l.company_id = ${companyId} and l.logical_number_id ${inIds(numberIds)}
    limit ${limit}`.execute(db);
  const versionIds = [...new Set(granted.rows.map(({ id }) => id))];
  // Modules of modules may form cycles.
  const modules = await sql<Held<StoredVersion>>`with recursive reached (holder, id) as (
      select m.app_version_id, m.module_id from app_version_modules as m
      where m.company_id = ${companyId} and m.app_version_id ${inIds(versionIds)}
      union
      select r.holder, m.module_id from reached as r
      ${crossJoin} app_version_modules as m on m.company_id = ${companyId} and m.app_version_id = r.id)
    select r.holder, ${VERSION} from reached as r
    ${crossJoin} app_versions as v on v.company_id = ${companyId} and v.id = r.id ${JOINED}
    limit ${limit}`.execute(db);
  const ids = [...new Set([...versionIds, ...modules.rows.map(({ id }) => id)])];
  const files = await sql<Held<StoredFile>>`select x.app_version_id as holder,
      f.id, f.name, f.size, f.crc, f.content_id as "contentId", c.sha256
    from app_version_files as x
    ${crossJoin} files as f on f.company_id = x.company_id and f.id = x.file_id
    ${crossJoin} contents as c on c.company_id = f.company_id and c.id = f.content_id
    where x.company_id = ${companyId} and x.app_version_id ${inIds(ids)}
    limit ${limit}`.execute(db);
  const withFlag = (row: Held<StoredVersion>) => ({ ...row, displayable: flag.fromColumn(row.displayable) });
  return {
    versions: Map.groupBy(granted.rows.map(withFlag), ({ holder }) => holder),
    modules: Map.groupBy(modules.rows.map(withFlag), ({ holder }) => holder),
    files: Map.groupBy(files.rows, ({ holder }) => holder),
  };
}

const held = new CompanyRows('terminal_versions');

/** A version of which a terminal has, or had, the bytes. */
export type HeldVersion = RecordOf<'terminal_versions', object, 'company_id' | 'device_id'>;

const mapping = recordMapping<'terminal_versions', HeldVersion, 'company_id' | 'device_id'>(
  'terminal_versions',
  ['company_id', 'device_id'],
);

export async function selectHeld(work: ReadWork, deviceId: number): Promise<readonly HeldVersion[]> {
  return (await held.select(work, { device_id: deviceId })).map(mapping.recordOf);
}

export async function upsertHeld(work: WriteWork, deviceId: number, version: HeldVersion): Promise<void> {
  const { app_version_id, ...changes } = mapping.columnsOf(version) as Omit<
    NewRow<'terminal_versions'>,
    'device_id'
  >;
  const key = ['device_id', 'app_version_id'];
  await held.insertReturning(work, [{ device_id: deviceId, app_version_id, ...changes }], { key, changes });
}

export async function dropCurrent(
  work: WriteWork,
  deviceId: number,
  versions: readonly Pick<HeldVersion, 'appVersionId'>[],
): Promise<void> {
  if (versions.length === 0) return;
  const match = { device_id: deviceId, app_version_id: versions.map(({ appVersionId }) => appVersionId) };
  await held.update(work, match, { is_current: flag.toColumn(false) });
}

export async function selectOtherVersions(work: ReadWork, versionId: number) {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<{ id: number; crc: string; content_id: number | null }>`
    select v.id, v.crc, v.content_id from app_versions as own
    join app_versions as v on v.company_id = own.company_id and v.app_id = own.app_id and v.id <> own.id
    where own.company_id = ${companyId} and own.id = ${versionId}`.execute(db);
  return rows.map(({ id, crc, content_id }) => ({ id, crc, contentId: content_id }));
}

/** Deletes what is stored of versions that were deleted: their ids are never used again. */
export async function forgetDeletedVersions(work: WriteWork, deviceId: number): Promise<void> {
  const { db, companyId } = specialSql(work);
  await sql`delete from terminal_versions where company_id = ${companyId} and device_id = ${deviceId}
    and not exists (select 1 from app_versions as v
      where v.company_id = ${companyId} and v.id = terminal_versions.app_version_id)`.execute(db);
}

/** The reach of each version, by its id; two statements. Versions without any are absent. */
export async function reachOf(work: ReadWork, versions: readonly { readonly id: number }[]) {
  const { db, companyId } = specialSql(work);
  const versionIds = versions.map(({ id }) => id);
  const granted = await sql<{ id: number; total: number }>`select l.app_version_id as id, count(*) as total
    from logical_number_app_versions as l
    where l.company_id = ${companyId} and l.app_version_id ${inIds(versionIds)}
    group by l.app_version_id`.execute(db);
  const fetched = await sql<{
    id: number;
    downloaded: number;
    current: number;
  }>`select t.app_version_id as id,
      count(case when t.is_downloaded then 1 end) as downloaded, count(case when t.is_current then 1 end) as current
    from terminal_versions as t
    join app_versions as v on v.company_id = t.company_id and v.id = t.app_version_id
    where t.company_id = ${companyId} and t.app_version_id ${inIds(versionIds)} and t.content_id = v.content_id
    group by t.app_version_id`.execute(db);
  const reach = new Map<number, Reach>();
  for (const { id, total } of granted.rows) reach.set(id, { granted: total, downloaded: 0, current: 0 });
  for (const { id, downloaded, current } of fetched.rows) {
    reach.set(id, { granted: reach.get(id)?.granted ?? 0, downloaded, current });
  }
  return reach;
}
