import { inCompany } from '../../../../database/company/company-rows.js';
import type { CompanyWriteWork, Units, WriteWork } from '../../../../database/work.js';
import { LOCAL_ORIGIN } from '../../../../platform/caller.js';
import { isTurnOver, yieldToEventLoop } from '../../../../platform/concurrency/event-loop.js';
import { MAX_DELETED_TOGETHER, tooManyRecords } from '../../../../platform/limits/many-records.js';
import { reportDeliveries } from './delivery-changes.repository.js';
import {
  deliveries,
  findPartAfter,
  insertDeliveries,
  insertPart,
  makePart,
  selectMembersAfter,
} from './delivery.repository.js';

export { deliveryRetention } from './delivery-list.repository.js';

/** Maximum deliveries that one statement inserts: 1,000 took up to 50 ms in a large database. */
const ROWS_PER_PART = 500;
/** Maximum logical numbers of a group for one notification: their ids are read in a transaction. */
const MAX_MEMBERS = 200_000;

/** Queues one delivery for each of at most 10,000 logical numbers. Yields to the event loop between parts. */
export async function queueForNumbers(
  work: WriteWork,
  notificationId: number,
  logicalNumberIds: readonly number[],
): Promise<number> {
  for (let start = 0; start < logicalNumberIds.length; start += ROWS_PER_PART) {
    // Also before the first of several parts: finding that many numbers has taken a turn.
    if (start > 0 || logicalNumberIds.length > ROWS_PER_PART) await yieldToEventLoop();
    await insertDeliveries(work, notificationId, logicalNumberIds.slice(start, start + ROWS_PER_PART));
  }
  return logicalNumberIds.length;
}

/**
 * Queues one delivery for each logical number that is in the group now; a background job queues those of a
 * large group. Returns their number. Errors: `too_many_records`.
 */
export async function queueForGroup(
  work: WriteWork,
  notificationId: number,
  groupId: number,
): Promise<number> {
  let members = await selectMembersAfter(work, groupId, 0, ROWS_PER_PART);
  if (members.length < ROWS_PER_PART) return await queueForNumbers(work, notificationId, members);
  let total = 0;
  for (let part = 0; members.length > 0; part += 1) {
    total += members.length;
    if (total > MAX_MEMBERS) {
      throw tooManyRecords(
        'The group',
        `more than ${MAX_MEMBERS} logical numbers`,
        MAX_MEMBERS,
        'send the notification to smaller groups',
      );
    }
    await insertPart(work, { notificationId, part }, members);
    if (isTurnOver()) await yieldToEventLoop();
    members = await selectMembersAfter(work, groupId, members.at(-1) ?? 0, ROWS_PER_PART);
  }
  work.finishLater();
  return total;
}

/**
 * Queues one part of the remaining deliveries of notifications: of the first company after `companyId`, or
 * else of the first company. Returns the company's id; null if none remain.
 */
export async function takeDeliveryStep(units: Units, companyId: number): Promise<number | null> {
  const part = await units.systemRead(
    async (work) => (await findPartAfter(work, companyId)) ?? (await findPartAfter(work, 0)),
  );
  if (part === undefined) return null;
  const make = async (work: CompanyWriteWork): Promise<void> => {
    await makePart(work, part);
    reportDeliveries(work);
  };
  await units.systemWrite(LOCAL_ORIGIN, (work) => make(inCompany(work, part.companyId)), part.companyId);
  return part.companyId;
}

/** Deletes the deliveries of a logical number that is being deleted. Errors: `too_many_records`. */
export async function deleteDeliveriesOf(
  work: WriteWork,
  { id, number }: { readonly id: number; readonly number: string },
): Promise<void> {
  const ofNumber = { logical_number_id: id };
  const total = await deliveries.count(work, ofNumber);
  if (total > MAX_DELETED_TOGETHER) {
    throw tooManyRecords(
      `The logical number ${number}`,
      `${total} deliveries of notifications`,
      MAX_DELETED_TOGETHER,
      'first delete old ones (terminal-gateway db prune --deliveries), or set KEEP_DELIVERIES',
    );
  }
  await deliveries.deleteInParts(work, ofNumber);
}
