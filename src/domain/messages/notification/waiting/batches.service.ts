import type { WriteWork } from '../../../../database/work.js';
import { DomainError, notFound, orProblem } from '../../../../platform/errors.js';
import { NotificationConfirm } from '../../../../platform/terminal.js';
import { parse } from '../../../../platform/validate.js';
import type { ClaimedDelivery, Receiver } from '../delivery/delivery.model.js';
import { claimForTerminals, confirmDeliveries } from '../delivery/dispatch.service.js';
import { checkForAll, type DeliveryCheck, type CheckedTerminal } from './delivery-check.service.js';

/** Result of a check, and the deliveries that were claimed. */
export interface ClaimedDeliveries {
  readonly found: DeliveryCheck;
  readonly deliveries: readonly ClaimedDelivery[];
}

/**
 * Checks terminals for deliveries and claims the free ones. If several terminals have the same logical
 * number, the first one gets them.
 */
export async function takeForAll(
  work: WriteWork,
  all: readonly CheckedTerminal[],
): Promise<readonly ClaimedDeliveries[]> {
  const checks = await checkForAll(work, all);
  const first = new Map<number, Receiver>();
  for (const [index, { terminal }] of all.entries()) {
    const isFree = checks[index]?.isAvailable === true && !first.has(terminal.logicalNumberId);
    if (isFree) first.set(terminal.logicalNumberId, terminal);
  }
  const claimed =
    first.size === 0 ? new Map<number, never>() : await claimForTerminals(work, [...first.values()]);
  const left = new Map<number, readonly ClaimedDelivery[]>(claimed);
  return checks.map((found) => {
    const number = found.facts.logicalNumberId ?? 0;
    const deliveries = left.get(number) ?? [];
    left.delete(number);
    return { found: heldSince(found, claimed.get(number)), deliveries };
  });
}

/** The check of a terminal after its deliveries were claimed: they are free again when the lease ends. */
function heldSince(found: DeliveryCheck, claimed: readonly ClaimedDelivery[] | undefined): DeliveryCheck {
  const heldUntil = claimed?.[0]?.leaseEndsAt;
  return heldUntil === undefined ? found : { ...found, isAvailable: false, heldUntil };
}

export interface Confirming {
  readonly terminal: CheckedTerminal['terminal'];
  readonly input: Readonly<Record<string, unknown>>;
}

/** Stores confirmations. Returns an empty object for each, or its error: `invalid`, `not_found`. */
export async function confirmForAll(
  work: WriteWork,
  all: readonly Confirming[],
): Promise<readonly (object | Error)[]> {
  const given = all.map(({ terminal: { logicalNumberId, serialNumber }, input }) => {
    const event = eventOf(input);
    return event instanceof DomainError ? event : { logicalNumberId, serialNumber, event };
  });
  const confirmations = given.flatMap((one) => (one instanceof DomainError ? [] : [one]));
  const results = await confirmDeliveries(work, confirmations);
  const byConfirmation = new Map(confirmations.map((one, index) => [one, results[index]]));
  return given.map((one) => {
    if (one instanceof DomainError) return one;
    return byConfirmation.get(one) === 'unknown' ? notFound('notification') : {};
  });
}

const eventOf = (input: Confirming['input']): string | DomainError =>
  orProblem(() => parse(NotificationConfirm, input).event);
