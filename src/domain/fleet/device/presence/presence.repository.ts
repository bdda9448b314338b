import { sql, type RawBuilder } from 'kysely';

import { inIds, inList, inPairs, pairTable } from '../../../../database/bound-lists.js';
import { specialSql } from '../../../../database/company/special-sql.js';
import { runCached } from '../../../../database/statements.js';
import { instantIn, hiddenFromPlanner, typed, unindexed } from '../../../../database/storage.js';
import type { CompanyWriteWork, ReadWork } from '../../../../database/work.js';
import { HOUR } from '../../../../platform/clock.js';
import { sightingOf, type SeenDevice, type Sighting } from './presence.model.js';

/** Sightings by device id. One statement. */
export async function selectSightings(
  work: ReadWork,
  deviceIds: readonly number[],
): Promise<ReadonlyMap<number, Sighting>> {
  const { db, companyId } = specialSql(work);
  const rows = await runCached<{ id: number; last_seen_at: number }>(
    db,
    'sightings',
    [companyId, JSON.stringify(deviceIds)],
    () =>
      sql`select device_id as id, last_seen_at from device_presence
        where company_id = ${companyId} and device_id ${inIds(deviceIds)}`,
  );
  return new Map(rows.map((row) => [row.id, sightingOf(row.last_seen_at, work)]));
}

/** The only enabled device of each logical number; absent if a number has several. One statement. */
export async function selectOnlyDevices(
  work: CompanyWriteWork,
  logicalNumbers: readonly string[],
): Promise<readonly number[]> {
  const { db, companyId } = specialSql(work);
  const enabled = (order: 'asc' | 'desc'): RawBuilder<number | null> =>
    sql`(select id from devices where devices.company_id = ${hiddenFromPlanner(companyId)}
      and devices.logical_number_id = logical_numbers.id and devices.enabled
      order by id ${sql.raw(order)} limit 1)`;
  const { rows } = await sql<{ first: number | null; last: number | null }>`
    select ${enabled('asc')} as first, ${enabled('desc')} as last from logical_numbers
    where company_id = ${companyId} and number ${inList('text', logicalNumbers)}`.execute(db);
  return rows.flatMap(({ first, last }) => (first !== null && first === last ? [first] : []));
}

/** A stored time that is further ahead of the server's clock is of a clock that was wrong. */
const MAX_AHEAD_MS = HOUR;

/**
 * Stores when devices were seen, unless another node has stored a later time. Deleted devices are ignored. A
 * column of `devices` (decisions.md#device-presence) would take 930 bytes in the log of PostgreSQL per
 * sighting instead of 121.
 */
export async function storeSightings(work: CompanyWriteWork, seen: readonly SeenDevice[]): Promise<void> {
  const { db, companyId } = specialSql(work);
  const pairs = seen.map(({ deviceId, seenAt }) => [deviceId, seenAt] as const);
  // SQLite looks each device up by these; by the pairs alone, it would read all devices of the company.
  const keys = seen.map(({ deviceId }) => [companyId, deviceId] as const);
  const stored = unindexed(sql.ref('device_presence.last_seen_at'));
  const ahead = new Date(work.now.getTime() + MAX_AHEAD_MS);
  await sql`with pair as materialized (select id, other from ${pairTable('integer', pairs)})
    update device_presence set last_seen_at = ${instantIn('pair.other')} from pair
    where (device_presence.company_id, device_presence.device_id) ${inPairs(keys)}
    and device_presence.device_id = pair.id
    and (${stored} < ${instantIn('pair.other')} or ${stored} > ${typed('instant', ahead)})`.execute(db);
}
