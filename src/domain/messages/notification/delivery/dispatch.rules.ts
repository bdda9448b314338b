import { offsetAt } from '../../../../platform/time-zones.js';
import { EXPIRES_MS, MAX_ATTEMPTS, type WaitingDelivery } from './delivery.model.js';

/**
 * Message for a terminal: `17|SHOW_MESSAGE|Hello|03-01-2026 09:00`. Terminals execute SHOW_MESSAGE only with
 * two parameters, a text and a time, so the time of queueing is added if it is missing.
 */
export function messageOf(
  { id, content, queuedAt }: Pick<WaitingDelivery, 'id' | 'queuedAt'> & { readonly content: string },
  timeZone: string,
): string {
  const message = `${id}|${content}`;
  return /^SHOW_MESSAGE\|[^|]*$/.test(content) ? `${message}|${shownTime(queuedAt, timeZone)}` : message;
}

/** Local time in the time zone as `MM-DD-YYYY HH:MM`. */
function shownTime(at: Date, timeZone: string): string {
  const local = new Date(at.getTime() + offsetAt(timeZone, at.getTime())).toISOString();
  return `${local.slice(5, 10)}-${local.slice(0, 4)} ${local.slice(11, 16)}`;
}

export interface Sorted<T> {
  readonly claimable: readonly T[];
  readonly expired: readonly T[];
  /** Deliveries with `MAX_ATTEMPTS` attempts. */
  readonly unconfirmed: readonly T[];
  readonly unreachable: readonly T[];
}

/** Sorts deliveries without a claim by the next step. */
export function sorted<T extends WaitingDelivery>(deliveries: readonly T[], now: Date): Sorted<T> {
  const kindOf = ({ queuedAt, attempts, isReachable }: T): keyof Sorted<T> => {
    if (hasExpired(queuedAt, now)) return 'expired';
    if (attempts >= MAX_ATTEMPTS) return 'unconfirmed';
    return isReachable ? 'claimable' : 'unreachable';
  };
  const kinds = Map.groupBy(deliveries, kindOf);
  return {
    claimable: kinds.get('claimable') ?? [],
    expired: kinds.get('expired') ?? [],
    unconfirmed: kinds.get('unconfirmed') ?? [],
    unreachable: kinds.get('unreachable') ?? [],
  };
}

function hasExpired(queuedAt: Date, now: Date): boolean {
  return now.getTime() - queuedAt.getTime() >= EXPIRES_MS;
}

/** The deliveries of one logical number up to the first claimed one: later ones wait for it, in order. */
export function upToHeld<T extends WaitingDelivery>(deliveries: readonly T[], now: Date): readonly T[] {
  const held = deliveries.findIndex(({ leaseEndsAt }) => leaseEndsAt !== null && leaseEndsAt > now);
  return held === -1 ? deliveries : deliveries.slice(0, held);
}
