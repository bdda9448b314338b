import type { ReadWork, WriteWork } from '../../src/database/work.js';
import {
  countFailedSince,
  deliverySummaries,
  failedNumbersSince,
  selectFacts,
  selectOpenLanes,
  selectQueueChanges,
} from '../../src/domain/messages/notification/delivery-list.repository.js';
import {
  finish,
  requeue,
  selectInStates,
  deliveries,
  insertDeliveries,
} from '../../src/domain/messages/notification/delivery.repository.js';
import {
  claim,
  endClaims,
  postpone,
  selectDue,
  selectHanded,
  selectWaiting,
} from '../../src/domain/messages/notification/dispatch.repository.js';
import { summarizeNotifications } from '../../src/domain/messages/notification/notification-summary.service.js';
import { notifications } from '../../src/domain/messages/notification/notification.service.js';
import { FAILED_EARLIER, FAILED_LATER, LEASE_END, LEASED } from './two-companies.js';

const NUMBERS = [1, 2, 3];
const EPOCH = new Date(0);
const HELD = [{ id: LEASED, leaseEndsAt: LEASE_END }];

/** Reads of notifications by a company, see `test/database/tenancy.test.ts`. */
export const NOTIFICATION_READS: Readonly<Record<string, (work: ReadWork) => Promise<unknown>>> = {
  'deliveries that are due': (work) => selectDue(work, 10),
  'waiting deliveries': (work) => selectWaiting(work, NUMBERS, 10),
  'handed deliveries': (work) => selectHanded(work, [1, LEASED, 16]),
  'deliveries in states': (work) =>
    selectInStates(work, { of: 'notification', id: 1 }, ['queued', 'failed'], 10),
  'deliveries by state': (work) => deliverySummaries(work, [{ id: 1 }, { id: 2 }, { id: 3 }]),
  'number of failed deliveries': (work) => countFailedSince(work, EPOCH),
  'numbers of failed deliveries': (work) => failedNumbersSince(work, EPOCH, 10),
  'deliveries over time': (work) =>
    summarizeNotifications(work, { where: null, bucket: 'day', timeZone: null, emptyBuckets: false }),
  'notifications with a delivery in a state': (work) =>
    notifications.slice(work, {
      order: 'ID',
      descending: false,
      backward: false,
      limit: 10,
      key: null,
      condition: { field: 'deliveryState', operator: 'in', value: ['queued', 'failed', 'delivered'] },
    }),
  'changes of deliveries': (work) => selectQueueChanges(work, 0, 50),
  'lanes with open deliveries': (work) => selectOpenLanes(work, NUMBERS),
  'devices that wait': (work) => selectFacts(work, [1]),
};

/** Changes of notifications by a company. */
export const NOTIFICATION_WRITES: Readonly<Record<string, (work: WriteWork) => Promise<unknown>>> = {
  'queue deliveries': (work) => insertDeliveries(work, 2, [2]),
  'delete deliveries': (work) => deliveries.deleteInParts(work, { logical_number_id: 1 }),
  'finish a delivery': (work) => finish(work, [LEASED], 'delivered'),
  'queue an earlier delivery again': (work) => requeue(work, [FAILED_EARLIER]),
  'queue a later delivery again': (work) => requeue(work, [FAILED_LATER]),
  'claim deliveries': (work) => claim(work, new Map([[LEASED, 'SN-1']]), work.now),
  'end claims': (work) => endClaims(work, HELD, null),
  'release claims': (work) => endClaims(work, HELD, work.now),
  'postpone deliveries': async (work) => postpone(work, await selectDue(work, 10)),
};
