import { sql } from 'kysely';

import type { OfCompany } from '../../../database/company/company-rows.js';
import { specialSql } from '../../../database/company/special-sql.js';
import { idTable, inIds, joinIds } from '../../../database/bound-lists.js';
import { crossJoin, instant, steady } from '../../../database/storage.js';
import type { SystemReadWork, SystemWriteWork } from '../../../database/work.js';
import {
  EXPIRES_MS,
  PAUSES_MS,
  type ClaimedDelivery,
  type DeliveryState,
  type WaitingDelivery,
} from './delivery.model.js';
import { after, at, change } from './delivery-changes.repository.js';

type ReadWork = OfCompany<SystemReadWork>;
type WriteWork = OfCompany<SystemWriteWork>;

export interface Waiting extends WaitingDelivery {
  readonly logicalNumberId: number;
  readonly logicalNumber: string;
  readonly content: string;
  readonly state: string;
  readonly appName: string | null;
  /** Of the company. */
  readonly companyName: string;
  readonly timeZone: string;
}

interface WaitingRow {
  readonly id: number;
  readonly logical_number_id: number;
  readonly number: string;
  readonly content: string;
  readonly state: string;
  readonly attempts: number;
  readonly queued_at: number;
  readonly lease_ends_at: number | null;
  readonly is_reachable: number | boolean;
  readonly app_name: string | null;
  readonly company_name: string;
  readonly time_zone: string;
}

const waitingOf = (row: WaitingRow): Waiting => ({
  id: row.id,
  logicalNumberId: row.logical_number_id,
  logicalNumber: row.number,
  content: row.content,
  state: row.state,
  attempts: row.attempts,
  queuedAt: instant.fromColumn(row.queued_at),
  leaseEndsAt: row.lease_ends_at === null ? null : instant.fromColumn(row.lease_ends_at),
  isReachable: Boolean(row.is_reachable),
  appName: row.app_name,
  companyName: row.company_name,
  timeZone: row.time_zone,
});

/** The first company after `companyId` that has a delivery that is due. */
export async function findDueCompanyAfter(
  work: SystemReadWork,
  companyId: number,
): Promise<number | undefined> {
  const { db } = specialSql(work);
  const { rows } = await sql<{ id: number }>`select id from companies where id > ${companyId}
    and exists (select 1 from notification_deliveries as delivery
      where delivery.company_id = companies.id and delivery.due_at <= ${instant.toColumn(work.now)})
    order by id limit 1`.execute(db);
  return rows[0]?.id;
}

const COLUMNS = sql`d.id, d.state, d.logical_number_id, n.number, s.content, d.attempts, d.queued_at, d.lease_ends_at,
  a.name as app_name, c.name as company_name, c.time_zone`;

/** Waiting deliveries that are due, at most one of each logical number, those first that became due first. */
export async function selectDue(work: ReadWork, limit: number): Promise<readonly Waiting[]> {
  const { db } = specialSql(work);
  const { companyId } = work.caller;
  const { rows } = await sql<WaitingRow>`select ${COLUMNS}, exists (select 1 from devices
      where devices.company_id = ${companyId} and devices.logical_number_id = d.logical_number_id
        and devices.enabled) as is_reachable
    from (select * from notification_deliveries
      where company_id = ${companyId} and due_at <= ${instant.toColumn(work.now)}
      order by due_at, id limit ${limit}) as d
    join logical_numbers as n on n.company_id = ${companyId} and n.id = d.logical_number_id
    join notifications as s on s.company_id = ${companyId} and s.id = d.notification_id
    join companies as c on c.id = ${companyId}
    left join apps as a on a.company_id = ${companyId} and a.id = s.app_id
    order by d.due_at, d.id`.execute(db);
  return rows.map(waitingOf);
}

/** The first `limit` waiting deliveries of each logical number that has any, in their order. One statement. */
export async function selectWaiting(
  work: ReadWork,
  logicalNumberIds: readonly number[],
  limit: number,
): Promise<ReadonlyMap<number, readonly Waiting[]>> {
  const { db } = specialSql(work);
  const companyId = steady(work.caller.companyId);
  const first = sql`select w.id from notification_deliveries as w
    where w.company_id = ${companyId} and w.logical_number_id = p.value and w.finished_at is null
    order by w.id limit ${steady(limit)}`;
  const { rows } = await sql<WaitingRow>`select ${COLUMNS}, 1 as is_reachable
    from ${idTable(logicalNumberIds)} ${joinIds(first, 'first')}
    ${crossJoin} notification_deliveries as d on d.company_id = ${companyId} and d.id = first.value
    join logical_numbers as n on n.company_id = ${companyId} and n.id = d.logical_number_id
    join notifications as s on s.company_id = ${companyId} and s.id = d.notification_id
    join companies as c on c.id = ${companyId}
    left join apps as a on a.company_id = ${companyId} and a.id = s.app_id
    order by d.id`.execute(db);
  return Map.groupBy(rows.map(waitingOf), ({ logicalNumberId }) => logicalNumberId);
}

export interface Claim {
  readonly leaseEndsAt: Date;
  /** Whether they are handed to a connection with this unit of work. */
  readonly isSent: boolean;
}

/** Counts an attempt of each delivery and holds it. The worker may push it again after a pause that grows. */
export async function claim(
  work: WriteWork,
  ids: readonly number[],
  { leaseEndsAt, isSent }: Claim,
): Promise<void> {
  const pauses = PAUSES_MS.slice(0, -1).map(
    (pause, attempts) => sql`when ${sql.lit(attempts)} then ${after(work.now, pause)}`,
  );
  const due = sql`case when due_at is null then null else
    case attempts ${sql.join(pauses, sql` `)} else ${after(work.now, PAUSES_MS.at(-1) ?? 0)} end end`;
  const sent = isSent ? sql`, state = 'sent', sent_at = coalesce(sent_at, ${at(work.now)})` : sql``;
  const set = sql`attempts = attempts + 1, lease_ends_at = ${at(leaseEndsAt)}, due_at = ${due}${sent}`;
  await change(work, ids, { set, where: sql`finished_at is null` });
}

/** Holders of deliveries: the claim of each is named by the end of its lease. */
type Held = Pick<ClaimedDelivery, 'id' | 'leaseEndsAt'>;

export async function setSent(work: WriteWork, ids: readonly number[]): Promise<void> {
  const set = sql`state = 'sent', sent_at = coalesce(sent_at, ${at(work.now)})`;
  const sent = await change(work, ids, { set, where: sql`state = 'queued'` });
  work.count('sentDeliveries', sent.length);
}

/** Ends claims whose deliveries were handed to a broker: a connection of the terminal may have them too. */
export async function endLeases(work: WriteWork, held: readonly Held[]): Promise<void> {
  const { db } = specialSql(work);
  const { companyId } = work.caller;
  const byLease = Map.groupBy(held, ({ leaseEndsAt }) => leaseEndsAt.getTime());
  for (const [leaseEndsAt, own] of byLease) {
    await sql`update notification_deliveries set lease_ends_at = null
      where company_id = ${companyId} and id ${inIds(own.map(({ id }) => id))}
        and lease_ends_at = ${at(new Date(leaseEndsAt))}`.execute(db);
  }
}

/** Ends claims whose deliveries were not handed to anything: these attempts do not count. */
export async function release(work: WriteWork, held: readonly Held[], dueAt: Date): Promise<void> {
  const { db } = specialSql(work);
  const { companyId } = work.caller;
  const byLease = Map.groupBy(held, ({ leaseEndsAt }) => leaseEndsAt.getTime());
  for (const [leaseEndsAt, own] of byLease) {
    await sql`update notification_deliveries set attempts = attempts - 1, lease_ends_at = null,
        due_at = case when due_at is null then null else ${at(dueAt)} end
      where company_id = ${companyId} and id ${inIds(own.map(({ id }) => id))}
        and finished_at is null and lease_ends_at = ${at(new Date(leaseEndsAt))}`.execute(db);
  }
}

/** Makes deliveries of logical numbers that cannot be reached due when they expire, unless a device comes before. */
export async function postpone(work: WriteWork, waiting: readonly Waiting[]): Promise<void> {
  const { db } = specialSql(work);
  const { companyId } = work.caller;
  const last = Math.max(...waiting.map(({ queuedAt }) => queuedAt.getTime()));
  await sql`update notification_deliveries set due_at = ${after(new Date(last), EXPIRES_MS)}
    where company_id = ${companyId} and id ${inIds(waiting.map(({ id }) => id))}
      and due_at is not null`.execute(db);
}

export interface Handed {
  readonly id: number;
  readonly logicalNumberId: number;
  readonly logicalNumber: string;
  readonly state: DeliveryState;
  /** Whether it was ever handed out. */
  readonly wasHanded: boolean;
  /** Whether a device that may use the service works under its logical number. */
  readonly isReachable: boolean;
}

/** By id. */
export async function selectHanded(
  work: ReadWork,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Handed>> {
  const { db } = specialSql(work);
  const { companyId } = work.caller;
  const { rows } = await sql<{
    id: number;
    logical_number_id: number;
    number: string;
    state: DeliveryState;
    was_handed: number | boolean;
    is_reachable: number | boolean;
  }>`select d.id, d.logical_number_id, n.number, d.state,
      d.attempts > 0 or d.sent_at is not null as was_handed, exists (select 1 from devices
        where devices.company_id = ${steady(companyId)} and devices.logical_number_id = d.logical_number_id
          and devices.enabled) as is_reachable
    from notification_deliveries as d
    join logical_numbers as n on n.company_id = ${steady(companyId)} and n.id = d.logical_number_id
    where d.company_id = ${steady(companyId)} and d.id ${inIds(ids)}`.execute(db);
  return new Map(
    rows.map(({ id, logical_number_id, number, state, was_handed, is_reachable }) => [
      id,
      {
        ...{ id, state, wasHanded: Boolean(was_handed), isReachable: Boolean(is_reachable) },
        ...{ logicalNumberId: logical_number_id, logicalNumber: number },
      },
    ]),
  );
}
