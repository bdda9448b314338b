import { CompanyTable } from '../../../database/company/company-table.js';
import { Records } from '../../../database/company/records.js';
import { auditedList } from '../../../database/list/list.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';
import { warningOfCardData } from '../../../platform/card-data/card-data.js';
import { invalid } from '../../../platform/errors.js';
import { parse } from '../../../platform/validate.js';
import { refuseUnknownGroup } from '../../fleet/group/group.service.js';
import {
  affected,
  affectedOfGroup,
  findAllByNumbers,
  type Affected,
} from '../../fleet/logical-number/target.service.js';
import { refuseUnknownApp } from '../../software/app/app.service.js';
import { reportDeliveries } from './delivery/delivery-changes.repository.js';
import { queueForGroup, queueForNumbers } from './delivery/delivery.service.js';
import { NotificationSend, QUEUED_MS, type Notification } from './notification.model.js';
import { storedContent, targetsOf } from './notification.rules.js';

const notificationTable = new CompanyTable<'notifications', Notification>('notifications');

export const notifications = auditedList(notificationTable, {
  name: 'Notification',
  isLarge: true,
  orders: { EXPIRES_AT: 'expires_at' },
  filters: {
    kind: { column: 'kind', kind: 'choice', order: 'ID' },
    groupId: { column: 'group_id', kind: 'id', order: 'ID' },
    expiresAt: { column: 'expires_at', kind: 'instant' },
  },
});

export const { get: getNotification, list: listNotifications } = new Records({
  entityType: 'notification',
  table: notificationTable,
});

/**
 * Queues one delivery for each logical number of the group, or for each given number once, even if it is
 * given twice (contract 26). Errors: `invalid` (also for one unknown target: then nothing is queued),
 * `too_many_records`.
 */
export async function sendNotification(
  work: WriteWork,
  input: unknown,
): Promise<Notification & { readonly queued: number }> {
  const { content, kind, appId, groupId, numbers } = await checked(work, input);
  const warning = warningOfCardData(content);
  if (warning !== undefined) work.warnings.push(`content: ${warning}`);
  const notification = await notificationTable.insert(work, {
    content: storedContent(content, kind),
    range: groupId === null ? 'specific_logical_numbers' : 'group',
    kind,
    groupId,
    appId,
    expiresAt: new Date(work.now.getTime() + QUEUED_MS),
  });
  const { id } = notification;
  const queued =
    groupId === null
      ? await queueForNumbers(
          work,
          id,
          numbers.map((number) => number.id),
        )
      : await queueForGroup(work, id, groupId);
  reportDeliveries(work);
  const after = { ...notification, queued };
  work.ledger.created('notification', after);
  return after;
}

/** Logical numbers that would get the notification. Errors: those of `sendNotification`. */
export async function affectedByNotification(work: ReadWork, input: unknown): Promise<Affected> {
  const { groupId, numbers } = await checked(work, input);
  return groupId === null
    ? affected([...numbers].sort((one, other) => one.id - other.id))
    : await affectedOfGroup(work, groupId);
}

/** The fields of a notification, and the group or the logical numbers that get it. */
async function checked(work: ReadWork, input: unknown) {
  const given = parse(NotificationSend, input);
  const kind = given.kind ?? 'show';
  const appId = given.appId ?? null;
  const { groupId, numbers } = targetsOf(given);
  if (appId !== null) {
    if (kind !== 'processing') throw invalid('appId', 'goes with kind processing only');
    await refuseUnknownApp(work, 'appId', appId);
  }
  if (groupId !== null) await refuseUnknownGroup(work, 'groupId', groupId);
  const known = await findAllByNumbers(work, numbers);
  return { content: given.content, kind, appId, groupId, numbers: known };
}
