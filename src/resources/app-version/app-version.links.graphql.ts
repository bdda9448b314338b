import { Arg, Args, Ctx, FieldResolver, ID, Mutation, Resolver, Root } from 'type-graphql';

import type { GraphqlContext, ListArgs } from '../../graphql/execution/context.js';
import { idOf, withNumbers } from '../../graphql/schema/node.js';
import { payloadOf } from '../../graphql/schema/payload.js';
import { GroupList, GroupType } from '../group/group.graphql.js';
import type { Group } from '../group/group.model.js';
import { getGroup, groupsOfAppVersion } from '../group/group.service.js';
import { LogicalNumberList, LogicalNumberType } from '../logical-number/logical-number.graphql.js';
import type { LogicalNumberHead } from '../logical-number/logical-number.model.js';
import { logicalNumbersOfAppVersion } from '../logical-number/logical-number.service.js';
import { AppVersionList, AppVersionType } from './app-version.graphql.js';
import type { AppVersion } from './app-version.model.js';
import {
  appVersionsOfGroup,
  appVersionsOfLogicalNumber,
  modulesOfAppVersion,
} from './app-version.service.js';
import { attachToGroup, detachFromGroup } from './group-links.service.js';

@Resolver(() => AppVersionType)
export class AppVersionLinksResolver {
  @FieldResolver(() => GroupList.Connection, { description: 'Groups that it is associated with.' })
  groups(
    @Root() version: AppVersion,
    @Args(() => GroupList.Args) args: ListArgs,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.children(groupsOfAppVersion, version.id, args);
  }

  @FieldResolver(() => LogicalNumberList.Connection, { description: 'Logical numbers that may access it.' })
  logicalNumbers(
    @Root() version: AppVersion,
    @Args(() => LogicalNumberList.Args) args: ListArgs,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.children(logicalNumbersOfAppVersion, version.id, args);
  }

  @FieldResolver(() => AppVersionList.Connection, {
    description: 'Versions of modules that are part of it.',
  })
  modules(
    @Root() version: AppVersion,
    @Args(() => AppVersionList.Args) args: ListArgs,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.children(modulesOfAppVersion, version.id, args);
  }
}

@Resolver(() => LogicalNumberType)
export class LogicalNumberAppVersionsResolver {
  @FieldResolver(() => AppVersionList.Connection, {
    description: 'App versions that the number may access, out of those of its group.',
  })
  appVersions(
    @Root() number: LogicalNumberHead,
    @Args(() => AppVersionList.Args) args: ListArgs,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.children(appVersionsOfLogicalNumber, number.id, args);
  }
}

const AttachPayload = payloadOf('GroupAttachAppVersions', 'group', () => GroupType);
const DetachPayload = payloadOf('GroupDetachAppVersions', 'group', () => GroupType);

/** Links or unlinks a group and app versions. */
function link(ctx: GraphqlContext, use: typeof attachToGroup, id: string, appVersionIds: readonly string[]) {
  return ctx.change(
    async (work) => {
      const group = await getGroup(work, idOf('Group', id));
      await use(work, group, withNumbers({ appVersionIds }, { appVersionIds: 'AppVersion' }));
      return { group };
    },
    'write',
    [],
  );
}

@Resolver(() => GroupType)
export class GroupAppVersionsResolver {
  @FieldResolver(() => AppVersionList.Connection, {
    description: 'App versions that are associated with the group.',
  })
  appVersions(
    @Root() group: Group,
    @Args(() => AppVersionList.Args) args: ListArgs,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.children(appVersionsOfGroup, group.id, args);
  }

  @Mutation(() => AttachPayload, {
    description:
      'Associates up to 1000 app versions with a group; those that are so already stay as they are.',
  })
  groupAttachAppVersions(
    @Arg('id', () => ID, { description: 'Which group.' }) id: string,
    @Arg('appVersionIds', () => [ID], { description: 'Which app versions.' }) appVersionIds: string[],
    @Ctx() ctx: GraphqlContext,
  ) {
    return link(ctx, attachToGroup, id, appVersionIds);
  }

  @Mutation(() => DetachPayload, {
    description:
      'Takes up to 1000 app versions from a group and from its logical numbers; those that it has not are passed over.',
  })
  groupDetachAppVersions(
    @Arg('id', () => ID, { description: 'Which group.' }) id: string,
    @Arg('appVersionIds', () => [ID], { description: 'Which app versions.' }) appVersionIds: string[],
    @Ctx() ctx: GraphqlContext,
  ) {
    return link(ctx, detachFromGroup, id, appVersionIds);
  }
}
