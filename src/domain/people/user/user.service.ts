import { isDeepStrictEqual } from 'node:util';

import { found, getFrom } from '../../../database/company/records.js';
import { countOf } from '../../../database/counters.js';
import type {
  LedgerActionName,
  ReadWork,
  SystemReadWork,
  SystemWriteWork,
  LedgerChange,
} from '../../../database/work.js';
import { invalid, invalidRecord, taken } from '../../../platform/errors.js';
import type { Page, PageRequest } from '../../../platform/requests.js';
import { changed, type Ids, parse } from '../../../platform/validate.js';
import type { Company } from '../company/company.model.js';
import { createCompany } from '../company/company.service.js';
import { endCodes, invitationCode, takeCode } from './one-time-code.repository.js';
import { endSessions } from './session.repository.js';
import {
  type Account,
  comparableEmail,
  type Member,
  type Membership,
  type MembershipKey,
  type Person,
  type User,
  UserAdd,
  UserUpdate,
} from './user.model.js';
import * as store from './user.repository.js';

export { hasUsers, listMembers, memberList, users } from './user.repository.js';

/** A member of the caller's company. Errors: `not_found`. */
export async function getUser(work: ReadWork, id: number): Promise<Member> {
  return await getFrom(store.users, work, id, 'user');
}

/** Errors: `invalid` at the field unless all ids are those of members. */
export async function refuseUnknownUsers(work: ReadWork, field: string, ids: Ids): Promise<void> {
  if ((await store.users.byIds(work, ids)).size < ids.length)
    throw invalid(field, 'must hold ids of {what} only', { what: 'users' });
}

/** Members of the caller's company, ascending by id. */
export async function listUsers(work: ReadWork, request: PageRequest): Promise<Page<Member>> {
  const total = await countOf(work, 'users');
  return { records: await store.listMembers(work, request), total, request };
}

/** Errors: `not_found`. */
export async function getMembership(work: SystemReadWork, of: MembershipKey): Promise<Membership> {
  return found(await store.findMembership(work, of), 'member of the company');
}

/** Administrator with the earliest membership of the company who is not disabled. */
export async function firstAdministrator(work: SystemReadWork, companyId: number) {
  return (await store.selectAdministrators(work, companyId))[0];
}

/**
 * To be called after a change that removes an administrator from a company, in its transaction. Transactions
 * that write in a company run one at a time, so two of them cannot remove the last two administrators.
 * Errors: `invalid` if the company has no administrator any more.
 */
export async function requireAdministrator(
  work: SystemReadWork,
  companyId: number,
  email: string,
  company = 'the company',
): Promise<void> {
  if ((await firstAdministrator(work, companyId)) !== undefined) return;
  const message =
    '{email} is the last administrator of {company}: make another member an administrator first.';
  throw invalidRecord(message, { email, company });
}

/** All users of the server, or of one company, ordered by e-mail address, with all their memberships. */
export async function listPeople(work: SystemReadWork, company: Company | null): Promise<readonly Person[]> {
  const all = await store.selectUsers(work);
  const ids = all.map(({ id }) => id);
  const memberships = Map.groupBy(await store.selectMemberships(work, ids), ({ userId }) => userId);
  return all
    .map((user) => ({ user, memberships: memberships.get(user.id) ?? [] }))
    .filter((person) => company === null || person.memberships.some((of) => of.companyId === company.id));
}

export async function findUserByEmail(work: SystemReadWork, email: string): Promise<User | undefined> {
  return await store.findAccountByEmail(work, comparableEmail(email));
}

export async function getUserByEmail(work: SystemReadWork, email: string): Promise<User> {
  return found(await findUserByEmail(work, email), 'user');
}

/** User with this address who is a member of all companies of `user`. Errors: `not_found`. */
export async function getColleague(work: SystemReadWork, user: User, email: string): Promise<User> {
  const colleague = await getUserByEmail(work, email);
  for (const { companyId } of await store.selectMemberships(work, [user.id])) {
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
  return { user: await store.insertUser(work, { email, name, timeZone, passwordHash }), isNew: true };
}

/** Adds the membership, in place of an open invitation. Errors: `taken`. */
export async function join(
  work: SystemWriteWork,
  companyId: number,
  { role, name, timeZone }: Omit<NewUser, 'email'>,
  { user, isNew }: Awaited<ReturnType<typeof ensureUser>>,
  actor: number,
): Promise<void> {
  const by = { companyId, userId: actor };
  if (isNew) work.ledger.created('user', user, by);
  const after = { companyId, userId: user.id, role, name, timeZone };
  if ((await store.findMembership(work, after)) !== undefined) {
    throw taken('email', 'This user is a member of the company already.');
  }
  await store.insertMembership(work, after);
  await takeCode(work, 'invitation', invitationCode(after));
  await endCodes(work, user.id);
  work.ledger.append({ action: 'create', entityType: 'membership', entityId: user.id, after, ...by });
}

type Identified = Pick<User, 'id'>;

/**
 * Denies the user any access, in all companies, until `enableUser`. `by` is the acting user, here and below;
 * without it, the first administrator of each company acts. Errors: `invalid` for the last administrator of a
 * company.
 */
export async function disableUser(work: SystemWriteWork, { id }: Identified, by?: number): Promise<User> {
  // Another administrator of these companies may be disabled or removed at the same time.
  await work.lockCompanies((await store.selectMemberships(work, [id])).map(({ companyId }) => companyId));
  const user = await store.getAccount(work, id);
  if (user.disabledAt !== null) return user;
  const after = await change(work, 'disable', user, { disabledAt: work.now }, by);
  for (const { companyId, companyName, role, disabledAt } of await store.selectMemberships(work, [id])) {
    if (role !== 'admin' || disabledAt !== null) continue;
    await requireAdministrator(work, companyId, user.email, `"${companyName}"`);
  }
  return after;
}

export async function enableUser(work: SystemWriteWork, { id }: Identified, by?: number): Promise<User> {
  const user = await store.getAccount(work, id);
  return user.disabledAt === null ? user : await change(work, 'enable', user, { disabledAt: null }, by);
}

/** Removes all locks of a user, for all networks, and resets the numbers of wrong passwords. */
export async function unlockUser(work: SystemWriteWork, { id }: Identified, by?: number): Promise<User> {
  const user = await store.getAccount(work, id);
  const touched = await store.resetNetworks(work, id);
  const state = { lockedUntil: null, failedSignIns: 0, failedSince: null };
  return await change(work, 'unlock', user, state, by, touched);
}

/** Sets the password, and ends the sessions of the user but `keptSession`. Tokens and locks stay. */
export async function setPassword(
  work: SystemWriteWork,
  { id }: Identified,
  passwordHash: string,
  by?: number,
  keptSession?: number,
): Promise<User> {
  await endSessions(work, id, keptSession);
  return await change(work, 'set_password', await store.getAccount(work, id), { passwordHash }, by);
}

/** Changes the e-mail address of the account. Errors: `taken`. */
export async function changeEmail(
  work: SystemWriteWork,
  { id }: Identified,
  email: string,
  by: number,
): Promise<User> {
  if ((await store.findAccountByEmail(work, email)) !== undefined) {
    throw taken('email', 'Another account has this e-mail address.');
  }
  return await change(work, 'update', await store.getAccount(work, id), { email }, by);
}

/** Changes the name and time zone of the account and of all memberships. Errors: `invalid`. */
export async function updateAccount(work: SystemWriteWork, { id }: Identified, input: unknown, by?: number) {
  const values = parse(UserUpdate, input);
  const user = await store.getAccount(work, id);
  const touched = await store.renameInAll(work, id, values);
  return await change(work, 'update', user, values, by, touched);
}

/** Fields that open an account. Codes were issued for these as they were, so a change of one ends all codes. */
const ACCESS = ['passwordHash', 'email', 'disabledAt'] as const;

/** Changes an account, unless it has these values already and nothing of it has changed elsewhere. */
async function change(
  work: SystemWriteWork,
  action: LedgerActionName,
  before: Account,
  state: store.UserState,
  by?: number,
  touched = false,
) {
  if (!touched && isDeepStrictEqual(changed<object, object>(before, state), before)) return before;
  const after = await store.updateUser(work, before, state);
  if (ACCESS.some((field) => field in state)) await endCodes(work, before.id);
  const event: UserEvent = { action, entityType: 'user', before: shown(before), after: shown(after) };
  await recordOfUser(work, before.id, event, actorIn(work, before.id, by));
  return after;
}

/** The actor is `by` or, without it, the first administrator of each company (contract 28). */
export const actorIn =
  (work: SystemReadWork, userId: number, by?: number) =>
  async (companyId: number | null): Promise<{ readonly userId: number }> => {
    const first = companyId === null ? undefined : await firstAdministrator(work, companyId);
    return { userId: by ?? first?.id ?? userId };
  };

/** User as it is shown in the ledgers of all its companies: without activity in only one of them. */
const shown = ({ id, email, name, timeZone, disabledAt, lockedUntil }: User) => ({
  id,
  email,
  name,
  timeZone,
  disabledAt,
  lockedUntil,
});

export type UserEvent = Omit<LedgerChange, 'companyId' | 'entityId'>;

/** Records an event in each company of a user, since each sees only its own entries, or without a company. */
export async function recordOfUser(
  work: SystemWriteWork,
  userId: number,
  event: UserEvent,
  actorIn: (companyId: number | null) => Promise<{ readonly userId?: number }> = () => Promise.resolve({}),
): Promise<void> {
  const companyIds = (await store.selectMemberships(work, [userId])).map(
    (membership) => membership.companyId,
  );
  for (const companyId of companyIds.length === 0 ? [null] : companyIds) {
    work.ledger.append({ ...event, ...(await actorIn(companyId)), entityId: userId, companyId });
  }
}
