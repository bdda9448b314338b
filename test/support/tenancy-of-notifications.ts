import type { ReadWork, WriteWork } from '../../src/database/work.js';
import {
  finish,
  requeue,
} from '../../src/domain/messages/notification/delivery/delivery-changes.repository.js';
import {
  deliveries,
  queueDeliveries,
} from '../../src/domain/messages/notification/delivery/delivery.repository.js';
import {
  claim,
  endLeases,
  postpone,
  release,
  selectDue,
  selectHanded,
  selectWaiting,
} from '../../src/domain/messages/notification/delivery/dispatch.repository.js';
import {
  selectInStates,
  selectSummaries,
} from '../../src/domain/messages/notification/delivery/recall.repository.js';
import {
  findTokens,
  selectFacts,
  selectOpenNumbers,
  selectQueueChanges,
} from '../../src/domain/messages/notification/waiting/waiting.repository.js';
import { FAILED_EARLIER, FAILED_LATER, LEASE_END, LEASED } from './two-companies.js';

const NUMBERS = [1, 2, 3];
const HELD = [{ id: LEASED, leaseEndsAt: LEASE_END }];

/** Reads of notifications by a company, see `test/database/tenancy.test.ts`. */
export const NOTIFICATION_READS: Readonly<Record<string, (work: ReadWork) => Promise<unknown>>> = {
  'deliveries that are due': (work) => selectDue(work, 10),
  'waiting deliveries': (work) => selectWaiting(work, NUMBERS, 10),
  'handed deliveries': (work) => selectHanded(work, [1, LEASED, 16]),
  'deliveries in states': (work) => selectInStates(work, 1, ['queued', 'failed'], 10),
  'deliveries by state': (work) => selectSummaries(work, [1, 2, 3]),
  'tokens of devices that wait': (work) => findTokens(work, [1]),
  'changes of deliveries': (work) => selectQueueChanges(work, 1, { after: 0, limit: 50 }),
  'numbers with open deliveries': (work) => selectOpenNumbers(work, 1, NUMBERS),
  'devices that wait': (work) => selectFacts(work, 1, [1]),
};

/** Changes of notifications by a company. */
export const NOTIFICATION_WRITES: Readonly<Record<string, (work: WriteWork) => Promise<unknown>>> = {
  'queue deliveries': (work) => queueDeliveries(work, 2, [2]),
  'delete deliveries': (work) => deliveries.deleteInParts(work, { logical_number_id: 1 }),
  'finish a delivery': (work) => finish(work, [LEASED], 'delivered'),
  'queue an earlier delivery again': (work) => requeue(work, [FAILED_EARLIER]),
  'queue a later delivery again': (work) => requeue(work, [FAILED_LATER]),
  'claim deliveries': (work) => claim(work, [{ id: LEASED, receiver: 'SN-1' }], work.now),
  'end claims': (work) => endLeases(work, HELD),
  'release claims': (work) => release(work, HELD, work.now),
  'postpone deliveries': async (work) => postpone(work, await selectDue(work, 10)),
};
