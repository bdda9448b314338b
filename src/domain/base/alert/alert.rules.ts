import { type Alert, type AlertRule, CLOSED_AFTER_MS, type Measured } from './alert.model.js';

/** Change of the alert of a rule by an evaluation. */
export type Step = 'open' | 'repeat' | 'update' | 'close';

/**
 * The step for what was measured now; null if nothing changes. An alert opens once the threshold is reached, and closes
 * once it was not for `CLOSED_AFTER_MS`, so that a number that goes up and down does not open one alert after the other.
 */
export function stepOf(
  { repeatAfter }: Pick<AlertRule, 'repeatAfter'>,
  open: Alert | undefined,
  { affected, total, isMet, isQuiet = false }: Measured,
  now: Date,
): Step | null {
  if (open === undefined) return isMet && !isQuiet ? 'open' : null;
  const { belowSince, sentAt, acknowledgedAt } = open;
  const hasPassed = (since: Date, ms: number): boolean => now.getTime() - since.getTime() >= ms;
  if (!isMet && belowSince !== null && hasPassed(belowSince, CLOSED_AFTER_MS)) return 'close';
  const isRepeated = isMet && !isQuiet && repeatAfter !== null && acknowledgedAt === null;
  if (isRepeated && hasPassed(sentAt, repeatAfter)) return 'repeat';
  const isSame = affected === open.affected && total === open.total && isMet === (belowSince === null);
  return isSame ? null : 'update';
}
