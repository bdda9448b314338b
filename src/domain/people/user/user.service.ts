import { found } from '../../../database/company/records.js';
import type { LedgerChange, SystemReadWork, SystemWriteWork } from '../../../database/work.js';
import { parse } from '../../../platform/validate.js';
import type { Company } from '../company/company.model.js';
import { createCompany } from '../company/company.service.js';
import { renameInAll, selectMemberships } from './member.repository.js';
import { addMembership, demandAdministrator, firstAdministrator, getMembership } from './member.service.js';
import { comparableEmail, type Person, type User, UserAdd, UserUpdate } from './user.model.js';
import {
  findAccountByEmail,
  getAccount,
  insertUser,
  resetNetworks,
  selectUsers,
  updateUser,
  type UserState,
} from './user.repository.js';

export { hasUsers } from './user.repository.js';

/** All users of the server, or of one company, ordered by e-mail address, with all their memberships. */
export async function listPeople(work: SystemReadWork, company: Company | null): Promise<readonly Person[]> {
  const users = await selectUsers(work);
  const memberships = await selectMemberships(
    work,
    users.map((user) => user.id),
  );
  return users
    .map((user) => ({ user, memberships: memberships.filter(({ userId }) => userId === user.id) }))
    .filter((person) => company === null || person.memberships.some((of) => of.companyId === company.id));
}

export async function findUserByEmail(work: SystemReadWork, email: string): Promise<User | undefined> {
  return (await findAccountByEmail(work, comparableEmail(email)))?.user;
}

export async function getUserByEmail(work: SystemReadWork, email: string): Promise<User> {
  return found(await findUserByEmail(work, email), 'user');
}

/** User with this address who is a member of all companies of `user`. Errors: `not_found`. */
export async function getColleague(work: SystemReadWork, user: User, email: string): Promise<User> {
  const colleague = await getUserByEmail(work, email);
  for (const { companyId } of await selectMemberships(work, [user.id])) {
    await getMembership(work, { companyId, userId: colleague.id });
  }
  return colleague;
}

type NewUser = ReturnType<typeof UserAdd.parse>;

/**
 * Adds a member to a company: a new user, or the existing user with this e-mail address, whose account does
 * not change. `by` is the acting user; without it, the company's first administrator acts, or the new member
 * if there is none. Errors: `invalid`, `taken` (already a member).
 */
export async function addUser(
  work: SystemWriteWork,
  company: Pick<Company, 'id'>,
  input: unknown,
  passwordHash: string,
  by?: number,
): Promise<User> {
  const fields = parse(UserAdd, input);
  const ensured = await ensureUser(work, fields, passwordHash);
  const actor = by ?? (await firstAdministrator(work, company.id))?.id ?? ensured.user.id;
  await join(work, company.id, fields, ensured, actor);
  return ensured.user;
}

/** Creates a company in the time zone of its first member, who acts. Errors: `invalid`, `taken`. */
export async function addCompanyWithUser(
  work: SystemWriteWork,
  name: string,
  input: unknown,
  passwordHash: string,
): Promise<{ readonly company: Company; readonly user: User }> {
  const fields = parse(UserAdd, input);
  const ensured = await ensureUser(work, fields, passwordHash);
  const { user } = ensured;
  const company = await createCompany(work, { name, timeZone: fields.timeZone }, user.id);
  await join(work, company.id, fields, ensured, user.id);
  return { company, user };
}

async function ensureUser(work: SystemWriteWork, { email, name, timeZone }: NewUser, passwordHash: string) {
  const known = await findUserByEmail(work, email);
  if (known !== undefined) return { user: known, isNew: false };
  return { user: await insertUser(work, { email, name, timeZone, passwordHash }), isNew: true };
}

async function join(
  work: SystemWriteWork,
  companyId: number,
  { role, name, timeZone }: NewUser,
  { user, isNew }: Awaited<ReturnType<typeof ensureUser>>,
  actor: number,
): Promise<void> {
  if (isNew) work.ledger.created('user', user, { companyId, userId: actor });
  await addMembership(work, { companyId, userId: user.id, role, name, timeZone }, actor);
}

/**
 * Denies the user any access, in all companies, until `enableUser`. `by` is the acting user, here and below;
 * without it, the first administrator of each company acts. Errors: `invalid` for the last administrator of a
 * company.
 */
export async function disableUser(work: SystemWriteWork, { id }: Identified, by?: number): Promise<User> {
  // Another administrator of these companies may be disabled or removed at the same time.
  await work.lockCompanies((await selectMemberships(work, [id])).map(({ companyId }) => companyId));
  const { user } = await getAccount(work, id);
  if (user.disabledAt !== null) return user;
  const after = await change(work, 'disable', user, { disabledAt: work.now }, by);
  for (const { companyId, companyName, role, disabledAt } of await selectMemberships(work, [id])) {
    if (role !== 'admin' || disabledAt !== null) continue;
    await demandAdministrator(work, { id: companyId, name: companyName }, user.email);
  }
  return after;
}

export async function enableUser(work: SystemWriteWork, { id }: Identified, by?: number): Promise<User> {
  const { user } = await getAccount(work, id);
  if (user.disabledAt === null) return user;
  return await change(work, 'enable', user, { disabledAt: null }, by);
}

/** Removes all locks of a user, for all networks, and resets the numbers of wrong passwords. */
export async function unlockUser(work: SystemWriteWork, { id }: Identified, by?: number): Promise<User> {
  const { user } = await getAccount(work, id);
  await resetNetworks(work, id);
  const state = { lockedUntil: null, failedSignIns: 0, failedSince: null };
  return await change(work, 'unlock', user, state, by);
}

/** Sets the password. Tokens and locks stay. */
export async function setPassword(
  work: SystemWriteWork,
  { id }: Identified,
  passwordHash: string,
  by?: number,
): Promise<User> {
  const { user } = await getAccount(work, id);
  return await change(work, 'set_password', user, { passwordHash }, by);
}

/** Changes the name and time zone of the account and of all memberships. Errors: `invalid`. */
export async function updateAccount(
  work: SystemWriteWork,
  { id }: Identified,
  input: unknown,
  by?: number,
): Promise<User> {
  const values = parse(UserUpdate, input);
  const { user } = await getAccount(work, id);
  await renameInAll(work, id, values);
  return await change(work, 'update', user, values, by);
}

type Identified = Pick<User, 'id'>;

async function change(
  work: SystemWriteWork,
  action: string,
  before: User,
  state: UserState,
  by?: number,
): Promise<User> {
  const after = await updateUser(work, before, state);
  const event = { action, entityType: 'user', before: shown(before), after: shown(after) };
  // The actor is `by` or, without it, the first administrator of each company (contract 28).
  await recordOfUser(work, before.id, event, async (companyId) => {
    const first = companyId === null ? undefined : await firstAdministrator(work, companyId);
    return { userId: by ?? first?.id ?? before.id };
  });
  return after;
}

/** User as it is shown in the ledgers of all its companies: without activity in only one of them. */
function shown({ id, email, name, timeZone, disabledAt, lockedUntil }: User) {
  return { id, email, name, timeZone, disabledAt, lockedUntil };
}

type UserEvent = Omit<LedgerChange, 'companyId' | 'entityId'>;

/**
 * Records an event of a user in each of the user's companies, since a company sees only its own entries;
 * without a company if the user has none.
 */
export async function recordOfUser(
  work: SystemWriteWork,
  userId: number,
  event: UserEvent,
  actorIn: (companyId: number | null) => Promise<{ readonly userId?: number }> = () => Promise.resolve({}),
): Promise<void> {
  const companyIds = (await selectMemberships(work, [userId])).map((membership) => membership.companyId);
  for (const companyId of companyIds.length === 0 ? [null] : companyIds) {
    work.ledger.append({ ...event, ...(await actorIn(companyId)), entityId: userId, companyId });
  }
}
