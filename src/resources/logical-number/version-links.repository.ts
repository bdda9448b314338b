import { sql } from 'kysely';

import { CompanyRows, type Limit } from '../../database/company/company-rows.js';
import { andNotDeleted, isRemoved, removedBy } from '../../database/removals.js';
import { specialSql } from '../../database/company/special-sql.js';
import { inIds, pairTable } from '../../database/bound-lists.js';
import { typed } from '../../database/storage.js';
import type { ReadWork, WriteWork } from '../../database/work.js';

/** Link between a logical number and one of its app versions. */
export interface VersionLink {
  readonly logicalNumberId: number;
  readonly appVersionId: number;
}

const versionLinks = new CompanyRows('logical_number_app_versions');
const groupLinks = new CompanyRows('app_version_groups');
const devices = new CompanyRows('devices');

/** Maximum links that are examined to count terminals: other changes wait meanwhile. */
const MAX_COUNTED = 5_000;

/** Inserts links. One statement. `madeAfter` is the id of the latest removal. */
export async function insertLinks(
  work: WriteWork,
  links: readonly VersionLink[],
  madeAfter: number,
): Promise<void> {
  const { db, companyId } = specialSql(work);
  await sql`insert into logical_number_app_versions (company_id, logical_number_id, app_version_id, made_after)
    select ${typed('integer', companyId)}, pair.id, pair.other, ${typed('integer', madeAfter)}
    from ${pairTable('integer', pairsOf(links))}`.execute(db);
}

const pairsOf = (links: readonly VersionLink[]): readonly (readonly [number, number])[] =>
  links.map(({ logicalNumberId, appVersionId }) => [logicalNumberId, appVersionId]);

/** Ids of the given app versions that are linked to the group. */
export async function selectVersionsLinkedToGroup(
  work: ReadWork,
  groupId: number,
  appVersionIds: readonly number[],
): Promise<number[]> {
  const links = await groupLinks.select(work, { group_id: groupId, app_version_id: appVersionIds });
  return links.map((link) => link.app_version_id);
}

/** Links of groups with the given app versions, by group id. One statement. */
export async function selectVersionsOfGroups(
  work: ReadWork,
  groupIds: readonly number[],
  appVersionIds: readonly number[],
): Promise<ReadonlyMap<number, readonly object[]>> {
  const links = await groupLinks.select(work, { group_id: groupIds, app_version_id: appVersionIds });
  return Map.groupBy(links, (link) => link.group_id);
}

/** Whether these versions have more stored links than the limit. */
export async function haveManyLinks(
  work: ReadWork,
  appVersionIds: readonly number[],
  limit: Limit<'logical_number_app_versions'>,
): Promise<boolean> {
  return await versionLinks.exceed(work, { app_version_id: appVersionIds }, limit);
}

/** All stored links of the versions with logical numbers of the given groups; undefined for all groups. */
export async function selectLinksOfVersions(
  work: ReadWork,
  appVersionIds: readonly number[],
  groupIds: readonly number[] | undefined,
): Promise<VersionLink[]> {
  const { db, companyId } = specialSql(work);
  const ofGroups = groupIds === undefined ? sql`` : sql`and n.group_id ${inIds(groupIds)}`;
  const { rows } = await sql<VersionLink>`
    select l.logical_number_id as "logicalNumberId", l.app_version_id as "appVersionId"
    from logical_number_app_versions as l
    join logical_numbers as n on n.company_id = l.company_id and n.id = l.logical_number_id
    where l.company_id = ${companyId} and l.app_version_id ${inIds(appVersionIds)} ${ofGroups}`.execute(db);
  return rows;
}

/** Number of terminals whose logical number has one of the versions. */
export interface Holders {
  readonly terminals: number;
  /** Whether there were too many links to count all terminals. */
  readonly more: boolean;
}

/**
 * Counts the terminals of logical numbers that have one of the versions. `groupIds`: only numbers of these
 * groups; undefined for all. Examines at most 5,000 links.
 */
export async function countHolders(
  work: ReadWork,
  appVersionIds: readonly number[],
  groupIds: readonly number[] | undefined,
): Promise<Holders> {
  const { db, companyId } = specialSql(work);
  const ofGroups = groupIds === undefined ? sql`` : sql`and n.group_id ${inIds(groupIds)}`;
  const { rows } = await sql<{ links: number; terminals: number }>`
    with held as (
      select l.logical_number_id as number_id from logical_number_app_versions as l
      join logical_numbers as n on n.company_id = l.company_id and n.id = l.logical_number_id
      where l.company_id = ${companyId} and l.app_version_id ${inIds(appVersionIds)} ${ofGroups}
        ${andNotDeleted('logical_number_app_versions', 'l')} limit ${MAX_COUNTED})
    select (select count(*) from held) as "links", count(*) as "terminals" from devices as d
    where d.company_id = ${companyId} and d.logical_number_id in (select number_id from held)`.execute(db);
  const { links, terminals } = rows[0] ?? { links: 0, terminals: 0 };
  return { terminals, more: links === MAX_COUNTED };
}

/** Terminals that have this logical number. */
export async function countTerminals(work: ReadWork, logicalNumberId: number): Promise<number> {
  return await devices.count(work, { logical_number_id: logicalNumberId });
}

/** Whether a logical number has the version. */
export async function isHeld(work: ReadWork, appVersionId: number): Promise<boolean> {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql`select 1 from logical_number_app_versions as l
    where l.company_id = ${companyId} and l.app_version_id = ${appVersionId}
      ${andNotDeleted('logical_number_app_versions', 'l')} limit 1`.execute(db);
  return rows.length > 0;
}

/** Ids of logical numbers greater than `position` with a stored link to the version, ascending. */
export async function selectHoldersAfter(
  work: ReadWork,
  appVersionId: number,
  position: number,
  limit: number,
): Promise<number[]> {
  const { db, companyId } = specialSql(work);
  const rows = await db
    .selectFrom('logical_number_app_versions')
    .select('logical_number_id')
    .where('company_id', '=', companyId)
    .where('app_version_id', '=', appVersionId)
    .where('logical_number_id', '>', position)
    .orderBy('logical_number_id')
    .limit(limit)
    .execute();
  return rows.map((row) => row.logical_number_id);
}

/** Links of these logical numbers that a change has removed and whose rows still exist. */
export async function selectRemovedLinks(
  work: ReadWork,
  logicalNumberIds: readonly number[],
  change: number,
): Promise<VersionLink[]> {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<VersionLink>`
    select l.logical_number_id as "logicalNumberId", l.app_version_id as "appVersionId"
    from logical_number_app_versions as l
    where l.company_id = ${companyId} and l.logical_number_id ${inIds(logicalNumberIds)}
      and ${isRemoved('logical_number_app_versions', 'l', sql`and gone.change = ${change}`)}`.execute(db);
  return rows;
}

/** All stored links of the logical numbers, ordered by logical number and version id. */
export async function selectLinksOfNumbers(
  work: ReadWork,
  logicalNumberIds: readonly number[],
): Promise<(VersionLink & { readonly removedBy: number | null })[]> {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<VersionLink & { removedBy: number | null }>`
    select l.logical_number_id as "logicalNumberId", l.app_version_id as "appVersionId",
      ${removedBy('logical_number_app_versions', 'l')} as "removedBy"
    from logical_number_app_versions as l
    where l.company_id = ${companyId} and l.logical_number_id ${inIds(logicalNumberIds)}
    order by l.logical_number_id, l.app_version_id`.execute(db);
  return rows;
}

export async function deleteLinks(work: WriteWork, links: readonly VersionLink[]): Promise<void> {
  const { db, companyId } = specialSql(work);
  await sql`delete from logical_number_app_versions where company_id = ${companyId}
    and (logical_number_id, app_version_id) in (
      select pair.id, pair.other from ${pairTable('integer', pairsOf(links))})`.execute(db);
}
