import { sql, type RawBuilder } from 'kysely';

import { idTable, inIds } from '../../../database/bound-lists.js';
import { countUpTo, type EntryCount } from '../../../database/list/request-class.js';
import { crossJoin, flag } from '../../../database/storage.js';
import { type ReadWork, specialSql } from '../../../database/work.js';
import type { Software, StoredFile, StoredVersion } from './manifest.model.js';

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

function ofNumbers(
  work: ReadWork,
  max: number,
  deviceIds: readonly number[],
  table: RawBuilder<unknown>,
): RawBuilder<number> {
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
export async function selectSoftware(
  work: ReadWork,
  numberIds: readonly number[],
  limit: number,
): Promise<Software> {
  const held = await selectHeld(work, numberIds, limit);
  const ids = new Set(held.map(({ id }) => id));
  const modules = await selectModules(work, [...ids], limit);
  for (const { id } of modules) ids.add(id);
  const files = await selectFiles(work, [...ids], limit);
  return {
    versions: Map.groupBy(held, ({ holder }) => holder),
    modules: Map.groupBy(modules, ({ holder }) => holder),
    files: Map.groupBy(files, ({ holder }) => holder),
  };
}

async function selectHeld(
  work: ReadWork,
  numberIds: readonly number[],
  limit: number,
): Promise<readonly Held<StoredVersion>[]> {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<Held<StoredVersion>>`select l.logical_number_id as holder, ${VERSION}
    from logical_number_app_versions as l
    ${crossJoin} app_versions as v on v.company_id = l.company_id and v.id = l.app_version_id ${JOINED}
    where l.company_id = ${companyId} and l.logical_number_id ${inIds(numberIds)}
    limit ${limit}`.execute(db);
  return withFlags(rows);
}

/** Modules of versions, and the modules of these modules, which may form cycles. */
async function selectModules(
  work: ReadWork,
  versionIds: readonly number[],
  limit: number,
): Promise<readonly Held<StoredVersion>[]> {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<Held<StoredVersion>>`with recursive reached (holder, id) as (
      select m.app_version_id, m.module_id from app_version_modules as m
      where m.company_id = ${companyId} and m.app_version_id ${inIds(versionIds)}
      union
      select r.holder, m.module_id from reached as r
      ${crossJoin} app_version_modules as m on m.company_id = ${companyId} and m.app_version_id = r.id)
    select r.holder, ${VERSION} from reached as r
    ${crossJoin} app_versions as v on v.company_id = ${companyId} and v.id = r.id ${JOINED}
    limit ${limit}`.execute(db);
  return withFlags(rows);
}

async function selectFiles(
  work: ReadWork,
  versionIds: readonly number[],
  limit: number,
): Promise<readonly Held<StoredFile>[]> {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<Held<StoredFile>>`select x.app_version_id as holder,
      f.id, f.name, f.size, f.crc, f.content_id as "contentId", c.sha256
    from app_version_files as x
    ${crossJoin} files as f on f.company_id = x.company_id and f.id = x.file_id
    ${crossJoin} contents as c on c.company_id = f.company_id and c.id = f.content_id
    where x.company_id = ${companyId} and x.app_version_id ${inIds(versionIds)}
    limit ${limit}`.execute(db);
  return rows;
}

const withFlags = (rows: readonly Held<StoredVersion>[]): readonly Held<StoredVersion>[] =>
  rows.map((row) => ({ ...row, displayable: flag.fromColumn(row.displayable) }));
