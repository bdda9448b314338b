import { sql } from 'kysely';

import { CompanyRows, only, specialSql } from '../../../database/company/company-rows.js';
import {
  crossJoin,
  haveIds,
  inIds,
  inList,
  instant,
  pairTable,
  type Sql,
  typed,
} from '../../../database/storage.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';
import type { Ids } from '../../../platform/validate.js';
import type { LogicalNumber } from './logical-number.model.js';

export interface VersionLink {
  readonly logicalNumberId: number;
  readonly appVersionId: number;
}

export const versionLinks = new CompanyRows('logical_number_app_versions');
export const terminalVersions = new CompanyRows('terminal_versions');
const groupLinks = new CompanyRows('app_version_groups');

/** Ids of app versions by id of the logical number. */
export type Versions = ReadonlyMap<number, Ids>;
type Pair = readonly [logicalNumberId: number, appVersionId: number];

/** Maximum links that are examined to count terminals: other changes wait meanwhile. */
const MAX_COUNTED = 5_000;

/** True if the logical number `t` has an app version. */
export const hasVersion = (compared: (id: Sql) => Sql): Sql => sql`exists (
  select 1 from logical_number_app_versions as had
  where had.company_id = t.company_id and had.logical_number_id = t.id and ${compared(sql.ref('had.app_version_id'))})`;

export const hasDevice = (compared: (value: Sql) => Sql): Sql =>
  compared(sql`exists (select 1 from devices as own
  where own.company_id = t.company_id and own.logical_number_id = t.id)`);

/**
 * A terminal that may have the bytes of a version keeps it after it was withdrawn. Of all conditions on the state no index
 * serves this one: with another, both databases would read all terminals of the version.
 */
const WITHOUT_BYTES = sql`not (state ${inList('text', ['downloaded', 'installed', 'proven'])})`;

/** Gives terminals versions, unless they have them. `pairs` returns ids of devices and of versions. */
async function grantTo(work: WriteWork, pairs: Sql): Promise<void> {
  const { db, companyId } = specialSql(work);
  const now = typed('instant', instant.toColumn(work.now));
  await sql`insert into terminal_versions (company_id, device_id, app_version_id, state, since)
    select ${typed('integer', companyId)}, found.id, found.other, 'granted', ${now} from (${pairs}) as found
    where true on conflict do nothing`.execute(db);
}

/** For devices that have got logical numbers. */
export async function grantToDevices(work: WriteWork, deviceIds: Ids): Promise<void> {
  const { companyId } = specialSql(work);
  await grantTo(
    work,
    sql`select d.id, l.app_version_id as other from devices as d ${crossJoin} logical_number_app_versions as l
      on l.company_id = d.company_id and l.logical_number_id = d.logical_number_id
      where d.company_id = ${companyId} and d.id ${inIds(deviceIds)}`,
  );
}

/** For devices whose logical numbers have changed. */
export async function withdrawFromDevices(work: WriteWork, deviceIds: Ids): Promise<void> {
  const { db, companyId } = specialSql(work);
  await sql`delete from terminal_versions
    where company_id = ${companyId} and device_id ${inIds(deviceIds)} and ${WITHOUT_BYTES}`.execute(db);
}

/** Gives logical numbers, and so their terminals, other app versions, `after` by the id of the number. Five statements at most. */
export async function replaceLinks(work: WriteWork, numbers: readonly LogicalNumber[], after: Versions) {
  const [removed, added]: [Pair[], Pair[]] = [[], []];
  for (const { id, appVersionIds } of numbers) {
    const versions = after.get(id) ?? [];
    const [had, has] = [new Set(appVersionIds), new Set(versions)];
    const linksTo = (ids: Ids): Pair[] => ids.map((version) => [id, version]);
    removed.push(...linksTo(appVersionIds.filter((version) => !has.has(version))));
    added.push(...linksTo(versions.filter((version) => !had.has(version))));
  }
  if (removed.length + added.length === 0) return;
  const { db, companyId } = specialSql(work);
  const devices = await selectDevicesOf(work, [...new Set([...removed, ...added].map(([id]) => id))]);
  const ofDevices = (pairs: readonly Pair[]): Pair[] =>
    pairs.flatMap(([id, version]) => (devices.get(id) ?? []).map((device): Pair => [device.id, version]));
  if (removed.length > 0) {
    await sql`delete from logical_number_app_versions where company_id = ${companyId}
      and (logical_number_id, app_version_id) in (
        select pair.id, pair.other from ${pairTable('integer', removed)})`.execute(db);
    await sql`delete from terminal_versions where company_id = ${companyId} and ${WITHOUT_BYTES}
      and (device_id, app_version_id) in (
        select pair.id, pair.other from ${pairTable('integer', ofDevices(removed))})`.execute(db);
  }
  if (added.length > 0) {
    await sql`insert into logical_number_app_versions (company_id, logical_number_id, app_version_id, granted_at)
      select ${typed('integer', companyId)}, pair.id, pair.other, ${typed('instant', instant.toColumn(work.now))}
      from ${pairTable('integer', added)}`.execute(db);
    await grantTo(work, sql`select id, other from ${pairTable('integer', ofDevices(added))}`);
  }
}

/** Devices by the id of their logical number. */
async function selectDevicesOf(work: ReadWork, numberIds: Ids) {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<{
    id: number;
    numberId: number;
  }>`select id, logical_number_id as "numberId" from devices
    where company_id = ${companyId} and logical_number_id ${inIds(numberIds)}`.execute(db);
  return Map.groupBy(rows, ({ numberId }) => numberId);
}

export async function selectVersionsLinkedToGroup(work: ReadWork, groupId: number, versionIds: Ids) {
  const links = await groupLinks.select(work, { group_id: groupId, app_version_id: versionIds });
  return links.map((link) => link.app_version_id);
}

/** Ids of those logical numbers whose terminals would lose app versions in the group that they move to (0: none). One statement. */
export async function selectLosing(
  work: ReadWork,
  moves: readonly (readonly [logicalNumberId: number, groupId: number])[],
): Promise<Ids> {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<{ id: number }>`select distinct pair.id from ${pairTable('integer', moves)}
    join logical_number_app_versions as l on l.company_id = ${companyId} and l.logical_number_id = pair.id
    where exists (select 1 from devices as d where d.company_id = l.company_id and d.logical_number_id = pair.id)
      and not exists (select 1 from app_version_groups as g where g.company_id = l.company_id
        and g.group_id = pair.other and g.app_version_id = l.app_version_id)`.execute(db);
  return rows.map(({ id }) => id);
}

/** Default versions of the group, ascending, without those of apps of which the number has a version. One statement. */
export async function selectDefaultsFor(work: ReadWork, groupId: number, held: Ids) {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<{ id: number }>`select d.app_version_id as id from group_default_versions as d
    join app_versions as v on v.company_id = d.company_id and v.id = d.app_version_id
    where d.company_id = ${companyId} and d.group_id = ${groupId} and v.app_id not in (
      select h.app_id from app_versions as h where ${haveIds({ company: sql.ref('h.company_id'), id: sql.ref('h.id') }, companyId, held)})
    order by d.app_version_id`.execute(db);
  return rows.map(({ id }) => id);
}

/** Links of the versions with logical numbers of groups, or of all (undefined), at most `limit`. */
export async function selectLinksOfVersions(
  work: ReadWork,
  versionIds: Ids,
  groupIds: Ids | undefined,
  limit: number,
): Promise<VersionLink[]> {
  const { db } = specialSql(work);
  const { rows } = await sql<VersionLink>`
    select l.logical_number_id as "logicalNumberId", l.app_version_id as "appVersionId"
    from ${linksOf(work, versionIds, groupIds)} limit ${limit}`.execute(db);
  return rows;
}

export async function countLinksOfVersions(work: ReadWork, versionIds: Ids, groupIds: Ids | undefined) {
  const { db } = specialSql(work);
  const { rows } = await sql<{ total: number }>`
    select count(*) as total from ${linksOf(work, versionIds, groupIds)}`.execute(db);
  return only(rows).total;
}

/** FROM and WHERE for the links `l` of versions with the numbers `n` of groups, or of all groups. */
function linksOf(work: ReadWork, versionIds: Ids, groupIds: Ids | undefined) {
  const { companyId } = specialSql(work);
  const ofGroups = groupIds === undefined ? sql`` : sql`and n.group_id ${inIds(groupIds)}`;
  return sql`logical_number_app_versions as l
    join logical_numbers as n on n.company_id = l.company_id and n.id = l.logical_number_id
    where l.company_id = ${companyId} and l.app_version_id ${inIds(versionIds)} ${ofGroups}`;
}

/** Terminals of logical numbers of groups, or of all (undefined), that have one of the versions; `more` beyond 5,000 links. */
export async function countHolders(work: ReadWork, versionIds: Ids, groupIds: Ids | undefined) {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<{ links: number; terminals: number }>`
    with held as (
      select l.logical_number_id as number_id
      from ${linksOf(work, versionIds, groupIds)} limit ${MAX_COUNTED})
    select (select count(*) from held) as "links", count(*) as "terminals" from devices as d
    where d.company_id = ${companyId} and d.logical_number_id in (select number_id from held)`.execute(db);
  const { links, terminals } = only(rows);
  return { terminals, more: links === MAX_COUNTED };
}
