import { z } from 'zod';

import { CONTENT_PLACEHOLDER } from '../../rest/content-placeholder.js';
import {
  auditShape,
  EMPTY,
  EmptyShape,
  listResponse,
  listShape,
  recordResponse,
  recordShape,
} from '../../rest/envelope.js';
import type { Route } from '../../rest/route.js';
import { auditFields } from '../../rest/timestamp.js';
import { FILE_TYPES, FileCreate, FileUpdate, type File } from './file.model.js';
import { deleteFile } from './file.removal.service.js';
import { createFile, getFile, listFiles, updateFile } from './file.service.js';

const head = {
  id: z.int(),
  name: z.string(),
  file_type: z.enum(FILE_TYPES),
  description: z.string().nullable(),
};
const tail = { size: z.int().min(0), crc: z.string().regex(/^[0-9A-F]{4}$/), ...auditShape };

const ListedShape = z
  .strictObject({ ...head, ...tail })
  .meta({ id: 'ListedFile', description: 'A file, without its content.' });

const FileShape = z
  .strictObject({ ...head, content: z.string().meta({ contentEncoding: 'base64' }), ...tail })
  .meta({ id: 'File', description: 'A file that terminals can have along with their applications.' });

const headOf = (file: File) => ({
  id: file.id,
  name: file.name,
  file_type: file.fileType,
  description: file.description,
});
const tailOf = (file: File) => ({ size: file.size, crc: file.crc, ...auditFields(file) });

const listedFields = (file: File) => ({ ...headOf(file), ...tailOf(file) });

function answer(file: File, status?: 201) {
  const fields = { ...headOf(file), content: CONTENT_PLACEHOLDER, ...tailOf(file) };
  return recordResponse('file', fields, file, status, file.contentId);
}

/** /v1/files (contract 23). */
export const fileRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/files',
    scope: 'read',
    summary: 'List files',
    paged: true,
    response: listShape('files', 'file', ListedShape),
    read: async (work, call) => listResponse('files', 'file', await listFiles(work, call.page), listedFields),
  },
  {
    method: 'GET',
    path: '/files/{file_id}',
    scope: 'read',
    summary: 'Read a file with its content',
    response: recordShape('file', FileShape),
    read: async (work, call) => answer(await getFile(work, call.id('file_id', 'file'))),
  },
  {
    method: 'POST',
    path: '/files',
    scope: 'write',
    summary: 'Upload a file',
    description:
      "The one part that carries a file, whatever it is called; the file's name is that part's base file name.",
    body: FileCreate,
    multipart: true,
    status: 201,
    response: recordShape('file', FileShape),
    write: async (work, call) => answer(await createFile(work, call.upload?.file ?? null, call.input), 201),
  },
  {
    method: 'PUT',
    path: '/files/{file_id}',
    scope: 'write',
    summary: 'Change a file',
    description: 'What is not sent stays: the bytes with their name, the description, the type.',
    body: FileUpdate,
    multipart: true,
    response: recordShape('file', FileShape),
    write: async (work, call) => {
      const file = await getFile(work, call.id('file_id', 'file'));
      call.ifMatch('file', file);
      return answer(await updateFile(work, file, call.upload?.file ?? null, call.input));
    },
  },
  {
    method: 'DELETE',
    path: '/files/{file_id}',
    scope: 'write',
    summary: 'Delete a file',
    description: 'App versions that have it no longer do.',
    response: EmptyShape,
    write: async (work, call) => {
      const file = await getFile(work, call.id('file_id', 'file'));
      call.ifMatch('file', file);
      await deleteFile(work, file);
      return EMPTY;
    },
  },
];
