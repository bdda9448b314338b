import type { WriteWork } from '../../database/work.js';
import { deleteAppVersionsOf } from '../app-version/app-version.removal.service.js';
import type { App } from './app.model.js';
import { appRecords } from './app.service.js';

/** Deletes its versions too (contract 20). Errors: `too_many_records`. */
export async function deleteApp(work: WriteWork, app: App): Promise<void> {
  await deleteAppVersionsOf(work, app);
  await appRecords.delete(work, app);
}
