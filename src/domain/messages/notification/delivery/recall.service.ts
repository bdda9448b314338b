import { inCompany } from '../../../../database/company/company-rows.js';
import type { ReadWork, Units, WriteWork } from '../../../../database/work.js';
import { LOCAL_ORIGIN } from '../../../../platform/caller.js';
import { invalid } from '../../../../platform/errors.js';
import type { Notification } from '../notification.model.js';
import { getNotification } from '../notification.service.js';
import { finish, requeue } from './delivery-changes.repository.js';
import { DELIVERY, NO_DELIVERIES, type DeliverySummary } from './delivery.model.js';
import { countParts, findPartOf, makePart } from './delivery.repository.js';
import { findExpired, selectInStates, selectSummaries } from './recall.repository.js';

export {
  deliveriesOfDevice,
  deliveriesOfLogicalNumber,
  deliveriesOfNotification,
  deliveryNewRows,
  deliveryList,
} from './delivery-list.repository.js';

/** Deliveries changed by one unit of work: other changes wait for it. */
const ROWS_PER_PART = 250;

/** One part of a change of many deliveries. Resolves to the number of changed deliveries. */
export type DeliveryPart = (work: WriteWork) => Promise<number>;

export interface DeliveryPlan {
  readonly notification: Notification;
  /** Running a part again changes nothing more. */
  readonly parts: readonly DeliveryPart[];
}

/** Number of deliveries of each notification in each state, by notification id. One statement. */
export async function deliverySummaries(
  work: ReadWork,
  notifications: readonly Pick<Notification, 'id'>[],
): Promise<ReadonlyMap<number, DeliverySummary>> {
  return await selectSummaries(
    work,
    notifications.map(({ id }) => id),
  );
}

/** Plans to cancel all waiting deliveries of a notification. Errors: `not_found`. */
export async function planCancel(work: ReadWork, notificationId: number): Promise<DeliveryPlan> {
  const notification = await getNotification(work, notificationId);
  const { queued, sent } = await summaryOf(work, notification);
  const unmade = await countParts(work, notificationId);
  // Extra parts: a background job may make deliveries meanwhile, which are cancelled like others.
  const count = Math.ceil((queued + sent) / ROWS_PER_PART) + 3 * unmade;
  const waiting = queued + sent;
  return {
    notification,
    parts: partsOf(notification, { action: 'cancel', count, after: { waiting } }, cancelSome),
  };
}

/** Plans to queue failed deliveries again. Errors: `not_found`; `invalid` for an expired notification. */
export async function planRetry(work: ReadWork, notificationId: number): Promise<DeliveryPlan> {
  const notification = await getNotification(work, notificationId);
  if (work.now >= notification.expiresAt) {
    throw invalid('id', `expired at ${notification.expiresAt.toISOString()}: send the notification again`);
  }
  const { failed } = await summaryOf(work, notification);
  const count = Math.ceil(failed / ROWS_PER_PART);
  return {
    notification,
    parts: partsOf(notification, { action: 'retry', count, after: { failed } }, retrySome),
  };
}

async function summaryOf(work: ReadWork, notification: Notification): Promise<DeliverySummary> {
  return (await deliverySummaries(work, [notification])).get(notification.id) ?? NO_DELIVERIES;
}

/** The first part also adds the ledger entry. */
function partsOf(
  notification: Notification,
  { action, count, after }: { readonly action: string; readonly count: number; readonly after: object },
  change: (work: WriteWork, notificationId: number) => Promise<number>,
): readonly DeliveryPart[] {
  return Array.from({ length: count }, (_, index) => async (work: WriteWork) => {
    const { id } = notification;
    if (index === 0) work.ledger.append({ action, entityType: 'notification', entityId: id, after });
    const changed = await change(work, id);
    if (changed > 0) work.report({ companyId: work.caller.companyId, entityType: DELIVERY });
    return changed;
  });
}

async function cancelSome(work: WriteWork, notificationId: number): Promise<number> {
  const unmade = await findPartOf(work, notificationId);
  if (unmade !== undefined) return await makePart(work, unmade, 'cancelled');
  const ids = await selectInStates(work, notificationId, ['queued', 'sent'], ROWS_PER_PART);
  return await finish(work, ids, 'cancelled');
}

async function retrySome(work: WriteWork, notificationId: number): Promise<number> {
  return await requeue(work, await selectInStates(work, notificationId, ['failed'], ROWS_PER_PART));
}

/** Ends some deliveries that have waited for 7 days. Resolves to true if there may be more. */
export async function expireDeliveries(units: Units): Promise<boolean> {
  const expired = await units.systemRead(findExpired);
  if (expired === undefined) return false;
  const { companyId, id } = expired;
  const expireSome = async (work: Parameters<typeof finish>[0]): Promise<void> => {
    await finish(work, await selectInStates(work, id, ['queued', 'sent'], ROWS_PER_PART), 'expired');
    work.report({ companyId, entityType: DELIVERY });
  };
  await units.systemWrite(LOCAL_ORIGIN, (work) => expireSome(inCompany(work, companyId)), companyId);
  return true;
}
