import { offsetAt } from '../../../../platform/time-zones.js';
import { QUEUED_MS } from '../notification.model.js';
import { MAX_ATTEMPTS, type WaitingDelivery } from './delivery.model.js';

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

/** Next thing to do with a waiting delivery. */
type Step = 'claim' | 'expire' | 'fail' | 'postpone';

/** The step of an unclaimed delivery. */
export function stepOf({ queuedAt, attempts, isReachable }: WaitingDelivery, now: Date): Step {
  if (now.getTime() - queuedAt.getTime() >= QUEUED_MS) return 'expire';
  if (attempts >= MAX_ATTEMPTS) return 'fail';
  return isReachable ? 'claim' : 'postpone';
}

/** The deliveries of one logical number up to the first claimed one: later ones wait for it, in order. */
export function upToHeld<T extends WaitingDelivery>(deliveries: readonly T[], now: Date): readonly T[] {
  const held = deliveries.findIndex(({ leaseEndsAt }) => leaseEndsAt !== null && leaseEndsAt > now);
  return held === -1 ? deliveries : deliveries.slice(0, held);
}
