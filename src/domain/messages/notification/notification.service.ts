import { Records } from '../../../database/company/records.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';
import { warningOfCardData } from '../../../platform/card-data/card-data.js';
import { invalid } from '../../../platform/errors.js';
import { parse } from '../../../platform/validate.js';
import { refuseUnknownGroup } from '../../fleet/group/group.service.js';
import type { LogicalNumberHead } from '../../fleet/logical-number/logical-number.model.js';
import { findLogicalNumbersByNumbers } from '../../fleet/logical-number/logical-number.service.js';
import { affected, affectedOfGroup, type Affected } from '../../fleet/logical-number/target.service.js';
import { refuseUnknownApp } from '../../software/app/app.service.js';
import { DELIVERY } from './delivery/delivery.model.js';
import { queueForGroup, queueForNumbers } from './delivery/delivery.service.js';
import { NotificationSend, QUEUED_MS, type Notification } from './notification.model.js';
import { notificationTable } from './notification.repository.js';
import { refuseUnknown, storedContent, targetsOf, type Targets } from './notification.rules.js';

export { notifications } from './notification.repository.js';

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
  const { given, kind, appId, targets, recipients } = await checked(work, input);
  const warning = warningOfCardData(given.content);
  if (warning !== undefined) work.warnings.push(`content: ${warning}`);
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
      : await queueForNumbers(
          work,
          notification.id,
          recipients.numbers.map(({ id }) => id),
        );
  work.report({ companyId: work.caller.companyId, entityType: DELIVERY });
  const after = { ...notification, queued };
  work.ledger.created('notification', after);
  return after;
}

/** Logical numbers that would get the notification. Errors: those of `sendNotification`. */
export async function affectedByNotification(work: ReadWork, input: unknown): Promise<Affected> {
  const { recipients } = await checked(work, input);
  return 'groupId' in recipients
    ? await affectedOfGroup(work, recipients.groupId)
    : affected([...recipients.numbers].sort((one, other) => one.id - other.id));
}

async function checked(work: ReadWork, input: unknown) {
  const given = parse(NotificationSend, input);
  const kind = given.kind ?? 'show';
  const appId = given.appId ?? null;
  const targets = targetsOf(given);
  if (appId !== null) await refuseWrongApp(work, appId, kind);
  return { given, kind, appId, targets, recipients: await recipientsOf(work, targets) } as const;
}

type Recipients = { readonly groupId: number } | { readonly numbers: readonly LogicalNumberHead[] };

async function refuseWrongApp(work: ReadWork, appId: number, kind: string): Promise<void> {
  if (kind !== 'processing') throw invalid('appId', 'goes with kind processing only');
  await refuseUnknownApp(work, 'appId', appId);
}

/** Errors: `invalid` if one of the targets does not exist. */
async function recipientsOf(work: ReadWork, targets: Targets): Promise<Recipients> {
  if (targets.range === 'group') {
    await refuseUnknownGroup(work, 'groupId', targets.groupId);
    return { groupId: targets.groupId };
  }
  const known = await findLogicalNumbersByNumbers(work, targets.numbers);
  refuseUnknown(
    targets.numbers,
    known.map(({ number }) => number),
  );
  return { numbers: known };
}
