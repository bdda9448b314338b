import { Arg, Ctx, ID, Resolver } from 'type-graphql';

import {
  face,
  fields,
  IdArg,
  idOf,
  many,
  RecordMutation,
  withNumbers,
  type GraphqlContext,
} from '../../graphql/index.js';
import { GroupList, GroupType } from '../group/group.graphql.js';
import { getGroup, groupsOfAppVersion } from '../group/group.service.js';
import { LogicalNumberList, LogicalNumberType } from '../logical-number/logical-number.graphql.js';
import { logicalNumbersOfAppVersion } from '../logical-number/logical-number.service.js';
import { AppVersionList, AppVersionType } from './app-version.graphql.js';
import {
  appVersionsOfGroup,
  appVersionsOfLogicalNumber,
  modulesOfAppVersion,
} from './app-version.service.js';
import { attachToGroup, detachFromGroup } from './group-links.service.js';

const VersionIdsArg = () =>
  Arg('appVersionIds', () => [ID], { description: 'Global ids of the app versions. At most 1000.' });

@Resolver()
class GroupLinks {
  @RecordMutation(
    GroupList,
    'Attaches app versions to a group. Versions that are attached already stay attached.',
  )
  groupAttachAppVersions(
    @IdArg('Group') id: string,
    @VersionIdsArg() appVersionIds: string[],
    @Ctx() ctx: GraphqlContext,
  ) {
    return change(ctx, attachToGroup, id, appVersionIds);
  }

  @RecordMutation(
    GroupList,
    'Detaches app versions from a group and from its logical numbers. Versions that are not attached are ignored.',
  )
  groupDetachAppVersions(
    @IdArg('Group') id: string,
    @VersionIdsArg() appVersionIds: string[],
    @Ctx() ctx: GraphqlContext,
  ) {
    return change(ctx, detachFromGroup, id, appVersionIds);
  }
}

function change(
  ctx: GraphqlContext,
  attachOrDetach: typeof attachToGroup,
  id: string,
  appVersionIds: readonly string[],
) {
  return ctx.change(
    async (work) => {
      const group = await getGroup(work, idOf('Group', id));
      await attachOrDetach(work, group, withNumbers({ appVersionIds }, { appVersionIds: 'AppVersion' }));
      return { group };
    },
    'write',
    [],
  );
}

export const appVersionLinksFace = face(
  GroupLinks,
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
  }),
);
