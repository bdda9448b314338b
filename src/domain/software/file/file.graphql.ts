import * as g from '../../../graphql/index.js';
import { invalid } from '../../../platform/errors.js';
import { auditedType } from '../../people/user/user.graphql.js';
import { appVersionsOfFile } from '../app/app-version.service.js';
import { AppVersionList, AppVersionType, base64Of, CONTENT_IS_COSTLY, sha256 } from '../app/app.graphql.js';
import {
  type File,
  FileCreate,
  type FileType as FileTypeName,
  FileUpdate,
  type SentFile,
} from './file.model.js';
import { createFile, deleteFile, files, filesOfAppVersion, getFile, updateFile } from './file.service.js';

const FileTypes = g.enumeration<FileTypeName>('FileType', 'Purpose of a file.', {
  asset: 'A resource that an app needs, such as an image.',
  torrent: 'A torrent: the places from which devices download the parts of a larger file.',
});

const FileType = auditedType<File, 'contentId'>('File', 'A file that devices download with app versions.', {
  name: g.text('Base file name, unique in the company.'),
  fileType: g.choice(FileTypes, 'Purpose of the file.'),
  description: g.text.orNull('Description. Null if there is none.'),
  size: g.int('Size in bytes.'),
  crc: g.text('CRC-16/XMODEM of the content: 4 upper-case hexadecimal digits.'),
});

const FileList = g.listTypes(files, FileType, { fileType: FileTypes });

/** The uploaded file in an input; null if the input has none. It was received before the operation began. */
function sentFile({ file }: g.Input): SentFile | null {
  if (file === undefined) return null;
  const sent = g.findSentFile(file);
  if (sent === undefined) throw invalid('file', 'must be an uploaded file, not null');
  return sent;
}

const DESCRIPTION = 'Description. At most 4000 characters.';

export const fileGraphql = g.graphqlModule(
  g.queries(FileList),
  g.mutations(FileList, {
    get: getFile,
    create: {
      model: FileCreate,
      run: (work, input) => createFile(work, sentFile(input), input),
      description: 'Uploads a file.',
      descriptions: { description: DESCRIPTION, fileType: 'Purpose of the file. Defaults to ASSET.' },
      fields: {
        file: g.upload(
          'The content, as a part of a multipart request. The base file name of the part becomes the name of the file.',
        ),
      },
    },
    update: {
      model: FileUpdate,
      run: (work, current, input) => updateFile(work, current, sentFile(input), input),
      description: 'Replaces the content of a file, or updates its description and purpose.',
      descriptions: { description: `${DESCRIPTION} Null clears it.`, fileType: 'Purpose of the file.' },
      fields: {
        file: g.upload.orNull(
          'New content, as a part of a multipart request. The base file name of the part, if any, becomes the new name.',
        ),
      },
    },
    delete: { run: deleteFile, description: 'Deletes a file, also from the app versions that have it.' },
    // The name of a file comes from the upload.
    within: (field) => ['input', field === 'name' ? 'file' : field],
  }),
  g.fields(FileType, {
    content: g.required(g.computed(g.base64.orNull(`The content in base64. ${CONTENT_IS_COSTLY}`), base64Of)),
    sha256: g.required(sha256('SHA-256 of the content: 64 lower-case hexadecimal digits.')),
    appVersions: g.many(AppVersionList, appVersionsOfFile, 'App versions that have the file.'),
  }),
  g.fields(AppVersionType, {
    files: g.many(FileList, filesOfAppVersion, 'Files that devices download with the version.'),
  }),
);
