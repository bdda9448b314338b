import { inCompany } from '../../../database/company/company-rows.js';
import type {
  CompanyWriteWork,
  LedgerActionName,
  ReadWork,
  SystemWriteWork,
  Units,
  WriteWork,
} from '../../../database/work.js';
import { invalid, MAX_DELETED_TOGETHER, tooManyRecords } from '../../../platform/errors.js';
import { LOCAL_ORIGIN } from '../../../platform/requests.js';
import { deliverySummaries } from './delivery-list.repository.js';
import * as store from './delivery.repository.js';
import { end } from './ending.service.js';
import { type Notification, NO_DELIVERIES, type DeliverySummary } from './notification.model.js';
import { getNotification } from './notification.service.js';

export { insertCommandDeliveries, reportDeliveries } from './delivery.repository.js';
export {
  deliveriesOfDevice,
  deliveriesOfLogicalNumber,
  deliveriesOfNotification,
  deliveryList,
  deliveryNewRows,
  deliveryRetention,
  deliverySummaries,
} from './delivery-list.repository.js';

/** Deliveries changed by one unit of work: other changes wait for it. */
export const ROWS_PER_PART = 250;

export interface DeliveryPlan {
  readonly notification: Notification;
  /** Each resolves to the number of changed deliveries; running a part again changes nothing more. */
  readonly parts: readonly ((work: WriteWork) => Promise<number>)[];
}

/** Plans to cancel all waiting deliveries of a notification. Errors: `not_found`. */
export async function planCancel(work: ReadWork, notificationId: number): Promise<DeliveryPlan> {
  const notification = await getNotification(work, notificationId);
  const { queued, sent } = await summaryOf(work, notification);
  const unmade = await store.targets.count(work, { notification_id: notificationId });
  const waiting = queued + sent;
  // Extra parts: a background job may make deliveries meanwhile, which are cancelled like others.
  const count = Math.ceil(waiting / ROWS_PER_PART) + 3 * unmade;
  return partsOf(notification, { action: 'cancel', count, after: { waiting } }, cancelSome);
}

/** Plans to queue failed deliveries again. Errors: `not_found`; `invalid` for an expired notification. */
export async function planRetry(work: ReadWork, notificationId: number): Promise<DeliveryPlan> {
  const notification = await getNotification(work, notificationId);
  if (work.now >= notification.expiresAt) {
    const at = notification.expiresAt.toISOString();
    throw invalid('id', 'expired at {at}: send the notification again', { at });
  }
  const { failed } = await summaryOf(work, notification);
  const count = Math.ceil(failed / ROWS_PER_PART);
  return partsOf(notification, { action: 'retry', count, after: { failed } }, retrySome);
}

async function summaryOf(work: ReadWork, notification: Notification): Promise<DeliverySummary> {
  return (await deliverySummaries(work, [notification])).get(notification.id) ?? NO_DELIVERIES;
}

/** The first part also adds the ledger entry. */
function partsOf(
  notification: Notification,
  {
    action,
    count,
    after,
  }: { readonly action: LedgerActionName; readonly count: number; readonly after: object },
  change: (work: WriteWork, notificationId: number) => Promise<number>,
): DeliveryPlan {
  const { id } = notification;
  const parts = Array.from({ length: count }, (_, index) => async (work: WriteWork) => {
    if (index === 0) work.ledger.append({ action, entityType: 'notification', entityId: id, after });
    return await change(work, id);
  });
  return { notification, parts };
}

async function cancelSome(work: WriteWork, notificationId: number): Promise<number> {
  const unmade = await store.findPartOf(work, notificationId);
  return await (unmade === undefined
    ? endSome(work, { of: 'notification', id: notificationId }, 'cancelled')
    : store.makePart(work, unmade, 'cancelled'));
}

/** Ends some waiting deliveries. Returns how many. */
export async function endSome(work: CompanyWriteWork, sent: store.Sent, state: 'cancelled' | 'expired') {
  const ids = await store.selectInStates(work, sent, ['queued', 'sent'], ROWS_PER_PART);
  return await end(work, ids, state);
}

async function retrySome(work: WriteWork, notificationId: number): Promise<number> {
  return await store.requeue(
    work,
    await store.selectInStates(work, { of: 'notification', id: notificationId }, ['failed'], ROWS_PER_PART),
  );
}

/** Ends some deliveries that have waited for too long. Resolves to true if there may be more. */
export async function expireDeliveries(units: Units): Promise<boolean> {
  const expired = await units.systemRead(
    async (work) =>
      (await store.findExpired(work, 'notification')) ?? (await store.findExpired(work, 'command')),
  );
  if (expired === undefined) return false;
  const { companyId, ...sent } = expired;
  const expire = (work: SystemWriteWork) => endSome(inCompany(work, companyId), sent, 'expired');
  await units.systemWrite(LOCAL_ORIGIN, expire, companyId);
  return true;
}

/** Queues a remaining part, of the first company after `companyId` or the first of all; resolves to its id, null if none remain. */
export async function takeDeliveryStep(units: Units, companyId: number): Promise<number | null> {
  const part = await units.systemRead(
    async (work) => (await store.findPartAfter(work, companyId)) ?? (await store.findPartAfter(work, 0)),
  );
  if (part === undefined) return null;
  const make = (work: SystemWriteWork) => store.makePart(inCompany(work, part.companyId), part);
  await units.systemWrite(LOCAL_ORIGIN, make, part.companyId);
  return part.companyId;
}

/** Deletes the deliveries of a logical number that is being deleted. Errors: `too_many_records`. */
export async function deleteDeliveriesOf(
  work: WriteWork,
  { id, number }: { readonly id: number; readonly number: string },
): Promise<void> {
  const ofNumber = { logical_number_id: id };
  const total = await store.deliveries.count(work, ofNumber);
  if (total > MAX_DELETED_TOGETHER) {
    const instead = 'first delete old ones (terminal-gateway db prune --deliveries), or set KEEP_DELIVERIES';
    const many = `${total} deliveries of notifications`;
    throw tooManyRecords(`The logical number ${number}`, many, MAX_DELETED_TOGETHER, instead);
  }
  await store.deliveries.deleteInParts(work, ofNumber);
}
