import type { SystemWriteWork } from '../../database/work.js';
import type { LedgerChange } from '../../database/ledger.js';
import { selectMemberships } from './membership.repository.js';

/**
 * Records an event of a user once for each of the user's companies, since a company sees only its own entries; without
 * a company if the user has none.
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
