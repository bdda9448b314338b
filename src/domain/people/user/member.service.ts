import { found, getFrom } from '../../../database/company/records.js';
import { countOf } from '../../../database/counters.js';
import type { ReadWork, SystemReadWork, SystemWriteWork } from '../../../database/work.js';
import { DomainError, taken } from '../../../platform/errors.js';
import type { Page, PageRequest } from '../../../platform/requests.js';
import {
  findMembership,
  insertMembership,
  selectAdministrators,
  listMembers,
  users,
} from './member.repository.js';
import type { Member, Membership } from './user.model.js';

export { listMembers, memberList, users } from './member.repository.js';

/** A member of the caller's company. Errors: `not_found`. */
export async function getUser(work: ReadWork, id: number): Promise<Member> {
  return await getFrom(users, work, id, 'user');
}

/** Members of the caller's company, ascending by id. */
export async function listUsers(work: ReadWork, request: PageRequest): Promise<Page<Member>> {
  const total = await countOf(work, 'users');
  return { records: await listMembers(work, request), total, request };
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

/** Administrator with the earliest membership of the company who is not disabled. */
export async function firstAdministrator(
  work: SystemReadWork,
  companyId: number,
): Promise<Member | undefined> {
  return (await selectAdministrators(work, companyId))[0];
}

/**
 * To be called after a change that removes an administrator from a company, in its transaction. Transactions
 * that write in a company run one at a time, so two of them cannot remove the last two administrators.
 * Errors: `invalid` if the company has no administrator any more.
 */
export async function demandAdministrator(
  work: SystemReadWork,
  company: { readonly id: number; readonly name?: string },
  email: string,
): Promise<void> {
  if ((await firstAdministrator(work, company.id)) !== undefined) return;
  const name = company.name === undefined ? 'the company' : `"${company.name}"`;
  const message = `${email} is the last administrator of ${name}: make another member an administrator first.`;
  throw new DomainError('invalid', message);
}
