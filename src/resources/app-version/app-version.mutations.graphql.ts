import { Arg, Ctx, Field, ID, InputType, Mutation, Resolver } from 'type-graphql';

import type { GraphqlContext } from '../../graphql/execution/context.js';
import { idOf, withNumbers } from '../../graphql/schema/node.js';
import { payloadOf } from '../../graphql/schema/payload.js';
import { Base64 } from '../../graphql/schema/scalars.js';
import { AppVersionType } from './app-version.graphql.js';
import { deleteAppVersion } from './app-version.removal.service.js';
import { createAppVersionOfNamedApp, getAppVersionById, updateAppVersion } from './app-version.service.js';

const REFERENCES = {
  ...{ appId: 'App', baseVersionId: 'AppVersion' },
  ...{ groupIds: 'Group', moduleIds: 'AppVersion', fileIds: 'File' },
};

@InputType({ description: 'A new version of an application.' })
class AppVersionCreateInput {
  @Field(() => ID, { description: 'Of which application.' })
  appId!: string;

  @Field(() => String, { description: 'Version number, unique in its application: 1 to 64 characters.' })
  number!: string;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether the application shows in the services menu; no unless told.',
  })
  displayable?: boolean | null;

  @Field(() => String, { nullable: true, description: 'IP address or URL of the authorizer.' })
  authorizerUrl?: string | null;

  @Field(() => String, { nullable: true, description: 'Name in the menu, where displayable.' })
  posDisplayLabel?: string | null;

  @Field(() => Base64, {
    nullable: true,
    description: 'What terminals run; `size`, `crc` and `sha256` follow from it.',
  })
  bytecode?: string | null;

  @Field(() => [ID], { nullable: true, description: 'Groups that it is associated with.' })
  groupIds?: string[] | null;

  @Field(() => [ID], { nullable: true, description: 'Versions of modules that are part of it.' })
  moduleIds?: string[] | null;

  @Field(() => [ID], { nullable: true, description: 'Files that it is associated with.' })
  fileIds?: string[] | null;

  @Field(() => ID, {
    nullable: true,
    description:
      'Version of the same application whose bytecode and associations are copied where not given.',
  })
  baseVersionId?: string | null;
}

@InputType({ description: 'What changes of a version of an application; what is absent stays.' })
class AppVersionUpdateInput {
  @Field(() => String, { nullable: true, description: 'New version number.' })
  number?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether the application shows in the services menu.',
  })
  displayable?: boolean | null;

  @Field(() => String, {
    nullable: true,
    description: 'IP address or URL of the authorizer; null clears it.',
  })
  authorizerUrl?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Name in the menu, where displayable; null clears it.',
  })
  posDisplayLabel?: string | null;

  @Field(() => Base64, { nullable: true, description: 'What terminals run; null takes it away.' })
  bytecode?: string | null;

  @Field(() => [ID], {
    nullable: true,
    description: 'Groups in place of those before; one that it leaves takes it from its logical numbers.',
  })
  groupIds?: string[] | null;

  @Field(() => [ID], { nullable: true, description: 'Versions of modules in place of those before.' })
  moduleIds?: string[] | null;

  @Field(() => [ID], { nullable: true, description: 'Files in place of those before.' })
  fileIds?: string[] | null;
}

const VersionCreatePayload = payloadOf('AppVersionCreate', 'appVersion', () => AppVersionType);
const VersionUpdatePayload = payloadOf('AppVersionUpdate', 'appVersion', () => AppVersionType);
const VersionDeletePayload = payloadOf('AppVersionDelete', 'deletedId', () => ID);
const SetModulesPayload = payloadOf('AppVersionSetModules', 'appVersion', () => AppVersionType);

/** Changes the version behind an id; `within` says where in the arguments the changed fields stand. */
function change(ctx: GraphqlContext, id: string, input: object, within?: readonly string[]) {
  return ctx.change(
    async (work) => {
      const current = await getAppVersionById(work, idOf('AppVersion', id));
      return { appVersion: await updateAppVersion(work, current, withNumbers(input, REFERENCES)) };
    },
    'write',
    within,
  );
}

@Resolver(() => AppVersionType)
export class AppVersionMutations {
  @Mutation(() => VersionCreatePayload, { description: 'Creates a version of an application.' })
  appVersionCreate(
    @Arg('input', () => AppVersionCreateInput, { description: 'What it shall be.' })
    input: AppVersionCreateInput,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.change(async (work) => ({
      appVersion: await createAppVersionOfNamedApp(work, withNumbers(input, REFERENCES)),
    }));
  }

  @Mutation(() => VersionUpdatePayload, {
    description: 'Changes a version; a group that it leaves takes it from its logical numbers.',
  })
  appVersionUpdate(
    @Arg('id', () => ID, { description: 'Which version.' }) id: string,
    @Arg('input', () => AppVersionUpdateInput, { description: 'What changes.' })
    input: AppVersionUpdateInput,
    @Ctx() ctx: GraphqlContext,
  ) {
    return change(ctx, id, input);
  }

  @Mutation(() => VersionDeletePayload, {
    description:
      'Deletes a version; logical numbers and the versions whose module it is are left without it.',
  })
  appVersionDelete(
    @Arg('id', () => ID, { description: 'Which version.' }) id: string,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.change(async (work) => {
      await deleteAppVersion(work, await getAppVersionById(work, idOf('AppVersion', id)));
      return { deletedId: id };
    });
  }

  @Mutation(() => SetModulesPayload, {
    description: 'Makes these versions of modules part of a version, in place of those before.',
  })
  appVersionSetModules(
    @Arg('id', () => ID, { description: 'Which version.' }) id: string,
    @Arg('moduleIds', () => [ID], { description: 'Which versions of modules.' }) moduleIds: string[],
    @Ctx() ctx: GraphqlContext,
  ) {
    return change(ctx, id, { moduleIds }, []);
  }
}
