import { countOf } from '../../database/count.js';
import type { ReadWork, SystemReadWork, SystemWriteWork } from '../../database/work.js';
import type { Page, PageRequest } from '../../platform/page.js';
import { parse } from '../../platform/validate.js';
import type { Company } from '../company/company.model.js';
import { found } from '../shared/records.service.js';
import { selectMemberships } from './membership.repository.js';
import { addMembership } from './membership.service.js';
import { recordOfUser } from './user-event.service.js';
import { comparableEmail, UserAdd, type Person, type User } from './user.model.js';
import {
  findAccountByEmail,
  findMember,
  insertUser,
  selectMembers,
  selectUsers,
  updateUser,
  type UserState,
} from './user.repository.js';

export { hasUsers, users } from './user.repository.js';

/** A member of the caller's company. */
export async function getUser(work: ReadWork, id: number): Promise<User> {
  return found(await findMember(work, id), 'user');
}

/** Members of the caller's company, ascending by id. */
export async function listUsers(work: ReadWork, request: PageRequest): Promise<Page<User>> {
  const total = await countOf(work, 'users');
  return { records: await selectMembers(work, request), total, request };
}

/** All users of the server, or those of a company, ascending by id; each with all memberships. */
export async function listPeople(work: SystemReadWork, company: Company | null): Promise<readonly Person[]> {
  const users = await selectUsers(work, company?.id ?? null);
  const memberships = await selectMemberships(
    work,
    users.map((user) => user.id),
  );
  return users.map((user) => ({
    user,
    memberships: memberships.filter((membership) => membership.userId === user.id),
  }));
}

export async function findUserByEmail(work: SystemReadWork, email: string): Promise<User | undefined> {
  return (await findAccountByEmail(work, comparableEmail(email)))?.user;
}

export async function getUserByEmail(work: SystemReadWork, email: string): Promise<User> {
  return found(await findUserByEmail(work, email), 'user');
}

/**
 * Adds a member to a company: a new user, or the existing user with this e-mail address, whose name, time zone and
 * password do not change. Errors: `invalid`, `taken` (already a member).
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
  if (known === undefined) work.ledger.created('user', user, { companyId: company.id });
  await addMembership(work, { companyId: company.id, userId: user.id, role });
  return user;
}

/** Denies the user any access, in all companies, until `enableUser`. */
export async function disableUser(work: SystemWriteWork, user: User): Promise<User> {
  if (user.disabledAt !== null) return user;
  return await change(work, 'disable', user, { disabledAt: work.now });
}

export async function enableUser(work: SystemWriteWork, user: User): Promise<User> {
  if (user.disabledAt === null) return user;
  return await change(work, 'enable', user, { disabledAt: null });
}

/** Lifts a lock and resets the number of failed sign-ins. */
export async function unlockUser(work: SystemWriteWork, user: User): Promise<User> {
  return await change(work, 'unlock', user, { lockedUntil: null, failedSignIns: 0 });
}

/** Does not revoke tokens and does not lift a lock. */
export async function setPassword(work: SystemWriteWork, user: User, passwordHash: string): Promise<User> {
  return await change(work, 'set_password', user, { passwordHash });
}

async function change(work: SystemWriteWork, action: string, before: User, state: UserState): Promise<User> {
  const after = await updateUser(work, before, state);
  await recordOfUser(work, before.id, { action, entityType: 'user', before, after });
  return after;
}
