import type { Condition } from '../../../database/list/condition.js';
import { firstIn } from '../../../database/list/listing.js';
import type { ReadWork } from '../../../database/work.js';
import { lengthOf, openFor, openSince, wholeDays } from '../../../platform/hours.js';
import { hoursOf, MAX_EXAMPLES, reaches } from '../../base/alert/alert.model.js';
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

/** Terminals that were not seen since then are silent. Days of the week on which the rule does not look count for nothing. */
export function silentSince({ now }: ReadWork, on: Silence): Date {
  const hours = hoursOf(on);
  if (hours?.days == null) return new Date(now.getTime() - on.silentFor);
  return openSince(wholeDays(hours), now, on.silentFor);
}

export const silence: AlertKind<Silence> = {
  model: Silence,
  measure: async (work, on, tools) => {
    const { total, silent } = await countSilent(work, await watched(tools, on), silentSince(work, on));
    return { affected: silent, total, isMet: reaches(on, silent, total), isQuiet: isQuiet(on, work.now) };
  },
  examples: async (work, on, tools) => {
    const isSilent: Condition = { field: 'lastSeenAt', operator: 'lt', value: silentSince(work, on) };
    const condition = { and: [await watched(tools, on), isSilent] };
    const newest = firstIn('LAST_SEEN_AT', MAX_EXAMPLES, { descending: true, condition });
    return (await devices.slice(work, newest)).records.map(({ serialNumber }) => serialNumber);
  },
};

/**
 * Whether terminals may be silent for another reason now: outside of the hours of the rule, and at their beginning, until
 * terminals that were switched off before it have had `silentFor` to be seen. Longer times count from the hours before.
 */
export function isQuiet(on: Silence, now: Date): boolean {
  const hours = hoursOf(on);
  if (hours === null) return false;
  const open = openFor(hours, now);
  return open === null || (on.silentFor < lengthOf(hours) && open < on.silentFor);
}
