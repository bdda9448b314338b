import type { OfCompany } from '../../../../database/company/company-rows.js';
import { found } from '../../../../database/company/records.js';
import { countOf } from '../../../../database/totals.js';
import type { ReadWork, SystemReadWork, SystemWriteWork } from '../../../../database/work.js';
import { taken } from '../../../../platform/errors.js';
import type { Page, PageRequest } from '../../../../platform/requests/page.js';
import type { Member, Membership } from '../user.model.js';
import { findMember, findMembership, insertMembership, selectMembers } from './member.repository.js';

export { memberList, users } from './member.repository.js';

/** A member of the caller's company. Errors: `not_found`. */
export async function getUser(work: ReadWork, id: number): Promise<Member> {
  return found(await findMember(work, id), 'user');
}

/** Members of the caller's company, ascending by id. */
export async function listUsers(work: ReadWork, request: PageRequest): Promise<Page<Member>> {
  const total = await countOf(work, 'users');
  return { records: await selectMembers(work, request), total, request };
}

/** All members of the company, ascending by id. */
export async function listMembers(work: OfCompany<SystemReadWork>): Promise<readonly Member[]> {
  return await selectMembers(work);
}

/** Errors: `not_found`. */
export async function getMembership(
  work: SystemReadWork,
  of: Pick<Membership, 'companyId' | 'userId'>,
): Promise<Membership> {
  return found(await findMembership(work, of.companyId, of.userId), 'member of the company');
}

/** `by` is the acting user. Errors: `taken`. */
export async function addMembership(
  work: SystemWriteWork,
  membership: Membership,
  by: number,
): Promise<void> {
  const { companyId, userId } = membership;
  if ((await findMembership(work, companyId, userId)) !== undefined) {
    throw taken('email', 'This user is a member of the company already.');
  }
  await insertMembership(work, membership);
  work.ledger.append({
    action: 'create',
    entityType: 'membership',
    entityId: userId,
    companyId,
    userId: by,
    after: membership,
  });
}
