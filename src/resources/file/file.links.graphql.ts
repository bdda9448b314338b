import { Arg, Args, Ctx, FieldResolver, ID, Mutation, Resolver, Root } from 'type-graphql';

import type { GraphqlContext, ListArgs } from '../../graphql/execution/context.js';
import { idOf, withNumbers } from '../../graphql/schema/node.js';
import { payloadOf } from '../../graphql/schema/payload.js';
import { AppVersionList, AppVersionType } from '../app-version/app-version.graphql.js';
import type { AppVersion } from '../app-version/app-version.model.js';
import {
  appVersionsOfFile,
  getAppVersionById,
  updateAppVersion,
} from '../app-version/app-version.service.js';
import { FileList, FileType } from './file.graphql.js';
import type { File } from './file.model.js';
import { filesOfAppVersion } from './file.service.js';

const SetFilesPayload = payloadOf('AppVersionSetFiles', 'appVersion', () => AppVersionType);

@Resolver(() => FileType)
export class FileAppVersionsResolver {
  @FieldResolver(() => AppVersionList.Connection, { description: 'App versions that have the file.' })
  appVersions(
    @Root() file: File,
    @Args(() => AppVersionList.Args) args: ListArgs,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.children(appVersionsOfFile, file.id, args);
  }
}

@Resolver(() => AppVersionType)
export class AppVersionFilesResolver {
  @FieldResolver(() => FileList.Connection, { description: 'Files that terminals get along with it.' })
  files(@Root() version: AppVersion, @Args(() => FileList.Args) args: ListArgs, @Ctx() ctx: GraphqlContext) {
    return ctx.children(filesOfAppVersion, version.id, args);
  }

  @Mutation(() => SetFilesPayload, {
    description: 'Gives a version these files, up to 1000, in place of those before.',
  })
  appVersionSetFiles(
    @Arg('id', () => ID, { description: 'Which version.' }) id: string,
    @Arg('fileIds', () => [ID], { description: 'Which files.' }) fileIds: string[],
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.change(
      async (work) => {
        const current = await getAppVersionById(work, idOf('AppVersion', id));
        const input = withNumbers({ fileIds }, { fileIds: 'File' });
        return { appVersion: await updateAppVersion(work, current, input) };
      },
      'write',
      [],
    );
  }
}
