/**
 * Handing deliveries out to terminals, the same for all transports. The unit of work of each call is one that writes in
 * the company: `units.systemWrite(LOCAL_ORIGIN, (work) => claimDeliveries(inCompany(work, companyId), …), companyId)`, or
 * that of a caller. It waits for other units that write in the company, so no two nodes hold a delivery
 * (decisions.md#deliveries).
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
  type Receiver,
} from './delivery.model.js';
import { finish, noteConfirmed } from './delivery-changes.repository.js';
import {
  claim,
  endLeases,
  findDueCompanyAfter,
  makeDue,
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
  return { deliveries: await hold(work, claimable, null), hasMore: due.length === limit };
}

/**
 * For connections of terminals that may use the service: what waits for their logical numbers, in order, held for 30 s
 * and `sent`; only the terminal that is given one last can confirm it. Nothing while an earlier delivery of the number is held.
 * At most one terminal of each logical number. By logical number; constant statements.
 */
export async function claimForTerminals(
  work: WriteWork,
  terminals: readonly Receiver[],
  limit = 20,
): Promise<ReadonlyMap<number, readonly ClaimedDelivery[]>> {
  const receivers = new Map(
    terminals.map(({ logicalNumberId, serialNumber }) => [logicalNumberId, serialNumber]),
  );
  const waiting = await selectWaiting(work, [...receivers.keys()], limit);
  const free = [...waiting.values()].flatMap((deliveries) => upToHeld(deliveries, work.now));
  const { claimable, expired, unconfirmed } = sorted(free, work.now);
  await endAll(work, { expired, unconfirmed });
  return Map.groupBy(await hold(work, claimable, receivers), ({ logicalNumberId }) => logicalNumberId);
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
  /** Serial numbers of the terminals that are given them, by logical number; null for a worker. */
  receivers: ReadonlyMap<number, string> | null,
): Promise<readonly ClaimedDelivery[]> {
  const leaseEndsAt = new Date(work.now.getTime() + LEASE_MS);
  const held = waiting.map(({ id, logicalNumberId }) => ({
    id,
    receiver: receivers?.get(logicalNumberId) ?? null,
  }));
  await claim(work, held, leaseEndsAt);
  if (receivers !== null && waiting.length > 0) {
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
 * The terminals of these logical numbers are at a broker now: the first delivery of each is due at once, unless something
 * holds it, and what was published into the void is no attempt. Later ones follow when it has ended. Constant statements.
 */
export async function sendAgain(work: WriteWork, logicalNumbers: ReadonlySet<string>): Promise<void> {
  if (logicalNumbers.size === 0) return;
  await makeDue(work, [...logicalNumbers]);
  reportDeliveries(work);
}

/**
 * Confirmations of terminals, one result for each. One that is repeated changes nothing; one that comes after the delivery has
 * ended in another way is kept beside its state. A delivery that was given to another terminal is `unknown`, like one that does
 * not exist; over MQTT also one of a logical number under which no enabled device works any more, unless that which was given
 * it still may use the service. Constant statements.
 */
export async function confirmDeliveries(
  work: WriteWork,
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
  if (confirmed.size + late.size > 0) reportDeliveries(work);
  return results;
}

/** Whether the delivery was given to the terminal that confirms it, whatever logical numbers it or others have got since. */
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

function reportDeliveries(work: WriteWork): void {
  work.report({ companyId: work.caller.companyId, entityType: DELIVERY });
}
