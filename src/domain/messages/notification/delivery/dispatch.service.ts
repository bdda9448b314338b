/**
 * Hands deliveries out to terminals, over all transports. Each call needs a unit of work that writes in the
 * company: `units.systemWrite(LOCAL_ORIGIN, (work) => claimDeliveries(inCompany(work, companyId), …),
 * companyId)`, or that of a caller. It waits for other units that write in the company, so no two nodes claim
 * the same delivery (decisions.md#deliveries).
 */
import type { CompanyWriteWork, SystemReadWork } from '../../../../database/work.js';
import { idFromText } from '../../../../platform/validate.js';
import { foldedCompany } from '../../../people/company/company.model.js';
import { finish, noteConfirmed, reportDeliveries } from './delivery-changes.repository.js';
import {
  LEASE_MS,
  MAX_ATTEMPTS,
  type ClaimedDelivery,
  type Confirmation,
  type ConfirmationResult,
  type Receiver,
} from './delivery.model.js';
import {
  claim,
  endClaims,
  findDueCompanyAfter,
  makeDue,
  postpone,
  selectDue,
  selectHanded,
  selectWaiting,
  setSent,
  type Handed,
  type Waiting,
} from './dispatch.repository.js';
import { messageOf, stepOf, upToHeld } from './dispatch.rules.js';

/** Maximum deliveries that a terminal is given at once. */
const MAX_TAKEN = 20;
const NOT_CONFIRMED = `It was sent ${MAX_ATTEMPTS} times and never confirmed.`;

/** The first company after `companyId`, or the first of all, with a delivery to claim. */
export async function nextDueCompany(work: SystemReadWork, companyId: number): Promise<number | null> {
  return (await findDueCompanyAfter(work, companyId)) ?? (await findDueCompanyAfter(work, 0)) ?? null;
}

/**
 * Claims due deliveries for 30 s, for a worker that pushes them: those that have waited longest first, and at
 * most one of each logical number; its next one is due when this one has ended. They stay `queued` until
 * `markSent`. Without a confirmation, each is due again after 30 s, then after a pause that doubles, up to 2
 * hours; after 100 attempts it fails. Only deliveries for logical numbers of enabled devices are returned.
 */
export async function claimDeliveries(
  work: CompanyWriteWork,
  limit: number,
): Promise<readonly ClaimedDelivery[]> {
  const { claimable, unreachable } = await endOld(work, await selectDue(work, limit));
  if (unreachable.length > 0) await postpone(work, unreachable);
  return await hold(work, claimable, null);
}

/**
 * Claims the waiting deliveries of terminals that may use the service, by logical number, in their order.
 * Deliveries are claimed for 30 s and `sent`; only the terminal that got one last can confirm it. None while an
 * earlier delivery of the number is claimed. `terminals` must have different logical numbers. The number of
 * statements is constant.
 */
export async function claimForTerminals(
  work: CompanyWriteWork,
  terminals: readonly Receiver[],
): Promise<ReadonlyMap<number, readonly ClaimedDelivery[]>> {
  if (terminals.length === 0) return new Map();
  const receivers = new Map(
    terminals.map(({ logicalNumberId, serialNumber }) => [logicalNumberId, serialNumber]),
  );
  const waiting = await selectWaiting(work, [...receivers.keys()], MAX_TAKEN);
  const free = [...waiting.values()].flatMap((deliveries) => upToHeld(deliveries, work.now));
  const { claimable } = await endOld(work, free);
  const claimed = await hold(work, claimable, receivers);
  if (claimed.length > 0) reportDeliveries(work);
  work.count('sentDeliveries', claimable.filter(({ state }) => state === 'queued').length);
  return Map.groupBy(claimed, ({ logicalNumberId }) => logicalNumberId);
}

/** Ends deliveries that have waited for too long, or were tried too often. Returns the others. */
async function endOld(work: CompanyWriteWork, waiting: readonly Waiting[]) {
  const bySteps = Map.groupBy(waiting, (delivery) => stepOf(delivery, work.now));
  await finish(work, idsOf(bySteps.get('expire') ?? []), 'expired');
  await finish(work, idsOf(bySteps.get('fail') ?? []), 'failed', NOT_CONFIRMED);
  return { claimable: bySteps.get('claim') ?? [], unreachable: bySteps.get('postpone') ?? [] };
}

async function hold(
  work: CompanyWriteWork,
  waiting: readonly Waiting[],
  /** Serial numbers of the terminals that are given them, by logical number; null for a worker. */
  receivers: ReadonlyMap<number, string> | null,
): Promise<readonly ClaimedDelivery[]> {
  const leaseEndsAt = new Date(work.now.getTime() + LEASE_MS);
  const given = waiting.map(
    ({ id, logicalNumberId }) => [id, receivers?.get(logicalNumberId) ?? null] as const,
  );
  await claim(work, new Map(given), leaseEndsAt);
  const { companyId } = work.caller;
  return waiting.map((delivery) => {
    const { id, logicalNumberId, logicalNumber, queuedAt, appName, companyName, timeZone } = delivery;
    return {
      companyId,
      id,
      logicalNumberId,
      logicalNumber,
      queuedAt,
      leaseEndsAt,
      message: messageOf(delivery, timeZone),
      app: appName === null ? null : `${foldedCompany(companyName)}_${appName}`,
    };
  });
}

/**
 * Marks deliveries that a broker has as sent, and ends their claims: a connection of the terminal can get
 * them too. Confirmed or ended deliveries do not change.
 */
export async function markSent(work: CompanyWriteWork, claimed: readonly ClaimedDelivery[]): Promise<void> {
  await setSent(work, idsOf(claimed));
  await endClaims(work, claimed, null);
  reportDeliveries(work);
}

/** Releases deliveries that no broker took: they are due now, and the attempts do not count. */
export async function giveBack(work: CompanyWriteWork, claimed: readonly ClaimedDelivery[]): Promise<void> {
  await endClaims(work, claimed, work.now);
  reportDeliveries(work);
}

/**
 * Makes the first delivery of each of these logical numbers due now, unless it is claimed: their terminals
 * have connected to a broker. Earlier attempts without a connected terminal do not count. Later deliveries
 * follow when it has ended. The number of statements is constant.
 */
export async function sendAgain(work: CompanyWriteWork, logicalNumbers: ReadonlySet<string>): Promise<void> {
  if (logicalNumbers.size === 0) return;
  await makeDue(work, [...logicalNumbers]);
  reportDeliveries(work);
}

/**
 * Stores confirmations of terminals; one result for each. A repeated confirmation changes nothing. A
 * confirmation of a delivery that has ended in another state is stored besides this state. `unknown`: the
 * delivery does not exist, or was given to another terminal; over MQTT also if no enabled device has the
 * logical number any more, unless the terminal that got it may still use the service. The number of
 * statements is constant.
 */
export async function confirmDeliveries(
  work: CompanyWriteWork,
  confirmations: readonly Confirmation[],
): Promise<readonly ConfirmationResult[]> {
  const ids = confirmations.flatMap(({ event }) => idFromText(event) ?? []);
  const handed = await selectHanded(work, ids);
  const confirmed = new Set<number>();
  const late = new Set<number>();
  const results = confirmations.map((confirmation): ConfirmationResult => {
    const delivery = handed.get(idFromText(confirmation.event) ?? 0);
    if (delivery === undefined || !delivery.wasHanded || !isFor(delivery, confirmation)) return 'unknown';
    if (delivery.state !== 'queued' && delivery.state !== 'sent') {
      if (delivery.confirmedAt === null) late.add(delivery.id);
      return 'repeated';
    }
    if (confirmed.has(delivery.id)) return 'repeated';
    confirmed.add(delivery.id);
    return 'confirmed';
  });
  await finish(work, [...confirmed], 'delivered');
  await noteConfirmed(work, [...late]);
  return results;
}

/** Whether the delivery was given to the confirming terminal, even if logical numbers changed since. */
function isFor(delivery: Handed, confirmation: Confirmation): boolean {
  if ('logicalNumber' in confirmation) {
    return delivery.isReachable && confirmation.logicalNumber === delivery.logicalNumber;
  }
  const { serialNumber, logicalNumberId } = confirmation;
  return delivery.serialNumber === null
    ? logicalNumberId === delivery.logicalNumberId
    : serialNumber === delivery.serialNumber;
}

const idsOf = (deliveries: readonly { readonly id: number }[]): readonly number[] =>
  deliveries.map(({ id }) => id);
