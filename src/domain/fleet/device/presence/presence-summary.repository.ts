import { sql, type RawBuilder } from 'kysely';

import { specialSql } from '../../../../database/company/special-sql.js';
import { comparedInstant, indexedBy } from '../../../../database/storage.js';
import type { ReadWork } from '../../../../database/work.js';
import { presenceStarts, type GroupPresence, type PresenceCounts } from './presence.model.js';

/** Has all that is counted by presence. */
const INDEX = 'device_presence_by_last_seen_at_device_id';

/** Limit of rows. */
export const MAX_GROUPS = 100;

interface Counted {
  readonly count: number;
  /** Devices that were seen since the beginnings of these states. */
  readonly offline: number | null;
  readonly stale: number | null;
  readonly online: number | null;
}

/** `count(*)` and the columns of `Counted`. */
function counted(work: ReadWork): RawBuilder<unknown> {
  const { offline, stale, online } = presenceStarts(work);
  const since = (start: number): RawBuilder<unknown> =>
    sql`sum(case when s.last_seen_at >= ${comparedInstant(new Date(start))} then 1 else 0 end)`;
  return sql`count(*) as count, ${since(offline)} as offline, ${since(stale)} as stale, ${since(online)} as online`;
}

function countsOf({ count, ...seen }: Counted): PresenceCounts {
  const [offline, stale, online] = [seen.offline ?? 0, seen.stale ?? 0, seen.online ?? 0];
  return { never_seen: count - offline, offline: offline - stale, stale: stale - online, online };
}

/** One statement. */
export async function devicesByPresence(work: ReadWork): Promise<PresenceCounts> {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<Counted>`select ${counted(work)} from ${indexedBy('device_presence', 's', INDEX)}
    where s.company_id = ${companyId}`.execute(db);
  return countsOf(rows[0] ?? { count: 0, offline: 0, stale: 0, online: 0 });
}

/** Number of devices by group, the largest number first. One statement. */
export async function devicesByGroup(work: ReadWork): Promise<readonly GroupPresence[]> {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<Counted & { group_id: number | null }>`select n.group_id, ${counted(work)}
    from devices as d join device_presence as s on s.company_id = ${companyId} and s.device_id = d.id
    left join logical_numbers as n on n.company_id = ${companyId} and n.id = d.logical_number_id
    where d.company_id = ${companyId}
    group by n.group_id order by count desc, n.group_id nulls first limit ${MAX_GROUPS}`.execute(db);
  return rows.map(({ group_id: groupId, ...row }) => ({
    groupId,
    count: row.count,
    byPresence: countsOf(row),
  }));
}
