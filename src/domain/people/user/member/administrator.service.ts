import type { SystemReadWork } from '../../../../database/work.js';
import { DomainError } from '../../../../platform/errors.js';
import type { Member } from '../user.model.js';
import { selectAdministrators } from './member.repository.js';

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
