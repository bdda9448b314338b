import { sql } from 'kysely';

import { inIds } from '../../../database/bound-lists.js';
import { CompanyRows } from '../../../database/company/company-rows.js';
import { flag } from '../../../database/storage.js';
import { type ReadWork, specialSql, type WriteWork } from '../../../database/work.js';
import type { Reach } from './manifest.model.js';

const held = new CompanyRows('terminal_versions');

/** A version of which a terminal has, or had, the bytes. */
export interface HeldVersion {
  readonly versionId: number;
  /** Content of the version at that time: the bytes of a version may be replaced. */
  readonly contentId: number;
  /** Whether it has downloaded these bytes. */
  readonly isDownloaded: boolean;
  /** Whether it still has them, as far as is known. */
  readonly isCurrent: boolean;
}

export async function selectHeld(work: ReadWork, deviceId: number): Promise<readonly HeldVersion[]> {
  return (await held.select(work, { device_id: deviceId })).map((row) => ({
    versionId: row.app_version_id,
    contentId: row.content_id,
    isDownloaded: flag.fromColumn(row.is_downloaded),
    isCurrent: flag.fromColumn(row.is_current),
  }));
}

export async function upsertHeld(work: WriteWork, deviceId: number, version: HeldVersion): Promise<void> {
  const row = {
    device_id: deviceId,
    app_version_id: version.versionId,
    content_id: version.contentId,
    is_downloaded: flag.toColumn(version.isDownloaded),
    is_current: flag.toColumn(version.isCurrent),
  };
  const { content_id, is_downloaded, is_current } = row;
  const key = ['device_id', 'app_version_id'];
  await held.insertReturning(work, [row], { key, changes: { content_id, is_downloaded, is_current } });
}

/** Marks versions as not current. */
export async function dropCurrent(
  work: WriteWork,
  deviceId: number,
  versions: readonly Pick<HeldVersion, 'versionId'>[],
): Promise<void> {
  if (versions.length === 0) return;
  const match = { device_id: deviceId, app_version_id: versions.map(({ versionId }) => versionId) };
  await held.update(work, match, { is_current: flag.toColumn(false) });
}

/** The other versions of the application of a version. */
export async function selectOtherVersions(
  work: ReadWork,
  versionId: number,
): Promise<readonly { readonly id: number; readonly crc: string; readonly contentId: number | null }[]> {
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
export async function reachOf(
  work: ReadWork,
  versions: readonly { readonly id: number }[],
): Promise<ReadonlyMap<number, Reach>> {
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
