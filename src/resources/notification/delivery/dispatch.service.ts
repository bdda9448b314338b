/**
 * Handing deliveries out to terminals, the same for all transports. The unit of work of each call is one that writes in
 * the company: `units.systemWrite(LOCAL_ORIGIN, (work) => claimDeliveries(inCompany(work, companyId), …), companyId)`, or
 * that of a caller. It waits for other units that write in the company, so no two nodes hold a delivery.
 */
import type { OfCompany } from '../../../database/company/company-rows.js';
import type { SystemReadWork, SystemWriteWork } from '../../../database/work.js';
import { idFromText } from '../../../platform/validate.js';
import { foldedCompany } from '../../company/company.model.js';
import {
  DELIVERY,
  LEASE_MS,
  MAX_ATTEMPTS,
  type ClaimedDelivery,
  type Confirmation,
  type ConfirmationResult,
} from './delivery.model.js';
import { finish } from './delivery-changes.repository.js';
import {
  claim,
  endLeases,
  findDueCompanyAfter,
  postpone,
  release,
  selectDue,
  selectHanded,
  selectWaiting,
  setSent,
  type Handed,
  type Waiting,
} from './dispatch.repository.js';
import { messageOf, sorted, upToHeld, type Sorted } from './dispatch.rules.js';

type WriteWork = OfCompany<SystemWriteWork>;

export { DELIVERY };

const NOT_CONFIRMED = `It was sent ${MAX_ATTEMPTS} times and never confirmed.`;

/** The first company after `companyId`, or from the beginning, with a delivery that `claimDeliveries` would return. */
export async function nextDueCompany(work: SystemReadWork, companyId: number): Promise<number | null> {
  return (await findDueCompanyAfter(work, companyId)) ?? (await findDueCompanyAfter(work, 0)) ?? null;
}

export interface Claims {
  readonly deliveries: readonly ClaimedDelivery[];
  /** Whether more may be due. */
  readonly hasMore: boolean;
}

/**
 * For a worker that pushes: holds deliveries that are due for 30 s, those first that have waited longest, and at most one of
 * each logical number: the next one is due when it has ended. They stay `queued` until `markSent`. Without a
 * confirmation, each is due again after 30 s, then after a pause that doubles, up to 2 hours; after 100 attempts it
 * fails. Only deliveries for logical numbers under which an enabled device works are returned.
 */
export async function claimDeliveries(
  work: WriteWork,
  { limit }: { readonly limit: number },
): Promise<Claims> {
  const due = await selectDue(work, limit);
  const { claimable, unreachable, ...ended } = sorted(due, work.now);
  await endAll(work, ended);
  if (unreachable.length > 0) await postpone(work, unreachable);
  return { deliveries: await hold(work, claimable, false), hasMore: due.length === limit };
}

/**
 * For connections of terminals that may use the service: what waits for their logical numbers, in order, held for 30 s
 * and `sent`. Nothing while an earlier delivery of the number is held. By logical number; constant statements.
 */
export async function claimForTerminals(
  work: WriteWork,
  logicalNumberIds: readonly number[],
  limit = 20,
): Promise<ReadonlyMap<number, readonly ClaimedDelivery[]>> {
  const waiting = await selectWaiting(work, [...new Set(logicalNumberIds)], limit);
  const free = [...waiting.values()].flatMap((deliveries) => upToHeld(deliveries, work.now));
  const { claimable, expired, unconfirmed } = sorted(free, work.now);
  await endAll(work, { expired, unconfirmed });
  return Map.groupBy(await hold(work, claimable, true), ({ logicalNumberId }) => logicalNumberId);
}

async function endAll(
  work: WriteWork,
  { expired, unconfirmed }: Pick<Sorted<Waiting>, 'expired' | 'unconfirmed'>,
): Promise<void> {
  await finish(work, idsOf(expired), 'expired');
  await finish(work, idsOf(unconfirmed), 'failed', NOT_CONFIRMED);
  if (expired.length + unconfirmed.length > 0) reportDeliveries(work);
}

async function hold(
  work: WriteWork,
  waiting: readonly Waiting[],
  isSent: boolean,
): Promise<readonly ClaimedDelivery[]> {
  const leaseEndsAt = new Date(work.now.getTime() + LEASE_MS);
  await claim(work, idsOf(waiting), { leaseEndsAt, isSent });
  if (isSent && waiting.length > 0) {
    work.count('sentDeliveries', waiting.filter(({ state }) => state === 'queued').length);
    reportDeliveries(work);
  }
  const { companyId } = work.caller;
  return waiting.map((delivery) => {
    const { id, logicalNumberId, logicalNumber, queuedAt, appName, companyName, timeZone } = delivery;
    return {
      ...{ companyId, id, logicalNumberId, logicalNumber, queuedAt, leaseEndsAt },
      message: messageOf(delivery, timeZone),
      app: appName === null ? null : `${foldedCompany(companyName)}_${appName}`,
    };
  });
}

/**
 * They were handed to a broker, and are not held any more: a connection of the terminal may have them too. Those that are
 * confirmed or have ended already stay as they are.
 */
export async function markSent(work: WriteWork, claimed: readonly ClaimedDelivery[]): Promise<void> {
  await setSent(work, idsOf(claimed));
  await endLeases(work, claimed);
  reportDeliveries(work);
}

/** They could not be handed to a broker: the attempts do not count, and they are due at `dueAt`, by default now. */
export async function giveBack(
  work: WriteWork,
  claimed: readonly ClaimedDelivery[],
  dueAt = work.now,
): Promise<void> {
  await release(work, claimed, dueAt);
  reportDeliveries(work);
}

/**
 * Confirmations of terminals, one result for each. One that is repeated, or comes after the delivery has ended in another
 * way, changes nothing. A delivery of another terminal is `unknown`, like one that does not exist, and one of a logical
 * number under which no enabled device works. Constant statements.
 */
export async function confirmDeliveries(
  work: WriteWork,
  confirmations: readonly Confirmation[],
): Promise<readonly ConfirmationResult[]> {
  const ids = confirmations.flatMap(({ event }) => idFromText(event) ?? []);
  const handed = await selectHanded(work, ids);
  const confirmed = new Set<number>();
  const results = confirmations.map((confirmation): ConfirmationResult => {
    const delivery = handed.get(idFromText(confirmation.event) ?? 0);
    if (delivery === undefined || !delivery.wasHanded) return 'unknown';
    if (!delivery.isReachable || !isFor(delivery, confirmation)) return 'unknown';
    if (confirmed.has(delivery.id) || (delivery.state !== 'queued' && delivery.state !== 'sent')) {
      return 'repeated';
    }
    confirmed.add(delivery.id);
    return 'confirmed';
  });
  if (confirmed.size > 0) {
    await finish(work, [...confirmed], 'delivered');
    reportDeliveries(work);
  }
  return results;
}

function isFor(delivery: Handed, confirmation: Confirmation): boolean {
  return 'logicalNumber' in confirmation
    ? confirmation.logicalNumber === delivery.logicalNumber
    : confirmation.logicalNumberId === delivery.logicalNumberId;
}

const idsOf = (deliveries: readonly { readonly id: number }[]): readonly number[] =>
  deliveries.map(({ id }) => id);

function reportDeliveries(work: WriteWork): void {
  work.report({ companyId: work.caller.companyId, entityType: DELIVERY });
}
