import type { WriteWork } from '../../database/work.js';
import { deleteAppVersionsOf, hasVersionRows } from '../app-version/app-version.removal.service.js';
import { removeInSteps } from '../removal/removal.service.js';
import type { App } from './app.model.js';
import { appTable } from './app.repository.js';
import { appRecords } from './app.service.js';

/** Deletes its versions too (contract 20). */
export async function deleteApp(work: WriteWork, app: App): Promise<void> {
  await deleteAppVersionsOf(work, app);
  if (!(await hasVersionRows(work, app.id))) {
    await appRecords.delete(work, app);
    return;
  }
  await appTable.free(work, [app.id], 'name', []);
  await removeInSteps(work, [{ appId: app.id }]);
  work.ledger.deleted('app', app);
}

/** Deletes the row of a deleted application, after the last of its versions. */
export async function finishApp(work: WriteWork, id: number): Promise<void> {
  await appTable.deleteById(work, id);
}
