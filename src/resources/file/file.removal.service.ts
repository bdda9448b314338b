import type { WriteWork } from '../../database/work.js';
import { dropFileFromVersions } from '../app-version/app-version.removal.service.js';
import { releaseContents } from '../content/content.service.js';
import type { File } from './file.model.js';
import { deleteFileRow } from './file.repository.js';

/** Takes it from the app versions that have it. */
export async function deleteFile(work: WriteWork, file: File): Promise<void> {
  await dropFileFromVersions(work, file.id);
  await deleteFileRow(work, file.id);
  await releaseContents(work, [file.contentId]);
  work.ledger.append({
    action: 'delete',
    entityType: 'file',
    entityId: file.id,
    before: file,
    after: null,
  });
}
