import { fields, graphqlModule, many } from '../../../graphql/index.js';
import { AppVersionList, AppVersionType } from '../app/app-version.graphql.js';
import { appVersionsOfFile } from '../app/app-version.service.js';
import { FileList, FileType } from './file.graphql.js';
import { filesOfAppVersion } from './file.service.js';

export const fileLinksGraphql = graphqlModule(
  fields(FileType, {
    appVersions: many(AppVersionList, appVersionsOfFile, 'id', 'App versions that have the file.'),
  }),
  fields(AppVersionType, {
    files: many(FileList, filesOfAppVersion, 'id', 'Files that devices download with the version.'),
  }),
);
