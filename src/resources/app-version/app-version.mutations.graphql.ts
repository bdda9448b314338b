import { id, listOf, mutations } from '../../graphql/index.js';
import { AppVersionList } from './app-version.graphql.js';
import { AppReference, AppVersionCreate, AppVersionUpdate } from './app-version.model.js';
import { deleteAppVersion } from './app-version.removal.service.js';
import { createAppVersionOfNamedApp, getAppVersionById, updateAppVersion } from './app-version.service.js';

export const appVersionMutationsFace = mutations(AppVersionList, {
  get: getAppVersionById,
  create: {
    model: AppVersionCreate.extend(AppReference.shape),
    run: createAppVersionOfNamedApp,
    descriptions: {
      appId: 'App that the version belongs to.',
      bytecode: 'The program in base64. `size`, `crc` and `sha256` are computed from it.',
      moduleIds: 'Versions of modules that are part of the version. At most 1000 entries.',
    },
  },
  update: {
    model: AppVersionUpdate,
    run: updateAppVersion,
    description:
      'Updates a version. Logical numbers of a group that it is detached from lose access to the version.',
    descriptions: {
      bytecode: 'The program in base64. Null removes it.',
      moduleIds:
        'Versions of modules that are part of the version. At most 1000 entries. Replaces the whole list.',
    },
  },
  delete: {
    run: deleteAppVersion,
    description: 'Deletes a version, also from the groups, logical numbers and versions that have it.',
  },
  references: {
    appId: 'App',
    baseVersionId: 'AppVersion',
    groupIds: 'Group',
    moduleIds: 'AppVersion',
    fileIds: 'File',
  },
  changes: {
    appVersionSetModules: {
      description: 'Replaces the versions of modules that are part of a version.',
      args: { moduleIds: listOf(id('Global ids of versions of apps of the kind MODULE. At most 1000.')) },
      run: updateAppVersion,
    },
    appVersionSetFiles: {
      description: 'Replaces the files that devices download with a version.',
      args: { fileIds: listOf(id('Global ids of the files. At most 1000.')) },
      run: updateAppVersion,
    },
  },
});
