import { sql } from 'kysely';

import { CompanyRows, type OfCompany, specialSql } from '../../../database/company/company-rows.js';
import { drawIds } from '../../../database/statements.js';
import {
  idTable,
  inIds,
  inList,
  pairTable,
  instant,
  typed,
  hiddenFromPlanner,
  indexedBy,
  type Sql,
} from '../../../database/storage.js';
import type { CompanyWriteWork, ReadWork, SystemReadWork } from '../../../database/work.js';
import type { Ids } from '../../../platform/validate.js';
import { DELIVERY_CHANGES, DELIVERY, type DeliveryState, type FinishedState } from './notification.model.js';

export const deliveries = new CompanyRows('notification_deliveries');

/** Parts of large groups, whose deliveries are made later. */
export const targets = new CompanyRows('notification_targets');

/** Ids of the group's logical numbers after `position`, ascending. */
export async function selectMembersAfter(work: ReadWork, groupId: number, position: number, limit: number) {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<{ id: number }>`select id from logical_numbers where company_id = ${companyId}
    and group_id = ${groupId} and id > ${position} order by id limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Makes one delivery for each logical number that exists. Returns how many were made. Three statements. */
export async function insertDeliveries(
  work: CompanyWriteWork,
  notificationId: number,
  logicalNumberIds: Ids,
  state: 'queued' | 'cancelled' = 'queued',
): Promise<number> {
  const count = await insertInto(work, logicalNumberIds, {
    of: sql`notification_id, logical_number_id`,
    lane: sql`n.id`,
    from: sql`logical_numbers as n cross join notifications as s`,
    sentId: notificationId,
    state,
  });
  work.count(`${state}Deliveries`, count);
  return count;
}

/** Makes one delivery of a command for each device that exists. Returns how many were made. Three statements. */
export async function insertCommandDeliveries(
  work: CompanyWriteWork,
  { id, isUrgent }: { readonly id: number; readonly isUrgent: boolean },
  deviceIds: Ids,
  state: 'queued' | 'cancelled',
): Promise<number> {
  return await insertInto(work, deviceIds, {
    of: sql`command_id, device_id`,
    lane: sql`-2 * n.id - ${sql.lit(isUrgent ? 1 : 0)}`,
    from: sql`devices as n cross join commands as s`,
    sentId: id,
    state,
  });
}

interface Inserted {
  /** Columns of the ids of the record that is sent, and of the one that it is for. */
  readonly of: Sql;
  readonly lane: Sql;
  /** Tables with the records that it is for, `n`, and the one that is sent, `s`. */
  readonly from: Sql;
  readonly sentId: number;
  readonly state: 'queued' | 'cancelled';
}

async function insertInto(
  work: CompanyWriteWork,
  ids: Ids,
  { of, lane, from, sentId, state }: Inserted,
): Promise<number> {
  const { db, companyId } = specialSql(work);
  const before = await numbersBefore(work, 'notification_deliveries', ids.length);
  const position = await numbersBefore(work, DELIVERY_CHANGES, ids.length);
  const finishedAt = typed('instant', state === 'queued' ? null : instant.toColumn(work.now));
  // Due now if nothing else waits in the lane.
  const dueAt =
    state === 'queued'
      ? sql`case when exists (select 1 from notification_deliveries as waiting
          where waiting.company_id = ${companyId} and waiting.lane = ${lane}
            and waiting.finished_at is null) then null else s.created_at end`
      : typed('instant', null);
  const made = await sql`insert into notification_deliveries
      (company_id, id, ${of}, lane, state, queued_at, finished_at, due_at, sequence)
    select n.company_id, ${before} + row_number() over (order by n.id), s.id, n.id, ${lane}, ${typed('text', state)},
      s.created_at, ${finishedAt}, ${dueAt}, ${position} + row_number() over (order by n.id)
    from ${idTable(ids)} cross join ${from}
    where n.company_id = ${companyId} and n.id = p.value
      and s.company_id = ${companyId} and s.id = ${sentId}`.execute(db);
  return Number(made.numAffectedRows ?? 0);
}

/** Logical numbers of a notification whose deliveries are made later. */
interface Part {
  readonly notificationId: number;
  readonly part: number;
}

/** A part of a notification whose deliveries are not made yet. */
export async function findPartOf(work: ReadWork, notificationId: number): Promise<Part | undefined> {
  const page = { page: 1, perPage: 1 };
  const [row] = await targets.select(work, { notification_id: notificationId }, { orderBy: ['part'], page });
  return row && { notificationId, part: row.part };
}

/** The first part of the company after `companyId` that has one. */
export async function findPartAfter(work: SystemReadWork, companyId: number) {
  const { db } = specialSql(work);
  const { rows } = await sql<Part & { companyId: number }>`select company_id as "companyId",
      notification_id as "notificationId", part from notification_targets
    where company_id > ${companyId} order by company_id, notification_id, part limit 1`.execute(db);
  return rows[0];
}

/** Makes the deliveries of a part, unless another process has. Returns how many were made. */
export async function makePart(
  work: CompanyWriteWork,
  { notificationId, part }: Part,
  state: 'queued' | 'cancelled' = 'queued',
): Promise<number> {
  const [taken] = await targets.delete(work, { notification_id: notificationId, part });
  reportDeliveries(work);
  if (taken === undefined) return 0;
  return await insertDeliveries(work, notificationId, JSON.parse(taken.logical_numbers) as number[], state);
}

/** Ids of deliveries of a notification, or of a command, in one of the states, in no certain order. */
export async function selectInStates(
  work: OfCompany<SystemReadWork>,
  { of, id }: Sent,
  states: readonly DeliveryState[],
  limit: number,
): Promise<Ids> {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<{ id: number }>`select d.id
    from ${indexedBy('notification_deliveries', 'd', `notification_deliveries_by_${of}_id_state_id`)}
    where d.company_id = ${companyId} and ${sql.ref(`d.${of}_id`)} = ${id}
      and d.state ${inList('text', states)} limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** A notification or a command, whose deliveries are looked for. */
export interface Sent {
  readonly of: 'notification' | 'command';
  readonly id: number;
}

/** One of any company that has expired, and of which deliveries wait. */
export async function findExpired(work: SystemReadWork, of: Sent['of']) {
  const { db } = specialSql(work);
  const id = sql.ref(`t.${of}_id`);
  const { rows } = await sql<{ companyId: number; id: number }>`
    select t.company_id as "companyId", ${id} as id from ${sql.table(`${of}_totals`)} as t
    join ${sql.table(`${of}s`)} as s on s.company_id = t.company_id and s.id = ${id}
    where t.queued + t.sent > 0 and s.expires_at <= ${instant.toColumn(work.now)} limit 1`.execute(db);
  return rows[0] && { ...rows[0], of };
}

/** Finishes the waiting ones of these; the next one of each lane becomes due. Returns their ids. */
export async function finish(
  work: CompanyWriteWork,
  ids: Ids,
  state: FinishedState,
  { reason = null, code = null, isReported = state === 'delivered' }: Ending = {},
): Promise<Ids> {
  const now = at(work.now);
  const sent = isReported
    ? sql`, sent_at = coalesce(sent_at, ${now}), confirmed_at = coalesce(confirmed_at, ${now})`
    : sql``;
  const set = sql`state = ${state}, finished_at = ${now}, reason = ${typed('text', reason)},
    code = ${typed('text', code)}, due_at = null, lease_ends_at = null${sent}`;
  // A terminal may report what it did after it has confirmed, or the command has ended for others.
  const mayEnd =
    state === 'delivered' || !isReported ? sql`finished_at is null` : sql`code is null and state <> 'done'`;
  const finished = await change(work, ids, set, mayEnd);
  await makeFirstDue(
    work,
    finished.map(({ lane }) => lane),
  );
  return finished.map(({ id }) => id);
}

/** How a delivery has ended. */
export interface Ending {
  readonly reason?: string | null;
  readonly code?: string | null;
  /** True if its terminal says so. */
  readonly isReported?: boolean;
}

/** The commands among some deliveries, with their devices. One statement. */
export async function selectCommands(work: OfCompany<SystemReadWork>, ids: Ids) {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<{ id: number; deviceId: number; commandId: number; command: string }>`
    select d.id, d.device_id as "deviceId", d.command_id as "commandId", k.action as command
    from notification_deliveries as d join commands as k on k.company_id = ${companyId} and k.id = d.command_id
    where d.company_id = ${companyId} and d.id ${inIds(ids)} order by d.id`.execute(db);
  return rows;
}

/** The first waiting delivery of each of these lanes becomes due, once nothing holds it. */
async function makeFirstDue(work: CompanyWriteWork, lanes: Ids): Promise<void> {
  if (lanes.length === 0) return;
  reportDeliveries(work);
  const { db, companyId } = specialSql(work);
  await sql`update notification_deliveries
    set due_at = case when lease_ends_at > ${at(work.now)} then lease_ends_at else ${at(work.now)} end
    where company_id = ${companyId} and due_at is null and id in (
      select (select min(waiting.id) from notification_deliveries as waiting
        where waiting.company_id = ${companyId} and waiting.lane = p.value
          and waiting.finished_at is null)
      from ${idTable([...new Set(lanes)])})`.execute(db);
}

/** Queues failed deliveries again, as if never tried: the first waiting one of each number is due. Returns how many. */
export async function requeue(work: CompanyWriteWork, ids: Ids): Promise<number> {
  const set = sql`state = 'queued', finished_at = null, reason = null, attempts = 0, confirmed_at = null`;
  const lanes = (await change(work, ids, set, sql`state = 'failed'`)).map(({ lane }) => lane);
  if (lanes.length === 0) return 0;
  work.count('queuedDeliveries', lanes.length);
  const { db, companyId } = specialSql(work);
  await sql`update notification_deliveries set due_at = null
    where company_id = ${companyId} and lane ${inIds(lanes)}
      and finished_at is null and due_at is not null and exists (
        select 1 from notification_deliveries as earlier where earlier.company_id = ${companyId}
          and earlier.lane = notification_deliveries.lane
          and earlier.finished_at is null and earlier.id < notification_deliveries.id)`.execute(db);
  await makeFirstDue(work, lanes);
  return lanes.length;
}

/** Notes confirmations that came after deliveries had ended in another way: their states stay. */
export async function noteConfirmed(work: CompanyWriteWork, ids: Ids): Promise<void> {
  const set = sql`confirmed_at = ${at(work.now)}`;
  const noted = await change(work, ids, set, sql`confirmed_at is null`);
  if (noted.length > 0) reportDeliveries(work);
}

/** Changes deliveries at new positions; `set` has serial numbers in `numbered.given`. Returns which changed. */
export async function change(
  work: CompanyWriteWork,
  ids: Ids,
  set: Sql,
  where: Sql,
  receivers?: ReadonlyMap<number, string | null>,
): Promise<readonly { readonly id: number; readonly lane: number }[]> {
  if (ids.length === 0) return [];
  const { db, companyId } = specialSql(work);
  const before = await numbersBefore(work, DELIVERY_CHANGES, ids.length);
  const numbered =
    receivers === undefined
      ? sql`select p.value as id, ${before} + row_number() over (order by p.value) as position from ${idTable(ids)}`
      : sql`select pair.id, pair.other as given, ${before} + row_number() over (order by pair.id) as position
          from ${pairTable<string>('text', [...receivers] as [number, string][])}`;
  const { rows } = await sql<{ id: number; lane: number }>`update notification_deliveries
    set ${set}, sequence = numbered.position
    from (${numbered}) as numbered
    where notification_deliveries.company_id = ${hiddenFromPlanner(companyId)} and notification_deliveries.id = numbered.id
      and ${where} returning notification_deliveries.id, lane`.execute(db);
  return rows;
}

/** Draws ids of deliveries, or positions of changes. Returns the number before the first one. */
async function numbersBefore(
  work: CompanyWriteWork,
  name: 'notification_deliveries' | typeof DELIVERY_CHANGES,
  count: number,
): Promise<number> {
  const { db, companyId } = specialSql(work);
  const drawn = await drawIds(db, name, [{ companyId, count }]);
  return (drawn.get(companyId) ?? 1) - 1;
}

/** Notifies subscribers, waiting terminals and publishers of changed deliveries, after the commit. */
export function reportDeliveries(work: CompanyWriteWork): void {
  work.report({ companyId: work.caller.companyId, entityType: DELIVERY });
}

export const at = (value: Date): Sql => typed('instant', instant.toColumn(value));

export const after = (value: Date, milliseconds: number) => at(new Date(value.getTime() + milliseconds));
