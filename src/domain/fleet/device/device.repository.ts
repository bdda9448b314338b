import { type RawBuilder, sql } from 'kysely';

import { only, specialSql } from '../../../database/company/company-rows.js';
import { CompanyTable } from '../../../database/company/company-table.js';
import type { Comparison, Condition } from '../../../database/list/condition.js';
import { auditedList } from '../../../database/list/list.js';
import { anyLowerCaseText } from '../../../database/list/lower-case.js';
import { devicesOfJob } from '../../../database/list/of-job.js';
import { runCached } from '../../../database/statements.js';
import {
  inIds,
  inList,
  inPairs,
  pairTable,
  flag,
  json,
  jsonNumber,
  jsonText,
  textOf,
  hiddenFromPlanner,
  instantIn,
  typed,
  unindexed,
  type Sql,
} from '../../../database/storage.js';
import type { ReadWork, CompanyWriteWork } from '../../../database/work.js';
import { HOUR } from '../../../platform/clock.js';
import type { Moment } from '../../../platform/terminal.js';
import {
  type Device,
  type DeviceCount,
  type DeviceMeta,
  type DeviceTotals,
  type GroupPresence,
  type PresenceCount,
  PRESENCES,
  SEEN,
  presenceRange,
  presenceStarts,
  type SeenDevice,
  lastSeenTimeOf,
} from './device.model.js';

export const deviceTable = new CompanyTable<'devices', Device>('devices');

/** The group of the logical number of the device `t`. */
const GROUP = sql`(select own.group_id from logical_numbers as own
  where own.company_id = t.company_id and own.id = t.logical_number_id)`;

/** `meta` of a device that has not reported yet. */
const NO_META = json<DeviceMeta>().toColumn({});

/** Without its index, by which SQLite would read all devices of a model for each logical number of a list. */
const MODEL = unindexed(jsonText('t.meta', 'model'));

/** Conditions on what terminals reported in `meta`. */
const reported = (kind: 'integer' | 'text', value: Sql) =>
  ({ column: 'meta', kind, where: (compared: (value: Sql) => Sql) => compared(value) }) as const;

const HAS_REPORTED = sql`(t.framework_version is not null or ${textOf('t.meta')} <> ${sql.lit(NO_META)})`;

const REFUSED = sql`exists (select 1 from terminal_refusals as refused
  where refused.company_id = t.company_id and refused.device_id = t.id)`;

/** True if the terminal has the bytes of a version, as in the reach of versions. */
const hasVersion = (compared: (id: Sql) => Sql): Sql => sql`exists (select 1 from terminal_versions as had
  where had.company_id = t.company_id and had.device_id = t.id and had.state in ('downloaded', 'installed', 'proven')
    and ${compared(sql.ref('had.app_version_id'))})`;

export const devices = auditedList<'devices', Device, 'last_seen_at' | 'version_order'>(deviceTable, {
  name: 'Device',
  joined: { table: 'device_presence', id: 'device_id', columns: ['last_seen_at'] },
  others: { lastSeenAt: 'last_seen_at' },
  orders: {
    SERIAL_NUMBER: 'serial_number',
    LAST_SEEN_AT: 'last_seen_at',
    FRAMEWORK_VERSION: 'version_order',
  },
  filters: {
    serialNumber: { column: 'serial_number', kind: 'text', isUnique: true },
    enabled: { column: 'enabled', kind: 'flag', order: 'ID' },
    frameworkVersion: { column: 'framework_version', kind: 'text', order: 'ID' },
    logicalNumberId: { column: 'logical_number_id', kind: 'id', order: 'ID' },
    hasLogicalNumber: {
      column: 'logical_number_id',
      kind: 'flag',
      where: (compared) => compared(sql`(t.logical_number_id is not null)`),
    },
    group: { column: 'logical_number_id', kind: 'id', where: (compared) => compared(GROUP) },
    model: reported('text', MODEL),
    batteryLevel: reported('integer', jsonNumber('t.meta', 'battery_level')),
    signal: reported('integer', jsonNumber('t.meta', 'gprs_signal')),
    simCardId: reported('text', jsonText('t.meta', 'sim_card_id')),
    meta: { column: 'meta', kind: 'entry' },
    hasReported: { column: 'meta', kind: 'flag', where: (compared) => compared(HAS_REPORTED) },
    tags: anyLowerCaseText('device_tags', 'device_id', 'tag'),
    refused: { column: 'id', kind: 'flag', where: (compared) => compared(REFUSED) },
    version: { column: 'id', kind: 'linked', where: hasVersion },
    changedByJob: devicesOfJob,
    lastSeenAt: { column: 'last_seen_at', kind: 'instant', meaning: meaningOfLastSeenAt },
    presence: { column: 'last_seen_at', kind: 'choice', meaning: meaningOfPresence },
  },
});

export const devicesOfLogicalNumber = devices.of({ column: 'logical_number_id' });

/** Limit of rows: terminals report arbitrary values. */
export const MAX_VALUES = 100;

/** Totals of the devices that meet a condition. One statement. */
export async function totalDevices(work: ReadWork, where: Condition | null = null): Promise<DeviceTotals> {
  const { db, companyId } = specialSql(work);
  const own = devices.from(work, where, ['enabled', 'framework_version', 'meta']);
  const all =
    where === null
      ? sql`select total from counters where company_id = ${companyId} and name = 'devices'`
      : sql`select count(*) ${own}`;
  const { rows } = await sql<{ total: number | null; enabled: number; never_seen: number }>`select
    (${all}) as total,
    (select count(*) ${own} and t.enabled = ${flag.toColumn(true)}) as enabled,
    (select count(*) ${own} and t.framework_version is null and not ${HAS_REPORTED}) as never_seen`.execute(
    db,
  );
  const { total, enabled, never_seen: neverSeen } = only(rows);
  return { total: total ?? 0, enabled, disabled: (total ?? 0) - enabled, neverSeen };
}

/** Number of devices that meet a condition, and of those among them that were not seen since a time. One statement. */
export async function countSilent(work: ReadWork, where: Condition, since: Date) {
  const { db } = specialSql(work);
  const silent = sql`count(*) filter (where t.last_seen_at < ${hiddenFromPlanner(since)})`;
  const { rows } = await sql<{ total: number; silent: number }>`select count(*) as total, ${silent} as silent
    ${devices.from(work, where, ['last_seen_at'])}`.execute(db);
  return only(rows);
}

/** Number of devices that meet a condition by framework version and by model, the largest number first. */
export const devicesByFrameworkVersion = (work: ReadWork, where: Condition | null = null) =>
  countBy(work, where, sql.ref('t.framework_version'));
export const devicesByModel = (work: ReadWork, where: Condition | null = null) =>
  countBy(work, where, jsonText('t.meta', 'model'));

async function countBy(work: ReadWork, where: Condition | null, value: RawBuilder<string | null>) {
  const { db } = specialSql(work);
  const { rows } = await sql<DeviceCount>`select ${value} as value, count(*) as count
    ${devices.from(work, where, ['framework_version', 'meta'])} group by ${value}
    order by count desc, value nulls first limit ${MAX_VALUES}`.execute(db);
  return rows;
}

/** Time of the latest request of each device, by device id. One statement. */
export async function lastSeenTimes(work: ReadWork, devices: readonly Pick<Device, 'id'>[]) {
  const { db, companyId } = specialSql(work);
  const deviceIds = devices.map(({ id }) => id);
  const rows = await runCached<{ id: number; last_seen_at: number }>(
    db,
    'lastSeenTimes',
    [companyId, JSON.stringify(deviceIds)],
    () =>
      sql`select device_id as id, last_seen_at from device_presence
        where company_id = ${companyId} and device_id ${inIds(deviceIds)}`,
  );
  return new Map(rows.map((row) => [row.id, lastSeenTimeOf(row.last_seen_at, work)]));
}

/** The only enabled device of each logical number; absent if a number has several. One statement. */
export async function selectOnlyDevices(work: CompanyWriteWork, logicalNumbers: readonly string[]) {
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

/** Stores when devices were seen, unless another node has stored a later time (decisions.md#device-presence). Deleted devices are ignored. */
export async function storeLastSeenTimes(work: CompanyWriteWork, seen: readonly SeenDevice[]): Promise<void> {
  const { db, companyId } = specialSql(work);
  const pairs = seen.map(({ deviceId, seenAt }) => [deviceId, seenAt] as const);
  // SQLite looks each device up by these; by the pairs alone, it would read all devices of the company.
  const keys = seen.map(({ deviceId }) => [companyId, deviceId] as const);
  const stored = unindexed(sql.ref('device_presence.last_seen_at'));
  const ahead = new Date(work.now.getTime() + MAX_AHEAD_MS);
  const online = new Date(presenceStarts(work).online);
  await sql`with pair as materialized (select id, other from ${pairTable('integer', pairs)})
    update device_presence set last_seen_at = ${instantIn('pair.other')},
      online_since = case when ${stored} < ${typed('instant', online)} then ${typed('instant', work.now)}
        else device_presence.online_since end
    from pair
    where (device_presence.company_id, device_presence.device_id) ${inPairs(keys)}
    and device_presence.device_id = pair.id
    and (${stored} < ${instantIn('pair.other')} or ${stored} > ${typed('instant', ahead)})`.execute(db);
}

const compared = (operator: 'gte' | 'lt', at: number): Condition => ({
  field: 'lastSeenAt',
  operator,
  value: new Date(at),
});

/** A comparison of the time: terminals that were never seen have none. */
function meaningOfLastSeenAt({ operator, value }: Comparison): Condition {
  if (operator === 'isNull') return compared(value === true ? 'lt' : 'gte', SEEN);
  const time = (value as Date).getTime();
  if (operator === 'gte') return compared('gte', Math.max(time, SEEN));
  return { and: [compared('gte', SEEN), compared('lt', time)] };
}

/** A comparison of the presence as intervals of the time. */
function meaningOfPresence({ value }: Comparison, at: Moment): Condition {
  const wanted = new Set(Array.isArray(value) ? (value as readonly unknown[]) : [value]);
  const intervals: ReturnType<typeof presenceRange>[] = [];
  for (const presence of PRESENCES) {
    if (!wanted.has(presence)) continue;
    const last = intervals.at(-1);
    const { from, to } = presenceRange(presence, at);
    if (last !== undefined && last.to === from) last.to = to;
    else intervals.push({ from, to });
  }
  const conditions = intervals.map(({ from, to }): Condition => {
    const ends = [
      from === undefined ? [] : compared('gte', from),
      to === undefined ? [] : compared('lt', to),
    ];
    return { and: ends.flat() };
  });
  return conditions.length === 1 ? { and: conditions } : { or: conditions };
}

export const MAX_GROUPS = 100;

/** Devices, and those that were seen since the beginnings of states. */
type Counted = Readonly<Record<'count' | 'offline' | 'stale' | 'online', number>>;

function counted(work: ReadWork): RawBuilder<unknown> {
  const { offline, stale, online } = presenceStarts(work);
  const since = (start: number): RawBuilder<unknown> =>
    sql`count(*) filter (where t.last_seen_at >= ${hiddenFromPlanner(new Date(start))})`;
  return sql`count(*) as count, ${since(offline)} as offline, ${since(stale)} as stale, ${since(online)} as online`;
}

const countsOf = ({ count, offline, stale, online }: Counted): readonly PresenceCount[] => [
  { presence: 'online', count: online },
  { presence: 'stale', count: stale - online },
  { presence: 'offline', count: offline - stale },
  { presence: 'never_seen', count: count - offline },
];

/** Number of devices that meet a condition by presence. One statement. */
export async function devicesByPresence(work: ReadWork, where: Condition | null = null) {
  const { db } = specialSql(work);
  const found = devices.from(work, where, ['last_seen_at']);
  const { rows } = await sql<Counted>`select ${counted(work)} ${found}`.execute(db);
  return countsOf(only(rows));
}

/** Number of devices that meet a condition by group, the largest number first. One statement. */
export async function devicesByGroup(work: ReadWork, where: Condition | null = null) {
  const { db } = specialSql(work);
  const numbers = sql`left join logical_numbers as n on n.company_id = t.company_id and n.id = t.logical_number_id`;
  const found = devices.from(work, where, ['last_seen_at', 'logical_number_id'], numbers);
  const { rows } = await sql<Counted & { group_id: number | null }>`select n.group_id, ${counted(work)}
    ${found} group by n.group_id order by count desc, n.group_id nulls first limit ${MAX_GROUPS}`.execute(db);
  return rows.map(({ group_id: groupId, ...row }): GroupPresence => ({
    groupId,
    count: row.count,
    byPresence: countsOf(row),
  }));
}
