import type { Condition } from '../../../database/list/condition.js';
import { firstIn } from '../../../database/list/listing.js';
import type { ReadWork } from '../../../database/work.js';
import { DAY } from '../../../platform/clock.js';
import { MAX_EXAMPLES, reaches } from '../../base/alert/alert.model.js';
import type { AlertKind, AlertTools } from '../../base/alert/alert.service.js';
import { type Device, percentIn } from './device.model.js';
import { devices } from './device.repository.js';
import { Level } from './level.model.js';

/** Time after which the report of a terminal that sends nothing says no more how it is. */
const CURRENT_MS = DAY;

const IS_ENABLED: Condition = { field: 'enabled', operator: 'eq', value: true };

/** A kind of alerts of devices that reported less than a percent in a field. */
function levelKind(field: 'batteryLevel' | 'signal', key: 'battery_level' | 'gprs_signal'): AlertKind<Level> {
  const watched = async ({ now }: ReadWork, { filter }: Level, { conditionOf }: AlertTools) => {
    const seen = {
      field: 'lastSeenAt',
      operator: 'gte',
      value: new Date(now.getTime() - CURRENT_MS),
    } as const;
    const given = filter == null ? [] : [await conditionOf('Device', filter)];
    return [...given, IS_ENABLED, seen, { field, operator: 'isNull', value: false } as const];
  };
  const lowOnes = async (work: ReadWork, on: Level, tools: AlertTools): Promise<Condition> => ({
    and: [...(await watched(work, on, tools)), { field, operator: 'lt', value: on.below }],
  });
  const figureOf = ({ serialNumber: name, meta }: Device) => ({
    name,
    value: percentIn(meta[key]),
    payments: null,
    from: null,
    to: null,
  });
  return {
    model: Level,
    measure: async (work, on, tools) => {
      const total = await devices.count(work, { and: await watched(work, on, tools) });
      const affected = await devices.count(work, await lowOnes(work, on, tools));
      return { affected, total, isMet: reaches(on, affected, total) };
    },
    examples: async (work, on, tools) => {
      const first = firstIn('ID', MAX_EXAMPLES, { condition: await lowOnes(work, on, tools) });
      return (await devices.slice(work, first)).records.map(figureOf);
    },
  };
}

export const lowBattery = levelKind('batteryLevel', 'battery_level');
export const weakSignal = levelKind('signal', 'gprs_signal');
