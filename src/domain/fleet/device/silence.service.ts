import type { Condition } from '../../../database/list/condition.js';
import { firstIn } from '../../../database/list/listing.js';
import type { ReadWork } from '../../../database/work.js';
import { DAY, HOUR } from '../../../platform/clock.js';
import { offsetAt } from '../../../platform/time-zones.js';
import { MAX_EXAMPLES } from '../../base/alert/alert.model.js';
import type { AlertKind, AlertTools } from '../../base/alert/alert.service.js';
import { countSilent, devices } from './device.repository.js';
import { Silence } from './silence.model.js';

const IS_ENABLED: Condition = { field: 'enabled', operator: 'eq', value: true };
const WAS_SEEN: Condition = { field: 'lastSeenAt', operator: 'isNull', value: false };

/** Devices that could be silent: enabled ones of the filter whose terminal was seen at least once. */
async function watched({ conditionOf }: AlertTools, { filter }: Silence): Promise<Condition> {
  const given = filter == null ? [] : [await conditionOf('Device', filter)];
  return { and: [...given, IS_ENABLED, WAS_SEEN] };
}

const begin = ({ now }: ReadWork, { silentFor }: Silence): Date => new Date(now.getTime() - silentFor);

export const silence: AlertKind<Silence> = {
  model: Silence,
  measure: async (work, on, tools) => {
    const { total, silent } = await countSilent(work, await watched(tools, on), begin(work, on));
    const isMet = silent > 0 && silent * 100 >= on.percent * total;
    return { affected: silent, total, isMet, isQuiet: isQuiet(on, work.now) };
  },
  examples: async (work, on, tools) => {
    const isSilent: Condition = { field: 'lastSeenAt', operator: 'lt', value: begin(work, on) };
    const condition = { and: [await watched(tools, on), isSilent] };
    const newest = firstIn('LAST_SEEN_AT', MAX_EXAMPLES, { descending: true, condition });
    return (await devices.slice(work, newest)).records.map(({ serialNumber }) => serialNumber);
  },
};

/**
 * Whether terminals may be silent for another reason now: outside of the hours of the rule, and at their beginning, until
 * terminals that were switched off before it have had `silentFor` to be seen. Longer times count from the hours before.
 */
export function isQuiet({ silentFor, fromHour, toHour, timeZone }: Silence, now: Date): boolean {
  if (fromHour == null || toHour == null || timeZone == null) return false;
  const offset = offsetAt(timeZone, now.getTime());
  const sinceBegin = (now.getTime() + offset - fromHour * HOUR) % DAY;
  const length = (toHour - fromHour + 24) % 24 || 24;
  if (sinceBegin >= length * HOUR) return true;
  // Clocks may have been changed since.
  const elapsed = sinceBegin + offsetAt(timeZone, now.getTime() - sinceBegin) - offset;
  return silentFor < length * HOUR && elapsed < silentFor;
}
