import * as g from '../../../graphql/index.js';
import { warningOfCardData } from '../../../platform/card-data/card-data.js';
import type { Json } from '../../../platform/encoding/json.js';
import { invalid } from '../../../platform/errors.js';
import { refuseTooManyRows } from '../../../platform/requests.js';
import { JobType } from '../../base/job/job.graphql.js';
import { type Job, MAX_JOB_ROWS } from '../../base/job/job.model.js';
import { startJob } from '../../base/job/job.service.js';
import { SAVED_FILTER_ID, targetConditions } from '../../base/saved-filter/saved-filter.graphql.js';
import { KEEP_OLD_FOR } from '../../people/access-token/access-token.graphql.js';
import { DeviceList } from '../device/device.graphql.js';
import type { Device } from '../device/device.model.js';
import { LogicalNumberList } from '../logical-number/logical-number.graphql.js';
import { requireExpectedCount } from '../logical-number/logical-number.model.js';
import { ParameterCreate } from '../setting/setting.model.js';
import { DeviceBulkChange, LogicalNumberBulkChange } from './bulk-change.model.js';
import {
  type BulkRow,
  type BulkTarget,
  checkDeviceChange,
  checkNumberChange,
  DEVICE_CHANGE,
  findTargets,
  NUMBER_CHANGE,
} from './bulk-change.service.js';

const ParameterInput = g.inputOf('ParameterChangeInput', ParameterCreate, {
  description: 'A parameter of each logical number.',
});

type Condition = ReturnType<typeof g.targetConditionOf>;

type Target = InstanceType<ReturnType<typeof targetInput>>;

export const DeviceTargetInput = targetInput(DeviceList, 'devices');

/** The devices of a target, by ascending id. Errors: `invalid`, `too_many_records`. */
export const devicesOf = (
  work: Parameters<typeof targetConditions>[0],
  target: Target,
  info: g.Info,
): ReturnType<typeof findTargets<Device>> => recordsOf(work, DeviceList.list, target, info);

async function recordsOf<T extends { readonly id: number }>(
  work: Parameters<typeof targetConditions>[0],
  list: Parameters<typeof findTargets<T>>[1],
  target: Target,
  info: g.Info,
): Promise<readonly T[]> {
  const conditions = await targetConditions(work, list, target, info);
  const records = g.plural(g.words(list.name));
  return await findTargets(work, list, records, targetOf(list.name, target, conditions));
}

interface BulkChange<T> {
  readonly types: ReturnType<typeof g.listTypes<T & object>>;
  readonly target: ReturnType<typeof targetInput>;
  readonly change: Parameters<typeof g.object>[0];
  /** The types of the records that fields of the change name. */
  readonly references: Readonly<Record<string, string>>;
  readonly nameOf: (record: T) => string;
  /** Checks the change. Errors: `invalid`. */
  readonly check: (
    work: Parameters<typeof targetConditions>[0],
    given: g.Input,
  ) => Promise<Pick<LogicalNumberBulkChange, 'parameter'>>;
}

export const EXAMPLES = 20;

/** A mutation that changes many records of a list by a job of the kind `name`. */
function bulkChange<T extends { readonly id: number }>(name: string, parts: BulkChange<T>) {
  const { types, references } = parts;
  const { list } = types;
  const records = g.plural(g.words(list.name));
  return g.mutation(name, {
    field: g.object(
      payloadOf(types, records),
      `Changes up to ${MAX_JOB_ROWS} ${records} in the background: those of the target now. Each is changed, or refused with its reason in \`rejections\` of the job, and then stays as it is.`,
    ),
    args: {
      target: g.object(parts.target, `The ${records} to change.`),
      change: g.object(parts.change, 'What to change of each of them.'),
      ...g.TARGET_ARGS,
    },
    resolve: (_source, ctx, { target, change, dryRun, expectCount }, info) => {
      let found: readonly T[] = [];
      let warnings: readonly string[] = [];
      return ctx.changeInParts(
        async (work) => {
          const input = await parts.check(work, g.withNumbers(change, references));
          warnings = warningsOf(input);
          found = await recordsOf(work, list, target, info);
          requireExpectedCount(found.length, expectCount, records);
          if (dryRun === true) return [];
          const rows: BulkRow[] = found.map((row) => ({ id: row.id, name: parts.nameOf(row) }));
          return [
            (later) => startJob(later, { kind: name, input: input as Json, rows: rows as unknown as Json[] }),
          ];
        },
        ([job]: readonly Job[]) => ({
          count: found.length,
          ...(job === undefined ? { examples: found.slice(0, EXAMPLES) } : { job, warnings }),
        }),
        pathOf,
      );
    },
  });
}

function warningsOf({ parameter }: Pick<LogicalNumberBulkChange, 'parameter'>): readonly string[] {
  return Object.entries(parameter ?? {}).flatMap(([name, value]) => {
    const warning = warningOfCardData(value);
    return warning === undefined ? [] : [`change.parameter.${name}: ${warning}`];
  });
}

type Types = ReturnType<typeof g.listTypes>;

function payloadOf({ list, Record }: Pick<Types, 'list' | 'Record'>, records: string) {
  return g.payloadType(`${list.name}BulkChange`, {
    job: g.object.orNull(JobType, 'The job that makes the change. Null with dryRun, and after an error.'),
    ...g.targetPayload(`Number of ${records} of the target.`, Record),
  });
}

function targetInput(types: Pick<Types, 'list' | 'Filter'>, records: string) {
  return g.inputType(`${types.list.name}TargetInput`, `Some ${records}: exactly one of its fields.`, {
    ids: g.nullable(g.id.list(`Global ids of ${records}. At most 1000.`)),
    filter: g.object.orNull(
      types.Filter,
      `All ${records} for which this holds now. Every condition must have a value, and there must be one.`,
    ),
    savedFilterId: SAVED_FILTER_ID,
    all: g.flag.orNull(`True: all ${records} of the company.`),
  });
}

function targetOf(typeName: string, { ids, all }: Target, conditions: readonly Condition[]): BulkTarget {
  const targets: BulkTarget[] = [
    ...(ids == null ? [] : [{ ids: numbersIn(typeName, ids) }]),
    ...conditions.map((condition) => ({ condition })),
    ...(all === true ? [{ condition: null }] : []),
  ];
  const [target, ...others] = targets;
  if (target !== undefined && others.length === 0) return target;
  const choices = 'ids, filter, savedFilterId and all: true';
  throw invalid('target', 'must have exactly one of {choices}', { choices });
}

function numbersIn(typeName: string, ids: readonly string[]): readonly number[] {
  if (ids.length === 0) throw invalid('target.ids', 'must not be empty');
  refuseTooManyRows('target.ids', ids);
  const named = g.withNumbers({ 'target.ids': [...new Set(ids)] }, { 'target.ids': typeName });
  return named['target.ids'] as readonly number[];
}

/** Path in the arguments of a field that an error names. */
function pathOf(field: string): readonly string[] {
  const [first = '', ...rest] = field.split('.');
  if (['target', 'change', 'expectCount'].includes(first)) return [first, ...rest];
  return [first === 'filter' ? 'target' : 'change', first, ...rest];
}

const TokenInput = g.inputType('DeviceTokenChangeInput', 'A new token of each device.', {
  keepOldFor: KEEP_OLD_FOR,
});

const tagDescriptions = (records: string) => ({
  addTags: `Tags that the ${records} get beside those that they have; in lower case, at most 20 together.`,
  removeTags: `Tags that the ${records} lose.`,
});

const DEVICE_REFERENCES = { logicalNumberId: 'LogicalNumber', groupId: 'Group' };

const DeviceChangeInput = g.inputOf('DeviceBulkChangeInput', DeviceBulkChange, {
  description: 'What to change of each device. At least one field; absent fields keep their values.',
  references: DEVICE_REFERENCES,
  inputs: { token: TokenInput, parameter: ParameterInput },
  fields: { force: g.FORCE },
  descriptions: {
    ...tagDescriptions('devices'),
    token:
      'Issues a new token for each device, which are then in `result` of the job. Requires the scope ADMIN.',
    parameter:
      'Sets a parameter of the logical number of each device. A device without a logical number is refused.',
    groupId:
      'Global id of the group to which the logical numbers of the devices are moved; null takes them out of theirs. A device without a logical number is refused.',
  },
});

const deviceBulkChange = bulkChange(DEVICE_CHANGE, {
  types: DeviceList,
  target: DeviceTargetInput,
  nameOf: ({ serialNumber }) => serialNumber,
  change: DeviceChangeInput,
  references: DEVICE_REFERENCES,
  check: checkDeviceChange,
});

const NUMBER_REFERENCES = { groupId: 'Group' };

const NumberChangeInput = g.inputOf('LogicalNumberBulkChangeInput', LogicalNumberBulkChange, {
  description: 'What to change of each logical number. At least one field; absent fields keep their values.',
  references: NUMBER_REFERENCES,
  inputs: { parameter: ParameterInput },
  fields: { force: g.FORCE },
  descriptions: {
    ...tagDescriptions('logical numbers'),
    parameter: 'Sets a parameter of each logical number.',
    groupId: 'Global id of the group to which the logical numbers are moved; null takes them out of theirs.',
  },
});

const logicalNumberBulkChange = bulkChange(NUMBER_CHANGE, {
  types: LogicalNumberList,
  target: targetInput(LogicalNumberList, 'logical numbers'),
  nameOf: ({ number }) => number,
  change: NumberChangeInput,
  references: NUMBER_REFERENCES,
  check: checkNumberChange,
});

export const bulkChangeGraphql = g.graphqlModule(deviceBulkChange, logicalNumberBulkChange);
