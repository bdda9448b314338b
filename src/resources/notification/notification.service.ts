import { countOf } from '../../database/count.js';
import type { ReadWork, WriteWork } from '../../database/work.js';
import { invalid, notFound } from '../../platform/errors.js';
import type { Page, PageRequest } from '../../platform/page.js';
import { parse } from '../../platform/validate.js';
import { hasGroup } from '../group/group.service.js';
import { findLogicalNumbersByNumbers } from '../logical-number/logical-number.service.js';
import { NotificationSend, QUEUED_MS, type Notification } from './notification.model.js';
import {
  findNotification,
  hasApp,
  insertNotification,
  queueForGroup,
  queueForNumbers,
  selectNotifications,
} from './notification.repository.js';
import { refuseUnknown, storedContent, targetsOf, type Targets } from './notification.rules.js';

export { notifications } from './notification.repository.js';

export async function getNotification(work: ReadWork, id: number): Promise<Notification> {
  const notification = await findNotification(work, id);
  if (notification === undefined) throw notFound('notification');
  return notification;
}

/** Ascending by id. */
export async function listNotifications(work: ReadWork, request: PageRequest): Promise<Page<Notification>> {
  const total = await countOf(work, 'notifications');
  return { records: await selectNotifications(work, request), total, request };
}

/**
 * Queues one delivery for each logical number that it is for, at this instant; a number named twice gets it
 * once (contract 26). Errors: `invalid`, also for a target that does not exist, and then nobody is notified.
 */
export async function sendNotification(work: WriteWork, input: unknown): Promise<Notification> {
  const given = parse(NotificationSend, input);
  const kind = given.kind ?? 'show';
  const appId = given.appId ?? null;
  const targets = targetsOf(given);
  if (appId !== null) await refuseWrongApp(work, appId, kind);
  const numberIds = await knownTargets(work, targets);
  const notification = await insertNotification(work, {
    content: storedContent(given.content, kind),
    range: targets.range,
    kind,
    groupId: targets.range === 'group' ? targets.groupId : null,
    appId,
    expiresAt: new Date(work.now.getTime() + QUEUED_MS),
  });
  const queued =
    targets.range === 'group'
      ? await queueForGroup(work, notification.id, targets.groupId)
      : await queueForNumbers(work, notification.id, numberIds);
  work.ledger.append({
    action: 'create',
    entityType: 'notification',
    entityId: notification.id,
    after: { ...notification, queued },
  });
  return notification;
}

async function refuseWrongApp(work: ReadWork, appId: number, kind: string): Promise<void> {
  if (kind !== 'processing') throw invalid('appId', 'goes with kind processing only');
  if (!(await hasApp(work, appId))) throw invalid('appId', 'is not the id of an app');
}

async function knownTargets(work: ReadWork, targets: Targets): Promise<readonly number[]> {
  if (targets.range === 'group') {
    if (!(await hasGroup(work, targets.groupId))) throw invalid('groupId', 'is not the id of a group');
    return [];
  }
  const known = await findLogicalNumbersByNumbers(work, targets.numbers);
  refuseUnknown(
    targets.numbers,
    known.map(({ number }) => number),
  );
  return known.map(({ id }) => id);
}
