import { Args, Ctx, Field, FieldResolver, Int, ObjectType, Query, Resolver, Root } from 'type-graphql';

import { Keys } from '../../graphql/schema/connection.js';
import type { GraphqlContext, ListArgs } from '../../graphql/execution/context.js';
import { listTypes } from '../../graphql/schema/list.js';
import { Node } from '../../graphql/schema/node.js';
import { Base64, Uuid } from '../../graphql/schema/scalars.js';
import { AppType } from '../app/app.graphql.js';
import type { App } from '../app/app.model.js';
import { apps } from '../app/app.service.js';
import { base64Of, CONTENT_IS_COSTLY, sha256Of } from '../content/content.graphql.js';
import { Audited } from '../user/audited.graphql.js';
import type { AppVersion } from './app-version.model.js';
import { appVersions, appVersionsOfApp } from './app-version.service.js';

@ObjectType('AppVersion', {
  implements: Node,
  simpleResolvers: true,
  description: 'A version of an application: what terminals run.',
})
export class AppVersionType extends Audited {
  @Field(() => String, { description: 'Version number, unique in its application.' })
  number!: string;

  @Field(() => Boolean, { description: 'Whether the application shows in the services menu.' })
  displayable!: boolean;

  @Field(() => String, { nullable: true, description: 'IP address or URL of the authorizer.' })
  authorizerUrl!: string | null;

  @Field(() => String, { nullable: true, description: 'Name in the menu, where displayable.' })
  posDisplayLabel!: string | null;

  @Field(() => Uuid, { description: 'Unique over all versions, made by the server.' })
  uuid!: string;

  @Field(() => Int, { description: 'Size of the bytecode in bytes; 0 where there is none.' })
  size!: number;

  @Field(() => String, { description: 'CRC-16/XMODEM of the bytecode, 4 upper-case hexadecimal digits.' })
  crc!: string;
}

export const AppVersionList = listTypes(appVersions, AppVersionType);

@Resolver(() => AppVersionType)
export class AppVersionResolver {
  @Query(() => AppVersionType, {
    nullable: true,
    description: 'A version of an application by exactly one of its keys.',
  })
  appVersion(@Args(() => Keys) keys: Keys, @Ctx() ctx: GraphqlContext) {
    return ctx.find(appVersions, keys);
  }

  @Query(() => AppVersionList.Connection, { description: 'Versions of all applications of the company.' })
  appVersions(@Args(() => AppVersionList.Args) args: ListArgs, @Ctx() ctx: GraphqlContext) {
    return ctx.list(appVersions, args);
  }

  @FieldResolver(() => AppType, { description: 'The application.' })
  app(@Root() { appId }: AppVersion, @Ctx() ctx: GraphqlContext) {
    return ctx.one(apps, appId);
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: 'SHA-256 of the bytecode, 64 lower-case hexadecimal digits; null where there is none.',
  })
  sha256(@Root() version: AppVersion, @Ctx() ctx: GraphqlContext) {
    return sha256Of(ctx, version);
  }

  @FieldResolver(() => Base64, {
    nullable: true,
    description: `What terminals run; null where there is none. ${CONTENT_IS_COSTLY}`,
  })
  bytecode(@Root() version: AppVersion, @Ctx() ctx: GraphqlContext) {
    return base64Of(ctx, version);
  }
}

@Resolver(() => AppType)
export class AppVersionsOfAppResolver {
  @FieldResolver(() => AppVersionList.Connection, { description: 'Versions of the application.' })
  versions(@Root() app: App, @Args(() => AppVersionList.Args) args: ListArgs, @Ctx() ctx: GraphqlContext) {
    return ctx.children(appVersionsOfApp, app.id, args);
  }
}
