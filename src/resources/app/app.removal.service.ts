import type { WriteWork } from '../../database/work.js';
import { deleteAppVersionsOf } from '../app-version/app-version.removal.service.js';
import type { App } from './app.model.js';
import { deleteAppRow } from './app.repository.js';

/** Takes its versions along (contract 20). */
export async function deleteApp(work: WriteWork, app: App): Promise<void> {
  await deleteAppVersionsOf(work, app);
  await deleteAppRow(work, app.id);
  work.ledger.append({
    action: 'delete',
    entityType: 'app',
    entityId: app.id,
    before: app,
    after: null,
  });
}
