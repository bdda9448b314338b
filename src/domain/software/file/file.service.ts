import { CompanyTable } from '../../../database/company/company-table.js';
import { Records } from '../../../database/company/records.js';
import { auditedList } from '../../../database/list/list.js';
import type { WriteWork } from '../../../database/work.js';
import { invalid } from '../../../platform/errors.js';
import { changed, newValues, parse } from '../../../platform/validate.js';
import { dropFromVersions } from '../app/app-version.service.js';
import { hasBytes, keepContent, releaseContents } from '../app/content.service.js';
import { type File, FileCreate, fileNameOf, FileUpdate, type SentFile } from './file.model.js';

const fileTable = new CompanyTable<'files', File>('files');

export const files = auditedList(fileTable, {
  name: 'File',
  orders: { NAME: 'name' },
  filters: {
    name: { column: 'name', kind: 'text', isUnique: true },
    fileType: { column: 'file_type', kind: 'choice', order: 'ID' },
  },
});

export const filesOfAppVersion = files.of({ link: 'app_version_files', parent: 'app_version_id' });

const fileRecords = new Records(fileTable, { field: 'name' });

export const { get: getFile, list: listFiles } = fileRecords;

/** Errors: `invalid` (also without bytes), `taken`. */
export async function createFile(work: WriteWork, sent: SentFile | null, input: unknown): Promise<File> {
  const fields = newValues(FileCreate, input, {});
  if (sent === null)
    throw invalid('file', 'is required: {advice}', { advice: 'send it as a part of multipart/form-data' });
  const values = { ...fields, name: fileNameOf(sent.fileName), contentId: 0, size: sent.size, crc: sent.crc };
  await fileRecords.refuseTaken(work, values);
  return await fileRecords.insert(work, { ...values, contentId: await keepContent(work, sent) });
}

/** New bytes bring their name, unless they were sent without one. Errors: `invalid`, `taken`. */
export async function updateFile(work: WriteWork, current: File, sent: SentFile | null, input: unknown) {
  const fields = changed(current, parse(FileUpdate, input));
  if (sent === null) return await fileRecords.update(work, current, fields);
  const name = sent.fileName === '' ? current.name : fileNameOf(sent.fileName);
  const values = { ...fields, name, size: sent.size, crc: sent.crc };
  await fileRecords.refuseTaken(work, values, current);
  if (await hasBytes(work, current, sent)) return await fileRecords.update(work, current, values);
  const contentId = await keepContent(work, sent);
  const file = await fileRecords.update(work, current, { ...values, contentId });
  await releaseContents(work, [current.contentId]);
  return file;
}

/** Removes it from the app versions that have it. */
export async function deleteFile(work: WriteWork, file: File): Promise<void> {
  await dropFromVersions(work, 'fileIds', [file.id]);
  await fileRecords.delete(work, file);
  await releaseContents(work, [file.contentId]);
}
