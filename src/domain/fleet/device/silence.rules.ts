import { DAY, HOUR } from '../../../platform/clock.js';
import { offsetAt } from '../../../platform/time-zones.js';
import type { Silence } from './silence.model.js';

/**
 * Whether terminals may be silent for another reason now: outside of the hours of the rule, and at their beginning, until
 * terminals that were switched off before it have had `silentFor` to be seen. Longer times count from the hours before.
 */
export function isQuiet({ silentFor, fromHour, toHour, timeZone }: Silence, now: Date): boolean {
  if (fromHour == null || toHour == null || timeZone == null) return false;
  const local = now.getTime() + offsetAt(timeZone, now.getTime());
  const sinceBegin = (local - fromHour * HOUR) % DAY;
  const length = (toHour - fromHour + 24) % 24 || 24;
  if (sinceBegin >= length * HOUR) return true;
  return silentFor < length * HOUR && sinceBegin < silentFor;
}
