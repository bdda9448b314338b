import { countOf } from '../../database/count.js';
import type { ReadWork, WriteWork } from '../../database/work.js';
import { invalid, notFound, taken } from '../../platform/errors.js';
import type { Page, PageRequest } from '../../platform/page.js';
import { parse } from '../../platform/validate.js';
import { keepContent, releaseContents } from '../content/content.service.js';
import { FileCreate, FileUpdate, type File, type SentFile } from './file.model.js';
import { findFile, hasFileNamed, insertFile, selectFiles, updateFileRow } from './file.repository.js';
import { fileNameOf } from './file.rules.js';

export { files, filesOfAppVersion } from './file.repository.js';

export async function getFile(work: ReadWork, id: number): Promise<File> {
  const file = await findFile(work, id);
  if (file === undefined) throw notFound('file');
  return file;
}

/** Ascending by id. */
export async function listFiles(work: ReadWork, request: PageRequest): Promise<Page<File>> {
  const total = await countOf(work, 'files');
  return { records: await selectFiles(work, request), total, request };
}

/** Errors: `invalid` (also where no bytes were sent), `taken`. */
export async function createFile(work: WriteWork, sent: SentFile | null, input: unknown): Promise<File> {
  const { description = null, fileType } = parse(FileCreate, input);
  if (sent === null) throw invalid('file', 'is required: send it as a part of multipart/form-data');
  const name = nameOf(sent);
  await refuseTakenName(work, name);
  const bytes = await keep(work, sent);
  const file = await insertFile(work, { name, description, fileType, ...bytes });
  work.ledger.append({ action: 'create', entityType: 'file', entityId: file.id, after: file });
  return file;
}

/** New bytes bring their name, unless they were sent without one. Errors: `invalid`, `taken`. */
export async function updateFile(
  work: WriteWork,
  current: File,
  sent: SentFile | null,
  input: unknown,
): Promise<File> {
  const { description = current.description, fileType = current.fileType } = parse(FileUpdate, input);
  const name = sent === null || sent.fileName === '' ? current.name : nameOf(sent);
  if (name !== current.name) await refuseTakenName(work, name);
  const { contentId, size, crc } = sent === null ? current : await keep(work, sent);
  const file = await updateFileRow(work, current, { name, description, fileType, contentId, size, crc });
  if (contentId !== current.contentId) await releaseContents(work, [current.contentId]);
  work.ledger.append({
    action: 'update',
    entityType: 'file',
    entityId: file.id,
    before: current,
    after: file,
  });
  return file;
}

async function keep(work: WriteWork, sent: SentFile): Promise<Pick<File, 'contentId' | 'size' | 'crc'>> {
  return { contentId: await keepContent(work, sent), size: sent.size, crc: sent.crc };
}

function nameOf(sent: SentFile): string {
  const given = fileNameOf(sent.fileName);
  if ('problem' in given) throw invalid('name', given.problem);
  return given.name;
}

async function refuseTakenName(work: ReadWork, name: string): Promise<void> {
  if (await hasFileNamed(work, name)) throw taken('name', 'A file with this name exists already.');
}
