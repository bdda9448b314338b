import { sql } from 'kysely';

import { specialSql } from '../../../database/company/company-rows.js';
import type { IdRange } from '../../../database/list/new-rows.js';
import { indexedBy, typed, type Sql } from '../../../database/storage.js';
import type { ReadWork } from '../../../database/work.js';
import { SECOND } from '../../../platform/clock.js';
import { type DeviceChange, presenceStarts } from './device.model.js';
import { devices } from './device.repository.js';

/** Changes of devices in a range of the ledger. A filter compares the devices as they are now; deletions meet all. */
export async function selectChanges(work: ReadWork, { after, upTo, limit, condition }: IdRange) {
  const { db, companyId } = specialSql(work);
  const where =
    condition === null
      ? sql``
      : sql`and (e.action = 'delete' or exists (select 1 ${devices.from(work, condition)} and t.id = e.entity_id))`;
  const { rows } = await sql<{
    id: number;
    deviceId: number;
  }>`select e.sequence as id, e.entity_id as "deviceId"
    from ${indexedBy('ledger', 'e', 'ledger_of_company')}
    where e.company_id = ${companyId} and e.sequence > ${after} and e.sequence <= ${upTo}
      and e.entity_type = 'device' ${where}
    order by e.sequence limit ${limit}`.execute(db);
  const deviceIds = rows.map(({ deviceId }) => deviceId);
  const found = await devices.byIds(work, deviceIds);
  return rows.map((row): DeviceChange => {
    return { ...row, kind: 'changed', device: found.get(row.deviceId) ?? null };
  });
}

/** Time within which a return that was stored becomes visible, and clocks of nodes differ. */
const OVERLAP_MS = 30 * SECOND;

/**
 * Devices that have become stale or offline since a time, and those that have become online since 30 s before it, with
 * the time of that in milliseconds since 1970. One statement.
 */
export async function selectPresenceChanges(work: ReadWork, since: Date) {
  const { db, companyId } = specialSql(work);
  const [before, now] = [presenceStarts({ ...work, now: since }), presenceStarts(work)];
  const own = sql`p.company_id = ${companyId}`;
  const at = (time: number): Sql => typed('instant', new Date(time));
  const passed = (state: 'stale' | 'online'): Sql =>
    sql`(${own} and p.last_seen_at >= ${at(before[state])} and p.last_seen_at < ${at(now[state])})`;
  const returned = sql`(${own} and p.online_since >= ${at(since.getTime() - OVERLAP_MS)})`;
  const { rows } = await sql<{ id: number; lastSeenAt: number; onlineSince: number | null }>`
    select p.device_id as id, p.last_seen_at as "lastSeenAt", p.online_since as "onlineSince"
    from device_presence as p where ${returned} or ${passed('online')} or ${passed('stale')}`.execute(db);
  const hasPassed = (seen: number): boolean =>
    (['online', 'stale'] as const).some((state) => seen >= before[state] && seen < now[state]);
  return {
    passed: rows.filter(({ lastSeenAt }) => hasPassed(lastSeenAt)).map(({ id }) => id),
    returned: new Map(
      rows.flatMap(({ id, lastSeenAt, onlineSince }) => (lastSeenAt < now.online ? [] : [[id, onlineSince]])),
    ),
  };
}
