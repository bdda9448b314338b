import * as g from '../../../graphql/index.js';
import { SAVED_FILTER_ID, targetConditions } from '../../base/saved-filter/saved-filter.graphql.js';
import { LogicalNumberList } from '../logical-number/logical-number.graphql.js';
import { MAX_EXAMPLES } from '../logical-number/logical-number.model.js';
import { DeviceList } from './device.graphql.js';
import { numbersOfDevices } from './device.service.js';

/** Fields of a target of logical numbers that select them by conditions. */
export const NUMBER_CONDITIONS = {
  filter: g.object.orNull(
    LogicalNumberList.Filter,
    'The target is all logical numbers for which this holds now. Every condition must have a value, and there must be one.',
  ),
  deviceFilter: g.object.orNull(
    DeviceList.Filter,
    'The target is the logical numbers of all devices for which this holds now, at most 100000 devices. Every condition must have a value, and there must be one.',
  ),
  savedFilterId: SAVED_FILTER_ID,
};

/** Fields of the payload of a dry run: the logical numbers of the target that reach nobody. */
export const WITHOUT_TERMINAL = {
  withoutTerminal: g.int.orNull(
    'Number of logical numbers of the target without a device. Null without dryRun.',
  ),
  withoutTerminalExamples: g.nullable(
    g.text.list(`The first ${MAX_EXAMPLES} of these logical numbers, by id. Null without dryRun.`),
  ),
};

interface Given extends Pick<Parameters<typeof targetConditions>[2], 'filter' | 'savedFilterId'> {
  readonly deviceFilter?: g.Input | null | undefined;
}

/** The conditions of such fields, as far as they are given. Errors: `invalid`, `too_many_records`. */
export async function numberConditions(
  work: Parameters<typeof targetConditions>[0],
  { filter, savedFilterId, deviceFilter }: Given,
  info: g.Info,
) {
  const own = await targetConditions(work, LogicalNumberList.list, { filter, savedFilterId }, info);
  const given = { filter: deviceFilter, name: 'deviceFilter' };
  const [ofDevices] = await targetConditions(work, DeviceList.list, given, info);
  return ofDevices === undefined ? own : [...own, await numbersOfDevices(work, ofDevices)];
}
