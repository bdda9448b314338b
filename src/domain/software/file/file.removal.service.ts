import type { WriteWork } from '../../../database/work.js';
import { dropFileFromVersions } from '../app/app-version.removal.service.js';
import { releaseContents } from '../content/content.service.js';
import type { File } from './file.model.js';
import { fileRecords } from './file.service.js';

/** Removes it from the app versions that have it. */
export async function deleteFile(work: WriteWork, file: File): Promise<void> {
  await dropFileFromVersions(work, file.id);
  await fileRecords.delete(work, file);
  await releaseContents(work, [file.contentId]);
}
