import { z } from 'zod';

import { auditShape, base64Of, byId, fieldsOf, resourceRoutes } from '../../../rest/index.js';
import { type File, FILE_TYPES, FileCreate, FileUpdate } from './file.model.js';
import { createFile, deleteFile, getFile, listFiles, updateFile } from './file.service.js';

const FileShape = z
  .strictObject({
    id: z.int(),
    name: z.string(),
    file_type: z.enum(FILE_TYPES),
    description: z.string().nullable(),
    content: z.string().meta({ contentEncoding: 'base64' }),
    size: z.int().min(0),
    crc: z.string().regex(/^[0-9A-F]{4}$/),
    ...auditShape,
  })
  .meta({ id: 'StoredFile', description: 'A file that terminals use with their applications.' });

const ListedShape = FileShape.omit({ content: true }).meta({
  id: 'ListedFile',
  description: 'A file, without its content.',
});

/** /v1/files (contract 23). */
export const fileRoutes = resourceRoutes<File>({
  path: '/files',
  name: 'file',
  key: byId('file_id', 'file', getFile),
  fields: fieldsOf(FileShape).from<File>({
    content: ({ contentId, size }) => base64Of(contentId, size),
    contentId: 'omitted',
  }),
  list: {
    summary: 'List files',
    fields: fieldsOf(ListedShape).from<File>({ contentId: 'omitted' }),
    handle: listFiles,
  },
  read: { summary: 'Read a file with its content' },
  create: {
    summary: 'Upload a file',
    description:
      'Send one part with a file; the name of the part does not matter. The file gets the base name of its file name.',
    body: FileCreate,
    file: { name: 'asset', required: true },
    handle: (work, input, { upload }) => createFile(work, upload?.file ?? null, input),
  },
  update: {
    summary: 'Change a file',
    description: 'Absent fields stay unchanged. Without a file, so do the content and the name.',
    body: FileUpdate,
    file: { name: 'asset' },
    handle: (work, file, input, { upload }) => updateFile(work, file, upload?.file ?? null, input),
  },
  delete: {
    summary: 'Delete a file',
    description: 'Also removes it from all app versions.',
    handle: deleteFile,
  },
});
