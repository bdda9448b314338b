import { sql } from 'kysely';

import { type OfCompany, specialSql } from '../../../database/company/company-rows.js';
import {
  idTable,
  inIds,
  inList,
  joinFirstRows,
  flag,
  hiddenFromPlanner,
  instant,
  nullable,
  type Sql,
} from '../../../database/storage.js';
import type { CompanyWriteWork, SystemReadWork } from '../../../database/work.js';
import { SECOND } from '../../../platform/clock.js';
import type { Ids } from '../../../platform/validate.js';
import { after, at, change } from './delivery.repository.js';
import {
  PAUSES_MS,
  type ClaimedDelivery,
  type QueuedMessage,
  type WaitingDelivery,
} from './notification.model.js';

type ReadWork = OfCompany<SystemReadWork>;

const optionalInstant = nullable(instant);

/** A row in the form in which both databases return it. */
type Stored<T> = {
  [Name in keyof T]: T[Name] extends boolean
    ? number | boolean
    : T[Name] extends Date
      ? number
      : Exclude<T[Name], Date> | (Date extends T[Name] ? number : never);
};

export interface Waiting extends WaitingDelivery, Pick<QueuedMessage, 'lane' | 'state' | 'queuedAt'> {
  /** Empty for a command whose device has none. */
  readonly logicalNumber: string;
  readonly content: string;
  readonly isCommand: boolean;
  readonly appName: string | null;
  readonly companyName: string;
  readonly timeZone: string;
}

const waitingOf = (row: Stored<Waiting>): Waiting => ({
  ...row,
  isCommand: flag.fromColumn(row.isCommand),
  queuedAt: instant.fromColumn(row.queuedAt),
  expiresAt: instant.fromColumn(row.expiresAt),
  leaseEndsAt: optionalInstant.fromColumn(row.leaseEndsAt),
  isReachable: flag.fromColumn(row.isReachable),
});

export async function findDueCompanyAfter(work: SystemReadWork, companyId: number) {
  const { db } = specialSql(work);
  const { rows } = await sql<{ id: number }>`select id from companies where id > ${companyId}
    and exists (select 1 from notification_deliveries as delivery
      where delivery.company_id = companies.id and delivery.due_at <= ${instant.toColumn(work.now)})
    order by id limit 1`.execute(db);
  return rows[0]?.id;
}

const COLUMNS = sql`d.id, d.state, d.lane, d.command_id is not null as "isCommand", coalesce(n.number, '') as "logicalNumber",
  coalesce(s.content, k.content) as content, coalesce(s.expires_at, k.expires_at) as "expiresAt",
  d.attempts, d.queued_at as "queuedAt", d.lease_ends_at as "leaseEndsAt", a.name as "appName",
  c.name as "companyName", c.time_zone as "timeZone"`;

/** Joins deliveries `d` with what is sent, and with the logical number: that of a notification, or that a command's device has. */
const besides = (companyId: Sql | number): Sql => sql`
  left join devices as v on v.company_id = ${companyId} and v.id = d.device_id
  left join logical_numbers as n on n.company_id = ${companyId}
    and n.id = coalesce(d.logical_number_id, v.logical_number_id)
  left join notifications as s on s.company_id = ${companyId} and s.id = d.notification_id
  left join commands as k on k.company_id = ${companyId} and k.id = d.command_id
  join companies as c on c.id = ${companyId}
  left join apps as a on a.company_id = ${companyId} and a.id = s.app_id`;

/** Due deliveries, at most one of each lane, ordered by due time. A command is pushed to a logical number of one terminal only. */
export async function selectDue(work: ReadWork, limit: number): Promise<readonly Waiting[]> {
  const { db, companyId } = specialSql(work);
  const enabled = sql`(select count(*) from devices where devices.company_id = ${companyId}
    and devices.logical_number_id = n.id and devices.enabled)`;
  const { rows } = await sql<Stored<Waiting>>`select ${COLUMNS},
      case when d.device_id is null then ${enabled} > 0 else v.enabled and ${enabled} = 1 end as "isReachable"
    from (select * from notification_deliveries
      where company_id = ${companyId} and due_at <= ${instant.toColumn(work.now)}
      order by due_at, id limit ${limit}) as d
    ${besides(companyId)}
    order by d.due_at, d.id`.execute(db);
  return rows.map(waitingOf);
}

/** The first `limit` waiting deliveries by lane; absent if it has none. One statement. */
export async function selectWaiting(work: ReadWork, lanes: Ids, limit: number) {
  const { db } = specialSql(work);
  const companyId = hiddenFromPlanner(work.caller.companyId);
  const first = joinFirstRows({
    table: 'notification_deliveries',
    alias: 'd',
    own: sql`d.company_id = ${companyId}`,
    where: sql`d.lane = p.value and d.finished_at is null`,
    limit,
  });
  const { rows } = await sql<Stored<Waiting>>`select ${COLUMNS}, 1 as "isReachable"
    from ${idTable(lanes)} ${first}
    ${besides(companyId)}
    order by d.id`.execute(db);
  return Map.groupBy(rows.map(waitingOf), ({ lane }) => lane);
}

/** Serial number of the only terminal that may use the service under the logical number; null for several or none. */
const onlyTerminal = (companyId: number): Sql => sql`(select min(devices.serial_number) from devices
  where devices.company_id = ${hiddenFromPlanner(companyId)} and devices.enabled
    and devices.logical_number_id = notification_deliveries.logical_number_id having count(*) = 1)`;

/** Claims deliveries. `receivers`: serial numbers of the terminals by delivery id; null for a worker that pushes it. */
export async function claim(
  work: CompanyWriteWork,
  receivers: ReadonlyMap<number, string | null>,
  leaseEndsAt: Date,
): Promise<void> {
  const due = sql`case when due_at is null then null else ${byAttempts(0, (pause) => after(work.now, pause))} end`;
  const isGiven = sql`numbered.given is not null`;
  const sent = sql`state = case when ${isGiven} then 'sent' else state end,
    sent_at = case when ${isGiven} then coalesce(sent_at, ${at(work.now)}) else sent_at end,
    serial_number = case when command_id is null
      then coalesce(numbered.given, ${onlyTerminal(work.caller.companyId)}, serial_number) end`;
  const set = sql`attempts = attempts + 1, lease_ends_at = ${at(leaseEndsAt)}, due_at = ${due}, ${sent}`;
  await change(work, [...receivers.keys()], set, sql`finished_at is null`, receivers);
}

/** SQL by the pause after an attempt, which the row counts already (`counted` is 1) or not yet (0). */
function byAttempts(counted: 0 | 1, valueOf: (pause: number) => Sql): Sql {
  const values = PAUSES_MS.slice(0, -1).map(
    (pause, index) => sql`when ${sql.lit(index + counted)} then ${valueOf(pause)}`,
  );
  return sql`case attempts ${sql.join(values, sql` `)} else ${valueOf(PAUSES_MS.at(-1) ?? 0)} end`;
}

export async function setSent(work: CompanyWriteWork, ids: Ids): Promise<void> {
  const set = sql`state = 'sent', sent_at = coalesce(sent_at, ${at(work.now)})`;
  const sent = await change(work, ids, set, sql`state = 'queued'`);
  work.count('sentDeliveries', sent.length);
}

/** Ends claims. `dueAt`: when deliveries that no broker took are due; their attempts do not count. Null if one has them. */
export async function endClaims(
  work: CompanyWriteWork,
  held: readonly Pick<ClaimedDelivery, 'id' | 'leaseEndsAt'>[],
  dueAt: Date | null,
): Promise<void> {
  const { db, companyId } = specialSql(work);
  const notHanded =
    dueAt === null
      ? sql``
      : sql`, attempts = attempts - 1, due_at = case when due_at is null then null else ${at(dueAt)} end`;
  const byLease = Map.groupBy(held, ({ leaseEndsAt }) => leaseEndsAt.getTime());
  for (const [leaseEndsAt, own] of byLease) {
    await sql`update notification_deliveries set lease_ends_at = null${notHanded}
      where company_id = ${companyId} and id ${inIds(own.map(({ id }) => id))}
        and finished_at is null and lease_ends_at = ${at(new Date(leaseEndsAt))}`.execute(db);
  }
}

/** Sets the due time of unreachable deliveries to their expiry. An appearing device makes them due. */
export async function postpone(work: CompanyWriteWork, waiting: readonly Waiting[]): Promise<void> {
  const { db, companyId } = specialSql(work);
  const last = Math.max(...waiting.map(({ expiresAt }) => expiresAt.getTime()));
  await sql`update notification_deliveries set due_at = ${at(new Date(last))}
    where company_id = ${companyId} and id ${inIds(waiting.map(({ id }) => id))}
      and due_at is not null`.execute(db);
}

/** Time for the confirmation of what arrived between the subscription of a terminal and its hello. */
const CONFIRMED_WITHIN_MS = 2 * SECOND;

/** Makes waiting deliveries due, without their last attempts; those of the last 2 seconds in 2 seconds: they may have arrived. */
export async function makeDue(work: CompanyWriteWork, logicalNumbers: readonly string[]): Promise<void> {
  const { db, companyId } = specialSql(work);
  const now = at(work.now);
  const numbers = sql`select n.id from logical_numbers as n
    where n.company_id = ${companyId} and n.number ${inList('text', logicalNumbers)}`;
  const devices = sql`select -2 * v.id as lane from devices as v
    where v.company_id = ${companyId} and v.logical_number_id in (${numbers})`;
  const isRecent = sql`due_at > ${byAttempts(1, (pause) => after(work.now, pause - CONFIRMED_WITHIN_MS))}`;
  await sql`update notification_deliveries
    set due_at = case when ${isRecent} then ${after(work.now, CONFIRMED_WITHIN_MS)} else ${now} end,
      attempts = case when state = 'sent' and attempts > 0 then attempts - 1 else attempts end
    where company_id = ${companyId}
      and lane in (${numbers} union all ${devices} union all select lane - 1 from (${devices}) as urgent)
      and finished_at is null and due_at > ${now}
      and (lease_ends_at is null or lease_ends_at <= ${now})`.execute(db);
}

export interface Handed extends Pick<
  QueuedMessage,
  'id' | 'state' | 'serialNumber' | 'deviceId' | 'logicalNumberId' | 'confirmedAt'
> {
  /** Null for a command whose device has none. */
  readonly logicalNumber: string | null;
  readonly wasHanded: boolean;
  /** True if the terminal that it was given to, or another one with the number, may use the service. */
  readonly isReachable: boolean;
}

export async function selectHanded(work: ReadWork, ids: Ids) {
  const { db } = specialSql(work);
  const companyId = hiddenFromPlanner(work.caller.companyId);
  const enabled = sql`select 1 from devices where devices.company_id = ${companyId} and devices.enabled`;
  const { rows } = await sql<
    Stored<Handed>
  >`select d.id, d.logical_number_id as "logicalNumberId", d.device_id as "deviceId",
      n.number as "logicalNumber", d.state, d.serial_number as "serialNumber", d.confirmed_at as "confirmedAt",
      d.attempts > 0 or d.sent_at is not null as "wasHanded",
      exists (${enabled} and devices.logical_number_id = d.logical_number_id)
        or exists (${enabled} and devices.serial_number = d.serial_number
          and devices.logical_number_id is not null)
        or exists (${enabled} and devices.id = d.device_id and devices.logical_number_id is not null) as "isReachable"
    from notification_deliveries as d
    left join devices as v on v.company_id = ${companyId} and v.id = d.device_id
    left join logical_numbers as n on n.company_id = ${companyId}
      and n.id = coalesce(d.logical_number_id, v.logical_number_id)
    where d.company_id = ${companyId} and d.id ${inIds(ids)}`.execute(db);
  const handedOf = (row: Stored<Handed>): Handed => ({
    ...row,
    confirmedAt: optionalInstant.fromColumn(row.confirmedAt),
    wasHanded: flag.fromColumn(row.wasHanded),
    isReachable: flag.fromColumn(row.isReachable),
  });
  return new Map(rows.map((row) => [row.id, handedOf(row)]));
}
