import { sql } from 'kysely';

import { CompanyRows, excluded, type NewRow, specialSql } from '../../../database/company/company-rows.js';
import { recordMapping } from '../../../database/company/company-table.js';
import { countUpTo, type EntryCount } from '../../../database/list/request-class.js';
import { idTable, inIds, instant, crossJoin, flag, type Sql } from '../../../database/storage.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';
import { isToHave } from '../../../schema/software.js';
import type { HeldVersion, StoredFile, StoredVersion } from './manifest.model.js';

/**
 * Columns of a version `v`, its app `a` and its content `c`, and the joins for them. The statements start at
 * the links: otherwise, SQLite would read all app versions of the company.
 */
const VERSION = sql`v.id, a.name as "appName", a.language, v.number, v.displayable,
  v.pos_display_label as "posDisplayLabel", v.size, v.crc, v.content_id as "contentId", c.sha256`;
const JOINED = sql`${crossJoin} apps as a on a.company_id = v.company_id and a.id = v.app_id
  left join contents as c on c.company_id = v.company_id and c.id = v.content_id`;

/** Counts rows `t` of tables that are joined with devices `d`. */
export const entriesIn =
  (tables: Sql, condition: Sql): EntryCount =>
  (work, max, ids) =>
    countUpTo(
      max,
      sql`from ${idTable(ids)} cross join devices as d ${tables}
        where d.company_id = ${specialSql(work).companyId} and d.id = p.value and ${condition}`,
    );

const IS_OF_NUMBER = sql`t.company_id = d.company_id and t.logical_number_id = d.logical_number_id`;

/** Count the rows of the manifests of devices: app versions, and parameters of numbers and groups. */
export const manifestEntries: readonly EntryCount[] = [
  entriesIn(sql`cross join parameters as t`, IS_OF_NUMBER),
  entriesIn(sql`cross join logical_number_app_versions as t`, IS_OF_NUMBER),
  entriesIn(
    sql`cross join logical_numbers as n cross join parameters as t`,
    sql`n.company_id = d.company_id and n.id = d.logical_number_id
      and t.company_id = n.company_id and t.group_id = n.group_id`,
  ),
];

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
const { recordOf, columnsOf } = recordMapping<'terminal_versions', HeldVersion, 'company_id' | 'sequence'>(
  'terminal_versions',
  ['company_id', 'sequence'],
);
export { recordOf };

export async function selectHeld(work: ReadWork, deviceId: number): Promise<readonly HeldVersion[]> {
  return (await held.select(work, { device_id: deviceId })).map(recordOf);
}

const CHANGED = excluded(['state', 'reason', 'detail', 'attempts', 'since']);

/** Stores versions of terminals. One statement. */
/** True if the terminal of a device is known to have installed all app versions of its logical number. One statement. */
export async function hasAllVersions(work: ReadWork, deviceId: number): Promise<boolean> {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql`select 1 from devices as d
    join logical_number_app_versions as l on l.company_id = ${companyId}
      and l.logical_number_id = d.logical_number_id
    left join terminal_versions as t on t.company_id = ${companyId} and t.device_id = d.id
      and t.app_version_id = l.app_version_id
    where d.company_id = ${companyId} and d.id = ${deviceId}
      and (t.state is null or t.state not in ('installed', 'proven')) limit 1`.execute(db);
  return rows.length === 0;
}

export async function upsertHeld(work: WriteWork, versions: readonly HeldVersion[]): Promise<void> {
  const rows = versions.map((version) => columnsOf(version) as NewRow<'terminal_versions'>);
  await held.insertReturning(work, rows, { key: ['device_id', 'app_version_id'], changes: CHANGED });
}

const files = new CompanyRows('terminal_files');

/** Files that terminals have, and their settings files, by device id. One statement. */
export async function selectFiles(work: ReadWork, deviceIds: readonly number[], name?: string) {
  const rows = await files.select(work, { device_id: deviceIds, ...(name !== undefined && { name }) });
  const all = rows.map((row) => ({ ...row, since: instant.fromColumn(row.since) }));
  return Map.groupBy(all, (row) => row.device_id);
}

export async function storeFile(work: WriteWork, deviceId: number, name: string, crc: string): Promise<void> {
  const row = { device_id: deviceId, name, crc, since: instant.toColumn(work.now) };
  const changes = excluded(['crc', 'since']);
  await files.insertReturning(work, [row], { key: ['device_id', 'name'], changes });
}

export async function selectOtherVersions(work: ReadWork, versionId: number) {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<{ id: number; crc: string }>`
    select v.id, v.crc from app_versions as own
    join app_versions as v on v.company_id = own.company_id and v.app_id = own.app_id and v.id <> own.id
      and v.content_id is not null
    where own.company_id = ${companyId} and own.id = ${versionId}`.execute(db);
  return rows;
}

/** Deletes what is stored of versions that a terminal neither has nor is to get, and of deleted versions. */
export async function forgetLost(work: WriteWork, deviceId: number): Promise<void> {
  const { db, companyId } = specialSql(work);
  await sql`delete from terminal_versions where company_id = ${companyId} and device_id = ${deviceId} and (
    state = 'granted' and not ${sql.raw(isToHave('terminal_versions'))}
    or not exists (select 1 from app_versions as v
      where v.company_id = ${companyId} and v.id = terminal_versions.app_version_id))`.execute(db);
}
