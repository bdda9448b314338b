import type { SystemWriteWork } from '../../database/work.js';
import type { LedgerChange } from '../../database/ledger.js';
import { selectMemberships } from './membership.repository.js';

/**
 * Records what happened to a user in each of the user's companies, since each sees its own record only; in
 * none, where the user belongs to none.
 */
export async function recordOfUser(
  work: SystemWriteWork,
  userId: number,
  event: Omit<LedgerChange, 'companyId' | 'entityId'>,
): Promise<void> {
  const companyIds = (await selectMemberships(work, [userId])).map((membership) => membership.companyId);
  for (const companyId of companyIds.length === 0 ? [null] : companyIds) {
    work.ledger.append({ ...event, entityId: userId, companyId });
  }
}
