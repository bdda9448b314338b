import * as g from '../../../graphql/index.js';
import { NUMBER_CONDITIONS, numberConditions } from '../../fleet/device/number-target.graphql.js';
import { GroupList, GroupType } from '../../fleet/group/group.graphql.js';
import { getGroup } from '../../fleet/group/group.service.js';
import { LogicalNumberType } from '../../fleet/logical-number/logical-number.graphql.js';
import type { AffectedNumbers } from '../../fleet/logical-number/logical-number.model.js';
import { refuseLoss } from '../../fleet/logical-number/version-links.service.js';
import {
  appVersionsOfGroup,
  appVersionsOfLogicalNumber,
  defaultVersionsOfGroup,
} from './app-version.service.js';
import { AppVersionList } from './app.graphql.js';
import { GrantTarget } from './app.model.js';
import {
  attachToGroup,
  detachFromGroup,
  type GrantMode,
  planGrant,
  setDefaultVersions,
} from './grant.service.js';

const VERSIONS = { appVersionIds: g.id.list('Global ids of the app versions. At most 1000.') };

const attachAndDetach = g.recordMutations(GroupList, {
  get: getGroup,
  references: { appVersionIds: 'AppVersion' },
  changes: {
    groupAttachAppVersions: {
      description: 'Attaches app versions to a group. Versions that are attached already stay attached.',
      args: VERSIONS,
      run: attachToGroup,
    },
    groupDetachAppVersions: {
      description:
        'Detaches app versions from a group and from its logical numbers. Versions that are not attached are ignored.',
      args: VERSIONS,
      run: detachFromGroup,
      keeps: (work, group, { appVersionIds }) =>
        refuseLoss(work, appVersionIds as readonly number[], [group.id]),
    },
  },
});

const REFERENCES = { appVersionIds: 'AppVersion', groupId: 'Group' };

const Mode = g.enumeration<GrantMode>('AppVersionGrantMode', 'What a grant does with the app versions.', {
  add: 'The logical numbers get the versions, and keep all that they have.',
  remove: 'The logical numbers lose the versions.',
  replace_of_same_app: 'The logical numbers get the versions, and lose other versions of the same apps.',
});

export const AppVersionGrantTargetInput = g.inputOf('AppVersionGrantTargetInput', GrantTarget, {
  description:
    'Target of a grant: exactly one of a group, logical numbers, a filter, a filter of devices, a saved filter and `all: true`. At most 10000 logical numbers, and 100000 pairs of a logical number and a version.',
  references: { groupId: 'Group' },
  descriptions: {
    groupId: 'Global id of a group. The target is all logical numbers that it has now.',
    logicalNumbers: 'Logical numbers (`number`, not ids); duplicates count once.',
  },
  fields: {
    ...NUMBER_CONDITIONS,
    all: g.flag.orNull('True: the target is all logical numbers of the company.'),
  },
});

const AppVersionGrantPayload = g.payloadType(
  'AppVersionGrant',
  g.targetPayload(
    'Number of logical numbers whose versions have changed; 0 if all of them were as requested already.',
    LogicalNumberType,
  ),
);

/** Path in the arguments of a field that a domain error names. */
function pathOf(field: string): readonly string[] {
  const path = field.split('.');
  return ['groupId', 'logicalNumbers', 'filter', 'deviceFilter'].includes(path[0] ?? '')
    ? ['target', ...path]
    : path;
}

const DESCRIPTION = [
  'Gives app versions to many logical numbers, or takes them away. Versions that are not named stay as they are,',
  'unless the mode says otherwise, so two dashboards that add different versions do not undo the change of each other.',
  'The versions must be attached to the group of each logical number, unless they are taken away.',
  'Logical numbers are changed in parts of at most 200; if an error interrupts the mutation, repeat it:',
  'those that were changed already do not change again.',
].join(' ');

const appVersionGrant = g.mutation('appVersionGrant', {
  field: g.object(AppVersionGrantPayload, DESCRIPTION),
  args: {
    appVersionIds: g.id.list('Global ids of the app versions. At most 100.'),
    target: g.object(AppVersionGrantTargetInput, 'The logical numbers to change.'),
    mode: { ...g.choice.orNull(Mode, 'What to do with the versions.'), defaultValue: 'add' },
    ...g.TARGET_ARGS,
  },
  resolve: (_source, ctx, { appVersionIds, target, mode, dryRun, expectCount }, info) => {
    const { filter, deviceFilter, savedFilterId, all, ...others } = target;
    let tried: AffectedNumbers | null = null;
    return ctx.changeInParts(
      async (work) => {
        const input = g.withNumbers({ appVersionIds, ...others }, REFERENCES);
        const conditions = await numberConditions(work, { filter, deviceFilter, savedFilterId }, info);
        const request = { input, conditions, all: all === true, mode: mode ?? 'add' };
        const plan = await planGrant(work, { ...request, dryRun: dryRun === true, expectCount });
        ({ tried } = plan);
        return plan.parts;
      },
      (counts: readonly number[]) => tried ?? { count: counts.reduce((sum, count) => sum + count, 0) },
      pathOf,
    );
  },
});

const defaultVersions = g.recordMutations(
  GroupList,
  {
    get: getGroup,
    references: { appVersionIds: 'AppVersion' },
    changes: {
      groupSetDefaultAppVersions: {
        description:
          'Replaces the app versions that logical numbers get when they are created in the group or moved to it. Logical numbers that the group has already do not change: see `appVersionGrant`.',
        args: {
          appVersionIds: g.id.list(
            'Global ids of app versions that are attached to the group, at most one of each app. At most 1000.',
          ),
        },
        run: setDefaultVersions,
      },
    },
  },
  true,
);

export const appVersionGrantGraphql = g.graphqlModule(
  appVersionGrant,
  attachAndDetach,
  defaultVersions,
  g.fields(LogicalNumberType, {
    appVersions: g.many(
      AppVersionList,
      appVersionsOfLogicalNumber,
      'App versions that the number may access, out of those of its group.',
    ),
  }),
  g.fields(GroupType, {
    appVersions: g.many(AppVersionList, appVersionsOfGroup, 'App versions that are attached to the group.'),
    defaultAppVersions: g.many(
      AppVersionList,
      defaultVersionsOfGroup,
      'App versions that a logical number gets when it is created in the group or moved to it without a list of app versions. It gets no version of an app of which it has one already.',
    ),
  }),
);
