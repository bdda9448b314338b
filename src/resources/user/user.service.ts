import type { SystemWriteWork } from '../../database/work.js';
import { taken } from '../../platform/errors.js';
import { parse } from '../../platform/validate.js';
import type { Company } from '../company/company.model.js';
import { UserAdd, type User } from './user.model.js';
import { findMembership, findUserByEmail, insertMembership, insertUser } from './user.repository.js';

/**
 * Adds a member to a company: a new user, or, where the e-mail is known, the existing one with the name,
 * time zone and password that it has. Errors: `invalid`, `taken` (a member already).
 */
export async function addUser(
  work: SystemWriteWork,
  company: Company,
  input: unknown,
  passwordHash: string,
): Promise<User> {
  const { role, ...fields } = parse(UserAdd, input);
  const known = await findUserByEmail(work, fields.email);
  const user = known ?? (await insertUser(work, { ...fields, passwordHash }));
  if (known === undefined) {
    work.ledger.append({
      action: 'create',
      entityType: 'user',
      entityId: user.id,
      companyId: company.id,
      after: user,
    });
  }
  if ((await findMembership(work, company.id, user.id)) !== undefined) {
    throw taken('email', 'This user is a member of the company already.');
  }
  const membership = { companyId: company.id, userId: user.id, role };
  await insertMembership(work, membership);
  work.ledger.append({
    action: 'create',
    entityType: 'membership',
    entityId: user.id,
    companyId: company.id,
    after: membership,
  });
  return user;
}
