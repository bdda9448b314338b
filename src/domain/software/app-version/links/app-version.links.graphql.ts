import { graphqlModule, fields, id, listOf, many, recordMutations } from '../../../../graphql/index.js';
import { GroupList, GroupType } from '../../../fleet/group/group.graphql.js';
import { getGroup, groupsOfAppVersion } from '../../../fleet/group/group.service.js';
import { refuseLoss } from '../../../fleet/logical-number/kept-software.service.js';
import {
  LogicalNumberList,
  LogicalNumberType,
} from '../../../fleet/logical-number/logical-number.graphql.js';
import { logicalNumbersOfAppVersion } from '../../../fleet/logical-number/logical-number.service.js';
import { AppVersionList, AppVersionType } from '../app-version.graphql.js';
import {
  appVersionsOfGroup,
  appVersionsOfLogicalNumber,
  defaultVersionsOfGroup,
  modulesOfAppVersion,
} from '../app-version.service.js';
import { attachToGroup, detachFromGroup } from './group-links.service.js';

const VERSIONS = { appVersionIds: listOf(id('Global ids of the app versions. At most 1000.')) };

const attachAndDetach = recordMutations(GroupList, {
  get: getGroup,
  references: { appVersionIds: 'AppVersion' },
  changes: {
    groupAttachAppVersions: {
      description: 'Attaches app versions to a group. Versions that are attached already stay attached.',
      args: VERSIONS,
      run: async (work, group, versions) => {
        await attachToGroup(work, group, versions);
        return group;
      },
    },
    groupDetachAppVersions: {
      description:
        'Detaches app versions from a group and from its logical numbers. Versions that are not attached are ignored.',
      args: VERSIONS,
      run: async (work, group, versions) => {
        await detachFromGroup(work, group, versions);
        return group;
      },
      keeps: (work, group, { appVersionIds }) =>
        refuseLoss(work, appVersionIds as readonly number[], [group.id]),
    },
  },
});

export const appVersionLinksGraphql = graphqlModule(
  attachAndDetach,
  fields(AppVersionType, {
    groups: many(GroupList, groupsOfAppVersion, 'id', 'Groups that the version is attached to.'),
    logicalNumbers: many(
      LogicalNumberList,
      logicalNumbersOfAppVersion,
      'id',
      'Logical numbers that may access the version.',
    ),
    modules: many(
      AppVersionList,
      modulesOfAppVersion,
      'id',
      'Versions of modules that are part of the version.',
    ),
  }),
  fields(LogicalNumberType, {
    appVersions: many(
      AppVersionList,
      appVersionsOfLogicalNumber,
      'id',
      'App versions that the number may access, out of those of its group.',
    ),
  }),
  fields(GroupType, {
    appVersions: many(
      AppVersionList,
      appVersionsOfGroup,
      'id',
      'App versions that are attached to the group.',
    ),
    defaultAppVersions: many(
      AppVersionList,
      defaultVersionsOfGroup,
      'id',
      'App versions that a logical number gets when it is created in the group or moved to it without a list of app versions. It gets no version of an app of which it has one already.',
    ),
  }),
);
