import type { OfCompany } from '../../../../src/database/company/company-rows.js';
import type { SystemWriteWork } from '../../../../src/database/work.js';
import { finish } from '../../../../src/domain/messages/notification/delivery/delivery-changes.repository.js';
import type { ClaimedDelivery } from '../../../../src/domain/messages/notification/delivery/delivery.model.js';
import { DELIVERY } from '../../../../src/domain/messages/notification/delivery/dispatch.service.js';

/** As after the last attempt to hand them out. */
export async function failDeliveries(
  work: OfCompany<SystemWriteWork>,
  claimed: readonly ClaimedDelivery[],
  reason: string,
): Promise<void> {
  await finish(
    work,
    claimed.map(({ id }) => id),
    'failed',
    reason,
  );
  work.report({ companyId: work.caller.companyId, entityType: DELIVERY });
}
