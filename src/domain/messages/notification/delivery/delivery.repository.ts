import { sql, type QueryExecutorProvider, type RawBuilder } from 'kysely';

import { inIds, idTable } from '../../../../database/bound-lists.js';
import { CompanyRows, inCompany } from '../../../../database/company/company-rows.js';
import { drawIds } from '../../../../database/company/ids.js';
import { specialSql } from '../../../../database/company/special-sql.js';
import { instant, typed } from '../../../../database/storage.js';
import type { ReadWork, SystemReadWork, SystemWriteWork, WriteWork } from '../../../../database/work.js';
import type { Row } from '../../../../schema/schema.js';
import { positionsBefore } from './delivery-changes.repository.js';

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

/** Queues one delivery for each logical number, in two statements. */
export async function queueDeliveries(
  work: WriteWork,
  notificationId: number,
  logicalNumberIds: readonly number[],
): Promise<void> {
  const { db, companyId } = specialSql(work);
  const before = await idsBefore(db, companyId, logicalNumberIds.length);
  const position = await positionsBefore(work, logicalNumberIds.length);
  const queuedAt = typed('instant', instant.toColumn(work.now));
  await sql`insert into notification_deliveries
      (company_id, id, notification_id, logical_number_id, state, queued_at, due_at, sequence)
    select company_id, ${before} + row_number() over (order by id), ${typed('integer', notificationId)}, id, 'queued',
      ${queuedAt}, ${dueIfFirst(companyId, 'logical_numbers', queuedAt)}, ${position} + row_number() over (order by id)
    from logical_numbers
    where company_id = ${companyId} and id ${inIds(logicalNumberIds)}`.execute(db);
  work.count('queuedDeliveries', logicalNumberIds.length);
}

/** The time of a new delivery if nothing else waits for its logical number. */
function dueIfFirst(
  companyId: number,
  logicalNumber: string,
  queuedAt: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`case when exists (select 1 from notification_deliveries as waiting
    where waiting.company_id = ${companyId} and waiting.logical_number_id = ${sql.ref(`${logicalNumber}.id`)}
      and waiting.finished_at is null) then null else ${queuedAt} end`;
}

/** Reserves ids for `count` deliveries. Returns the number before the first one. */
async function idsBefore(db: QueryExecutorProvider, companyId: number, count: number): Promise<number> {
  const drawn = await drawIds(db, 'notification_deliveries', [{ companyId, count }]);
  return (drawn.get(companyId) ?? 1) - 1;
}

export async function insertTargets(
  work: WriteWork,
  notificationId: number,
  part: number,
  logicalNumberIds: readonly number[],
): Promise<void> {
  const logicalNumbers = JSON.stringify(logicalNumberIds);
  await targets.insert(work, [{ notification_id: notificationId, part, logical_numbers: logicalNumbers }]);
}

interface Part {
  readonly companyId: number;
  readonly notificationId: number;
  readonly part: number;
  readonly logicalNumberIds: readonly number[];
}

/** Number of parts of a notification whose deliveries are not made yet. */
export async function countParts(work: ReadWork, notificationId: number): Promise<number> {
  return await targets.count(work, { notification_id: notificationId });
}

/** One of them. */
export async function findPartOf(work: ReadWork, notificationId: number): Promise<Part | undefined> {
  const page = { page: 1, perPage: 1 };
  const [row] = await targets.select(work, { notification_id: notificationId }, { orderBy: ['part'], page });
  return row && partOf(row);
}

/** The first part of the company after `companyId` that has one. */
export async function findPartAfter(work: SystemReadWork, companyId: number): Promise<Part | undefined> {
  const { db } = specialSql(work);
  const row = await db
    .selectFrom('notification_targets')
    .selectAll()
    .where('company_id', '>', companyId)
    .orderBy('company_id')
    .orderBy('notification_id')
    .orderBy('part')
    .limit(1)
    .executeTakeFirst();
  return row && partOf(row);
}

const partOf = (row: Row<'notification_targets'>): Part => ({
  companyId: row.company_id,
  notificationId: row.notification_id,
  part: row.part,
  logicalNumberIds: JSON.parse(row.logical_numbers) as number[],
});

/**
 * Makes the deliveries of a part, unless another process has: queued, or cancelled already. Logical numbers
 * that were deleted since get none. Returns how many were made.
 */
export async function makePart(
  work: SystemWriteWork,
  part: Part,
  state: 'queued' | 'cancelled' = 'queued',
): Promise<number> {
  const { db } = specialSql(work);
  const { companyId, notificationId, logicalNumberIds } = part;
  const deleted = await db
    .deleteFrom('notification_targets')
    .where('company_id', '=', companyId)
    .where('notification_id', '=', notificationId)
    .where('part', '=', part.part)
    .executeTakeFirst();
  if (deleted.numDeletedRows === 0n) return 0;
  const before = await idsBefore(db, companyId, logicalNumberIds.length);
  const position = await positionsBefore(inCompany(work, companyId), logicalNumberIds.length);
  const isQueued = state === 'queued';
  const finishedAt = isQueued ? null : instant.toColumn(work.now);
  const made = await sql`insert into notification_deliveries
      (company_id, id, notification_id, logical_number_id, state, queued_at, finished_at, due_at, sequence)
    select n.company_id, ${before} + row_number() over (order by n.id), s.id, n.id, ${typed('text', state)},
      s.created_at, ${typed('instant', finishedAt)},
      ${isQueued ? dueIfFirst(companyId, 'n', sql`s.created_at`) : typed('instant', null)},
      ${position} + row_number() over (order by n.id)
    from ${idTable(logicalNumberIds)} cross join logical_numbers as n cross join notifications as s
    where n.company_id = ${companyId} and n.id = p.value
      and s.company_id = ${companyId} and s.id = ${notificationId}`.execute(db);
  const count = Number(made.numAffectedRows ?? 0);
  work.count(`${state}Deliveries`, count);
  return count;
}
