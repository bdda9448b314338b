import { Arg, Ctx, ID, Resolver } from 'type-graphql';

import { face, fields, IdArg, many, RecordMutation, type GraphqlContext } from '../../graphql/index.js';
import { AppVersionList, AppVersionType } from '../app-version/app-version.graphql.js';
import { appVersionMutations } from '../app-version/app-version.mutations.graphql.js';
import { appVersionsOfFile } from '../app-version/app-version.service.js';
import { FileList, FileType } from './file.graphql.js';
import { filesOfAppVersion } from './file.service.js';

@Resolver()
class AppVersionFiles {
  @RecordMutation(AppVersionList, 'Replaces the files that devices download with a version.')
  appVersionSetFiles(
    @IdArg('AppVersion') id: string,
    @Arg('fileIds', () => [ID], { description: 'Global ids of the files. At most 1000.' }) fileIds: string[],
    @Ctx() ctx: GraphqlContext,
  ) {
    return appVersionMutations.update(ctx, id, () => ({ fileIds }), []);
  }
}

export const fileLinksFace = face(
  AppVersionFiles,
  fields(FileType, {
    appVersions: many(AppVersionList, appVersionsOfFile, 'id', 'App versions that have the file.'),
  }),
  fields(AppVersionType, {
    files: many(FileList, filesOfAppVersion, 'id', 'Files that devices download with the version.'),
  }),
);
