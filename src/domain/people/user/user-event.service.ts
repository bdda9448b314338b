import type { LedgerChange } from '../../../database/ledger/ledger.js';
import type { SystemWriteWork } from '../../../database/work.js';
import { firstAdministrator } from './member/administrator.service.js';
import { selectMemberships } from './member/member.repository.js';

type UserEvent = Omit<LedgerChange, 'companyId' | 'entityId'>;

/**
 * Records an event of a user in each of the user's companies, since a company sees only its own entries;
 * without a company if the user has none.
 */
export async function recordOfUser(work: SystemWriteWork, userId: number, event: UserEvent): Promise<void> {
  for (const companyId of await companiesOf(work, userId)) {
    work.ledger.append({ ...event, entityId: userId, companyId });
  }
}

/** Records a change by the user `by`; without it, by each company's first administrator (contract 28). */
export async function recordChangeOfUser(
  work: SystemWriteWork,
  userId: number,
  event: Omit<UserEvent, 'userId'>,
  by?: number,
): Promise<void> {
  for (const companyId of await companiesOf(work, userId)) {
    const first = companyId === null ? undefined : await firstAdministrator(work, companyId);
    work.ledger.append({ ...event, entityId: userId, companyId, userId: by ?? first?.id ?? userId });
  }
}

async function companiesOf(work: SystemWriteWork, userId: number): Promise<readonly (number | null)[]> {
  const companyIds = (await selectMemberships(work, [userId])).map((membership) => membership.companyId);
  return companyIds.length === 0 ? [null] : companyIds;
}
