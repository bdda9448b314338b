import { CompanyTable } from '../../../database/company/company-table.js';
import { Records } from '../../../database/company/records.js';
import type { Condition } from '../../../database/list/condition.js';
import { auditedList } from '../../../database/list/list.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';
import { warningOfCardData } from '../../../platform/card-data/card-data.js';
import { isTurnOver, yieldToEventLoop } from '../../../platform/concurrency/event-loop.js';
import { invalid, tooManyRecords } from '../../../platform/errors.js';
import { parse } from '../../../platform/validate.js';
import { refuseUnknownGroup } from '../../fleet/group/group.service.js';
import * as fleet from '../../fleet/logical-number/logical-number.service.js';
import { refuseUnknownApp } from '../../software/app/app.service.js';
import { insertDeliveries, targets, reportDeliveries, selectMembersAfter } from './delivery.repository.js';
import { hasDelivery } from './notification-summary.repository.js';
import { NotificationSend, QUEUED_MS, type Notification } from './notification.model.js';
import { MAX_TARGETS, storedContent, targetsOf, warningOfAction } from './notification.rules.js';

const notificationTable = new CompanyTable<'notifications', Notification>('notifications');

export const notifications = auditedList(notificationTable, {
  name: 'Notification',
  isLarge: true,
  orders: { EXPIRES_AT: 'expires_at' },
  filters: {
    content: { column: 'content', kind: 'text' },
    kind: { column: 'kind', kind: 'choice', order: 'ID' },
    groupId: { column: 'group_id', kind: 'id', order: 'ID' },
    appId: { column: 'app_id', kind: 'id', order: 'ID' },
    deliveryState: { column: 'id', kind: 'choice', where: hasDelivery },
    createdById: { column: 'created_by', kind: 'id' },
    expiresAt: { column: 'expires_at', kind: 'instant' },
  },
});

export const { get: getNotification, list: listNotifications } = new Records(notificationTable);

/** Queues one delivery for each logical number, given once or twice (contract 26). Errors: `invalid` (then nothing is queued), `too_many_records`. */
export async function sendNotification(work: WriteWork, input: unknown) {
  const { content, kind, appId, groupId, numbers } = await checked(work, input);
  const stored = storedContent(content, kind);
  const warnings = [warningOfCardData(content), warningOfAction(stored, appId !== null)];
  for (const warning of warnings) if (warning !== undefined) work.warnings.push(`content: ${warning}`);
  const notification = await notificationTable.insert(work, {
    content: stored,
    range: groupId === null ? 'specific_logical_numbers' : 'group',
    kind,
    groupId,
    appId,
    expiresAt: new Date(work.now.getTime() + QUEUED_MS),
  });
  const ids = numbers.map((number) => number.id);
  const queued = await (groupId === null
    ? queueForNumbers(work, notification.id, ids)
    : queueForGroup(work, notification.id, groupId));
  reportDeliveries(work);
  const after = { ...notification, queued };
  work.ledger.created('notification', after);
  return after;
}

/** The logical numbers for which a condition holds now. Errors: `too_many_records`. */
export async function findNumbers(work: ReadWork, filter: Condition): Promise<readonly string[]> {
  return (await fleet.findTarget(work, { filter }, MAX_TARGETS)).map(({ number }) => number);
}

/** Logical numbers that would get the notification, and those without a device. Errors: those of `sendNotification`. */
export async function affectedByNotification(work: ReadWork, input: unknown) {
  const { groupId, numbers } = await checked(work, input);
  const ids = numbers.map(({ id }) => id);
  const condition: Condition =
    groupId === null ? { field: 'id', operator: 'in', value: ids } : fleet.ofGroup(groupId);
  const affected = await fleet.affectedBy(work, condition);
  return { ...affected, ...(await fleet.affectedWithoutDevice(work, condition)) };
}

async function checked(work: ReadWork, input: unknown) {
  const given = parse(NotificationSend, input);
  const kind = given.kind ?? 'show';
  const appId = given.appId ?? null;
  const { groupId, numbers } = targetsOf(given);
  if (appId !== null) {
    if (kind !== 'processing') throw invalid('appId', 'Only processing notifications can have an app.');
    await refuseUnknownApp(work, 'appId', appId);
  }
  if (groupId !== null) await refuseUnknownGroup(work, 'groupId', groupId);
  const known = await fleet.findAllByNumbers(work, numbers);
  return { content: given.content, kind, appId, groupId, numbers: known };
}

/** Maximum deliveries that one statement inserts: 1,000 took up to 50 ms in a large database. */
const ROWS_PER_PART = 500;
/** Maximum logical numbers of a group for one notification: their ids are read in a transaction. */
const MAX_MEMBERS = 200_000;

/** Queues one delivery for each of at most 10,000 logical numbers. Returns their number. */
async function queueForNumbers(work: WriteWork, notificationId: number, ids: readonly number[]) {
  for (let start = 0; start < ids.length; start += ROWS_PER_PART) {
    // Yields before the first of several parts too: finding that many numbers has taken a turn.
    if (ids.length > ROWS_PER_PART) await yieldToEventLoop();
    await insertDeliveries(work, notificationId, ids.slice(start, start + ROWS_PER_PART));
  }
  return ids.length;
}

/** Queues one for each number in the group now; a job queues those of a large group. Returns how many. Errors: `too_many_records`. */
async function queueForGroup(work: WriteWork, notificationId: number, groupId: number): Promise<number> {
  let members = await selectMembersAfter(work, groupId, 0, ROWS_PER_PART);
  if (members.length < ROWS_PER_PART) return await queueForNumbers(work, notificationId, members);
  let total = 0;
  for (let part = 0; members.length > 0; part += 1) {
    total += members.length;
    if (total > MAX_MEMBERS) {
      const many = `more than ${MAX_MEMBERS} logical numbers`;
      throw tooManyRecords('The group', many, MAX_MEMBERS, 'send the notification to smaller groups');
    }
    const row = { notification_id: notificationId, part, logical_numbers: JSON.stringify(members) };
    await targets.insert(work, [row]);
    if (isTurnOver()) await yieldToEventLoop();
    members = await selectMembersAfter(work, groupId, members.at(-1) ?? 0, ROWS_PER_PART);
  }
  work.deferFinish();
  return total;
}
