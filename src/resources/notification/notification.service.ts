import type { ReadWork, WriteWork } from '../../database/work.js';
import { invalid } from '../../platform/errors.js';
import { parse } from '../../platform/validate.js';
import { hasApp } from '../app/app.service.js';
import { hasGroup } from '../group/group.service.js';
import { findLogicalNumbersByNumbers } from '../logical-number/logical-number.service.js';
import { Records } from '../shared/records.service.js';
import { NotificationSend, QUEUED_MS, type Notification } from './notification.model.js';
import { DELIVERY } from './delivery/delivery.model.js';
import { queueForGroup, queueForNumbers } from './delivery/delivery.service.js';
import { notificationTable } from './notification.repository.js';
import { refuseUnknown, storedContent, targetsOf, type Targets } from './notification.rules.js';

export { notifications } from './notification.repository.js';

export const { get: getNotification, list: listNotifications } = new Records({
  entityType: 'notification',
  table: notificationTable,
  counter: 'notifications',
});

/**
 * Queues one delivery for each logical number of the group, or for each given number once, even if it is given twice
 * (contract 26). Errors: `invalid` (also for one unknown target: then nothing is queued), `too_many_records`.
 */
export async function sendNotification(work: WriteWork, input: unknown): Promise<Notification> {
  const given = parse(NotificationSend, input);
  const kind = given.kind ?? 'show';
  const appId = given.appId ?? null;
  const targets = targetsOf(given);
  if (appId !== null) await refuseWrongApp(work, appId, kind);
  const recipients = await recipientsOf(work, targets);
  const notification = await notificationTable.insert(work, {
    content: storedContent(given.content, kind),
    range: targets.range,
    kind,
    groupId: targets.range === 'group' ? targets.groupId : null,
    appId,
    expiresAt: new Date(work.now.getTime() + QUEUED_MS),
  });
  const queued =
    'groupId' in recipients
      ? await queueForGroup(work, notification.id, recipients.groupId)
      : await queueForNumbers(work, notification.id, recipients.logicalNumberIds);
  work.report({ companyId: work.caller.companyId, entityType: DELIVERY });
  const after = { ...notification, queued };
  work.ledger.created('notification', after);
  return notification;
}

type Recipients = { readonly groupId: number } | { readonly logicalNumberIds: readonly number[] };

async function refuseWrongApp(work: ReadWork, appId: number, kind: string): Promise<void> {
  if (kind !== 'processing') throw invalid('appId', 'goes with kind processing only');
  if (!(await hasApp(work, appId))) throw invalid('appId', 'is not the id of an app');
}

/** Errors: `invalid` if one of the targets does not exist. */
async function recipientsOf(work: ReadWork, targets: Targets): Promise<Recipients> {
  if (targets.range === 'group') {
    if (!(await hasGroup(work, targets.groupId))) throw invalid('groupId', 'is not the id of a group');
    return { groupId: targets.groupId };
  }
  const known = await findLogicalNumbersByNumbers(work, targets.numbers);
  refuseUnknown(
    targets.numbers,
    known.map(({ number }) => number),
  );
  return { logicalNumberIds: known.map(({ id }) => id) };
}
