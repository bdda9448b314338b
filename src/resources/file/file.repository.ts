import { auditOf, changedBy, createdBy } from '../../database/audit.js';
import { listOf } from '../../database/list/list.js';
import type { Row } from '../../database/tables.js';
import type { ReadWork, WriteWork } from '../../database/work.js';
import { offsetOf, type PageRequest } from '../../platform/page.js';
import type { File, FileType } from './file.model.js';

export type FileValues = Pick<File, 'name' | 'fileType' | 'description' | 'contentId' | 'size' | 'crc'>;

function fileOf(row: Row<'files'>): File {
  return {
    id: row.id,
    name: row.name,
    fileType: row.file_type as FileType,
    description: row.description,
    contentId: row.content_id,
    size: row.size,
    crc: row.crc,
    ...auditOf(row),
  };
}

export const files = listOf<'files', File>({
  name: 'File',
  table: 'files',
  id: 'id',
  orders: { ID: 'id', NAME: 'name', CREATED_AT: 'created_at', UPDATED_AT: 'updated_at' },
  filters: {
    id: { column: 'id', kind: 'id' },
    name: { column: 'name', kind: 'text' },
    fileType: { column: 'file_type', kind: 'choice' },
    createdAt: { column: 'created_at', kind: 'instant' },
    updatedAt: { column: 'updated_at', kind: 'instant' },
  },
  recordOf: fileOf,
});

export const filesOfAppVersion = files.of({
  link: 'app_version_files',
  parent: 'app_version_id',
  child: 'file_id',
});

function columnsOf(values: FileValues) {
  return {
    name: values.name,
    file_type: values.fileType,
    description: values.description,
    content_id: values.contentId,
    size: values.size,
    crc: values.crc,
  };
}

const ownFiles = (work: ReadWork) =>
  work.db.selectFrom('files').selectAll().where('company_id', '=', work.caller.companyId);

export async function findFile(work: ReadWork, id: number): Promise<File | undefined> {
  const row = await ownFiles(work).where('id', '=', id).executeTakeFirst();
  return row && fileOf(row);
}

export async function hasFileNamed(work: ReadWork, name: string): Promise<boolean> {
  return (await ownFiles(work).where('name', '=', name).executeTakeFirst()) !== undefined;
}

export async function selectFiles(work: ReadWork, page: PageRequest): Promise<File[]> {
  const rows = await ownFiles(work).orderBy('id').limit(page.perPage).offset(offsetOf(page)).execute();
  return rows.map(fileOf);
}

export async function insertFile(work: WriteWork, values: FileValues): Promise<File> {
  const row = await work.db
    .insertInto('files')
    .values({ company_id: work.caller.companyId, ...columnsOf(values), ...createdBy(work) })
    .returningAll()
    .executeTakeFirstOrThrow();
  return fileOf(row);
}

export async function updateFileRow(work: WriteWork, current: File, values: FileValues): Promise<File> {
  const row = await work.db
    .updateTable('files')
    .set({ ...columnsOf(values), ...changedBy(work, current) })
    .where('company_id', '=', work.caller.companyId)
    .where('id', '=', current.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return fileOf(row);
}

export async function deleteFileRow(work: WriteWork, id: number): Promise<void> {
  await work.db
    .deleteFrom('files')
    .where('company_id', '=', work.caller.companyId)
    .where('id', '=', id)
    .execute();
}
