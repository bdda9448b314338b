import { findSentFile, id, type Input, listOf, mutations, nullable, upload } from '../../../graphql/index.js';
import { SentBytes } from '../../../platform/encoding/sent-bytes.js';
import { DomainError, invalid } from '../../../platform/errors.js';
import { refuseLoss } from '../../fleet/logical-number/version-links.service.js';
import { AppVersionList } from './app-version.graphql.js';
import { AppReference, AppVersionCreate, AppVersionUpdate } from './app-version.model.js';
import {
  createAppVersionOfNamedApp,
  getAppVersionById,
  replaceAppVersion,
  updateAppVersion,
} from './app-version.service.js';
import { deleteAppVersion } from './association.service.js';

const BYTECODE_FILE =
  'The program as a part of a multipart request, in place of `bytecode`. At most as large as the largest allowed file.';

/** The uploaded file becomes the bytecode; it was received before the operation began. */
function withUpload({ bytecodeFile, ...input }: Input): Input {
  if (bytecodeFile === undefined) return input;
  const sent = findSentFile(bytecodeFile);
  if (sent === undefined) {
    throw invalid(
      'bytecodeFile',
      'must be an uploaded file, not null: to remove the bytecode, send null as bytecode',
    );
  }
  if (input.bytecode !== undefined) {
    throw invalid('bytecodeFile', 'must not be sent together with bytecode');
  }
  return { ...input, bytecode: new SentBytes(sent) };
}

/** Names the field that was sent in an error of the bytecode, for example `in_use`. */
function errorOfUpload(error: unknown, input: Input): unknown {
  if (!(error instanceof DomainError) || input.bytecodeFile === undefined) return error;
  const { bytecode, ...fields } = error.details.fields ?? {};
  if (bytecode === undefined) return error;
  const details = { ...error.details, fields: { ...fields, bytecodeFile: bytecode } };
  return new DomainError(error.code, error.message, details);
}

export const appVersionMutationsGraphql = mutations(AppVersionList, {
  get: getAppVersionById,
  create: {
    model: AppVersionCreate.extend(AppReference.shape),
    run: (work, input) => createAppVersionOfNamedApp(work, withUpload(input)),
    fields: { bytecodeFile: nullable(upload(BYTECODE_FILE)) },
    descriptions: {
      appId: 'App that the version belongs to.',
      bytecode:
        'The program in base64, for small programs: see `bytecodeFile`. `size`, `crc` and `sha256` are computed from it.',
      moduleIds: 'Versions of modules that are part of the version. At most 1000 entries.',
    },
  },
  update: {
    model: AppVersionUpdate,
    run: async (work, current, input) => {
      try {
        return await replaceAppVersion(work, current, withUpload(input));
      } catch (error) {
        throw errorOfUpload(error, input);
      }
    },
    keeps: (work, { id, groupIds }, input) => {
      const kept = new Set((input.groupIds ?? groupIds) as readonly number[]);
      return refuseLoss(
        work,
        [id],
        groupIds.filter((group) => !kept.has(group)),
      );
    },
    fields: { bytecodeFile: nullable(upload(BYTECODE_FILE)) },
    description:
      'Updates a version. Logical numbers of a group that it is detached from lose access to the version. Other bytecode for a version that logical numbers have is IN_USE: create a version with another number.',
    descriptions: {
      bytecode: 'The program in base64, for small programs: see `bytecodeFile`. Null removes it.',
      moduleIds:
        'Versions of modules that are part of the version. At most 1000 entries. Replaces the whole list.',
    },
  },
  delete: {
    run: deleteAppVersion,
    keeps: (work, { id }) => refuseLoss(work, [id]),
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
