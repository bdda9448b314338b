import * as g from '../../../graphql/index.js';
import type { Json } from '../../../platform/encoding/json.js';
import { invalid } from '../../../platform/errors.js';
import { refuseTooManyRows } from '../../../platform/requests.js';
import { JobType } from '../../base/job/job.graphql.js';
import { type Job, MAX_JOB_ROWS } from '../../base/job/job.model.js';
import { startJob } from '../../base/job/job.service.js';
import { SAVED_FILTER_ID, savedCondition } from '../../base/saved-filter/saved-filter.graphql.js';
import { KEEP_OLD_FOR } from '../../people/access-token/access-token.graphql.js';
import { demandCount } from '../logical-number/logical-number.service.js';
import { ParameterCreate } from '../setting/setting.model.js';
import {
  checkDeviceChange,
  DEVICE_CHANGE,
  findTargetDevices,
  type DeviceTarget,
} from './device-bulk.service.js';
import { DeviceList, DeviceType } from './device.graphql.js';
import { type Device, DeviceBulkChange } from './device.model.js';
import { devices } from './device.service.js';

const TargetInput = g.inputType<Target>(
  'DeviceTargetInput',
  'Devices to change: exactly one of its fields.',
  {
    ids: g.nullable(g.id.list('Global ids of devices. At most 1000.')),
    filter: g.object.orNull(
      DeviceList.Filter,
      'All devices for which this holds now. Every condition must have a value, and there must be one.',
    ),
    savedFilterId: SAVED_FILTER_ID,
    all: g.flag.orNull('True: all devices of the company.'),
  },
);

const TokenInput = g.inputType<g.Input>('DeviceTokenChangeInput', 'A new token of each device.', {
  keepOldFor: KEEP_OLD_FOR,
});

const ParameterInput = g.inputOf('DeviceParameterChangeInput', ParameterCreate, {
  description: 'A parameter of the logical number of each device.',
});

const ChangeInput = g.inputOf('DeviceBulkChangeInput', DeviceBulkChange, {
  description: 'What to change of each device. At least one field; absent fields keep their values.',
  references: { logicalNumberId: 'LogicalNumber', groupId: 'Group' },
  inputs: { token: TokenInput, parameter: ParameterInput },
  descriptions: {
    token:
      'Issues a new token for each device, which are then in `result` of the job. Requires the scope ADMIN.',
    parameter:
      'Sets a parameter of the logical number of each device. A device without a logical number is refused.',
    groupId:
      'Global id of the group to which the logical numbers of the devices are moved; null takes them out of theirs. A device without a logical number is refused.',
  },
});

type Condition = ReturnType<typeof g.targetConditionOf>;

interface Target extends g.Input {
  readonly ids?: readonly string[] | null;
  readonly filter?: g.FilterInput | null;
  readonly savedFilterId?: string | null;
  readonly all?: boolean | null;
}

const Payload = g.payloadType('DeviceBulkChange', {
  job: g.object.orNull(JobType, 'The job that makes the change. Null with dryRun, and after an error.'),
  ...g.targetPayload('Number of devices of the target.', DeviceType),
});

function targetOf({ ids, all }: Target, conditions: readonly Condition[]): DeviceTarget {
  const targets: DeviceTarget[] = [
    ...(ids == null ? [] : [{ ids: numbersIn(ids) }]),
    ...conditions.map((condition) => ({ condition })),
    ...(all === true ? [{ condition: null }] : []),
  ];
  const [target, ...others] = targets;
  if (target !== undefined && others.length === 0) return target;
  throw invalid('target', 'must have exactly one of ids, filter, savedFilterId and all: true');
}

function numbersIn(ids: readonly string[]): readonly number[] {
  if (ids.length === 0) throw invalid('target.ids', 'must not be empty');
  refuseTooManyRows('target.ids', ids);
  return g.withNumbers({ 'target.ids': [...new Set(ids)] }, { 'target.ids': 'Device' })[
    'target.ids'
  ] as readonly number[];
}

/** Path in the arguments of a field that an error names. */
function pathOf(field: string): readonly string[] {
  const [first = '', ...rest] = field.split('.');
  if (['target', 'change', 'expectCount'].includes(first)) return [first, ...rest];
  return [first === 'filter' ? 'target' : 'change', first, ...rest];
}

const EXAMPLES = 20;
const SAVED = 'target.savedFilterId';

export const deviceBulkGraphql = g.mutation('deviceBulkChange', {
  field: g.object(
    Payload,
    `Changes up to ${MAX_JOB_ROWS} devices in the background. The devices are those of the target now; each is changed, or refused with its reason in \`rejections\` of the job, and then stays as it is.`,
  ),
  args: {
    target: g.object(TargetInput, 'The devices to change.'),
    change: g.object(ChangeInput, 'What to change of each device.'),
    ...g.TARGET_ARGS,
  },
  resolve: (_source, ctx, { target, change, dryRun, expectCount }, info) => {
    let found: readonly Device[] = [];
    return ctx.changeInParts(
      async (work) => {
        const given = g.withNumbers(change, { logicalNumberId: 'LogicalNumber', groupId: 'Group' });
        const input = await checkDeviceChange(work, given);
        const { filter, savedFilterId: id } = target;
        const conditions = filter == null ? [] : [g.targetConditionOf(devices, filter, info)];
        if (id != null)
          conditions.push(await savedCondition(work, { kind: 'device', id, path: SAVED }, info));
        found = await findTargetDevices(work, targetOf(target, conditions));
        demandCount(found.length, expectCount, 'devices');
        if (dryRun === true) return [];
        const rows = found.map(({ id, serialNumber }) => ({ id, serialNumber }));
        return [(later) => startJob(later, { kind: DEVICE_CHANGE, input: input as Json, rows })];
      },
      ([job]: readonly Job[]) => ({
        count: found.length,
        ...(job === undefined ? { examples: found.slice(0, EXAMPLES) } : { job }),
      }),
      pathOf,
    );
  },
});
