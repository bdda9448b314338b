import { sql } from 'kysely';

import { idTable } from '../../../../database/bound-lists.js';
import { CompanyRows } from '../../../../database/company/company-rows.js';
import { instant, typed } from '../../../../database/storage.js';
import {
  type CompanyWriteWork,
  type ReadWork,
  specialSql,
  type SystemReadWork,
  type WriteWork,
} from '../../../../database/work.js';
import { numbersBefore } from './delivery-changes.repository.js';
import { DELIVERY_CHANGES } from './delivery.model.js';

export const deliveries = new CompanyRows('notification_deliveries');

const targets = new CompanyRows('notification_targets');

/** Ids of the group's logical numbers after `position`, ascending. */
export async function selectMembersAfter(
  work: ReadWork,
  groupId: number,
  position: number,
  limit: number,
): Promise<number[]> {
  const { db, companyId } = specialSql(work);
  const rows = await db
    .selectFrom('logical_numbers')
    .select('id')
    .where('company_id', '=', companyId)
    .where('group_id', '=', groupId)
    .where('id', '>', position)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => row.id);
}

/**
 * Makes one delivery of the notification for each logical number, queued or cancelled already. Logical numbers
 * that do not exist get none. Returns how many were made. Three statements.
 */
export async function insertDeliveries(
  work: CompanyWriteWork,
  notificationId: number,
  logicalNumberIds: readonly number[],
  state: 'queued' | 'cancelled' = 'queued',
): Promise<number> {
  const { db, companyId } = specialSql(work);
  const before = await numbersBefore(work, 'notification_deliveries', logicalNumberIds.length);
  const position = await numbersBefore(work, DELIVERY_CHANGES, logicalNumberIds.length);
  const finishedAt = typed('instant', state === 'queued' ? null : instant.toColumn(work.now));
  // Due now if nothing else waits for the logical number.
  const dueAt =
    state === 'queued'
      ? sql`case when exists (select 1 from notification_deliveries as waiting
          where waiting.company_id = ${companyId} and waiting.logical_number_id = n.id
            and waiting.finished_at is null) then null else s.created_at end`
      : typed('instant', null);
  const made = await sql`insert into notification_deliveries
      (company_id, id, notification_id, logical_number_id, state, queued_at, finished_at, due_at, sequence)
    select n.company_id, ${before} + row_number() over (order by n.id), s.id, n.id, ${typed('text', state)},
      s.created_at, ${finishedAt}, ${dueAt}, ${position} + row_number() over (order by n.id)
    from ${idTable(logicalNumberIds)} cross join logical_numbers as n cross join notifications as s
    where n.company_id = ${companyId} and n.id = p.value
      and s.company_id = ${companyId} and s.id = ${notificationId}`.execute(db);
  const count = Number(made.numAffectedRows ?? 0);
  work.count(`${state}Deliveries`, count);
  return count;
}

/** Logical numbers of a notification whose deliveries are made later. */
interface Part {
  readonly notificationId: number;
  /** Number of the part, from 0. */
  readonly part: number;
}

export async function insertPart(
  work: WriteWork,
  { notificationId, part }: Part,
  logicalNumberIds: readonly number[],
): Promise<void> {
  const logicalNumbers = JSON.stringify(logicalNumberIds);
  await targets.insert(work, [{ notification_id: notificationId, part, logical_numbers: logicalNumbers }]);
}

/** Number of parts of a notification whose deliveries are not made yet. */
export async function countParts(work: ReadWork, notificationId: number): Promise<number> {
  return await targets.count(work, { notification_id: notificationId });
}

/** One of them. */
export async function findPartOf(work: ReadWork, notificationId: number): Promise<Part | undefined> {
  const page = { page: 1, perPage: 1 };
  const [row] = await targets.select(work, { notification_id: notificationId }, { orderBy: ['part'], page });
  return row && { notificationId, part: row.part };
}

/** The first part of the company after `companyId` that has one. */
export async function findPartAfter(
  work: SystemReadWork,
  companyId: number,
): Promise<(Part & { readonly companyId: number }) | undefined> {
  const { db } = specialSql(work);
  return await db
    .selectFrom('notification_targets')
    .select(['company_id as companyId', 'notification_id as notificationId', 'part'])
    .where('company_id', '>', companyId)
    .orderBy('company_id')
    .orderBy('notification_id')
    .orderBy('part')
    .limit(1)
    .executeTakeFirst();
}

/** Makes the deliveries of a part, unless another process has. Returns how many were made. */
export async function makePart(
  work: CompanyWriteWork,
  { notificationId, part }: Part,
  state: 'queued' | 'cancelled' = 'queued',
): Promise<number> {
  const [taken] = await targets.delete(work, { notification_id: notificationId, part });
  if (taken === undefined) return 0;
  const logicalNumberIds = JSON.parse(taken.logical_numbers) as number[];
  return await insertDeliveries(work, notificationId, logicalNumberIds, state);
}
