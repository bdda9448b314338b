import { Records } from '../../../database/company/records.js';
import type { WriteWork } from '../../../database/work.js';
import { changed, newValues } from '../../../platform/changes/changes.js';
import { invalid } from '../../../platform/errors.js';
import { parse } from '../../../platform/validate.js';
import { keepContent, releaseContents } from '../content/content.service.js';
import { FileCreate, FileUpdate, type File, type SentFile } from './file.model.js';
import { fileTable } from './file.repository.js';
import { fileNameOf } from './file.rules.js';

export { files, filesOfAppVersion } from './file.repository.js';

export const fileRecords = new Records({
  entityType: 'file',
  table: fileTable,
  counter: 'files',
  unique: {
    field: 'name',
    match: ({ name }) => ({ name }),
    message: 'A file with this name exists already.',
  },
});

export const { get: getFile, list: listFiles } = fileRecords;

/** Errors: `invalid` (also without bytes), `taken`. */
export async function createFile(work: WriteWork, sent: SentFile | null, input: unknown): Promise<File> {
  const fields = newValues(FileCreate, input, {});
  if (sent === null) throw invalid('file', 'is required: send it as a part of multipart/form-data');
  const values = { ...fields, name: nameOf(sent), contentId: 0, size: sent.size, crc: sent.crc };
  await fileRecords.refuseTaken(work, values);
  return await fileRecords.insert(work, { ...values, contentId: await keepContent(work, sent) });
}

/** New bytes bring their name, unless they were sent without one. Errors: `invalid`, `taken`. */
export async function updateFile(
  work: WriteWork,
  current: File,
  sent: SentFile | null,
  input: unknown,
): Promise<File> {
  const fields = changed(current, parse(FileUpdate, input));
  if (sent === null) return await fileRecords.update(work, current, fields);
  const name = sent.fileName === '' ? current.name : nameOf(sent);
  const values = { ...fields, name, size: sent.size, crc: sent.crc };
  await fileRecords.refuseTaken(work, values, current);
  const contentId = await keepContent(work, sent);
  const file = await fileRecords.update(work, current, { ...values, contentId });
  await releaseContents(work, [current.contentId]);
  return file;
}

function nameOf(sent: SentFile): string {
  const given = fileNameOf(sent.fileName);
  if ('problem' in given) throw invalid('name', given.problem);
  return given.name;
}
