import type { LedgerActionName, WriteWork } from '../../../database/work.js';
import { DomainError, invalid } from '../../../platform/errors.js';
import { demandScope } from '../../../platform/requests.js';
import { changed, parse } from '../../../platform/validate.js';
import { recordTokensRemoved } from '../access-token/access-token.service.js';
import { endCodes } from './one-time-code.repository.js';
import { type Member, type Membership, RoleChoice, UserAdd, UserUpdate } from './user.model.js';
import { deleteMembership, type MemberChanges, selectMemberships, updateMember } from './user.repository.js';
import { addUser, demandAdministrator, findUserByEmail, getUser, unlockUser } from './user.service.js';

/** Adds a member, with a new account or an existing one, whose password stays. Errors: `invalid`, `taken`. */
export async function addMember(work: WriteWork, input: unknown, passwordHash: string) {
  const { companyId, userId } = work.caller;
  const { email } = parse(UserAdd, input);
  const { id, isNewAccount } = await work.aboveCompanies(async (above) => ({
    isNewAccount: (await findUserByEmail(above, email)) === undefined,
    id: (await addUser(above, { id: companyId }, input, passwordHash, userId)).id,
  }));
  return { member: await getUser(work, id), isNewAccount };
}

/** Changes name and time zone in this company. Users may change themselves. Errors: `invalid`, `forbidden`. */
export async function updateUser(work: WriteWork, member: Member, input: unknown): Promise<Member> {
  const { caller } = work;
  const isOwn = member.id === caller.userId && caller.scopes.includes('write');
  if (!isOwn) demandScope(caller, 'admin');
  return await change(work, 'update', member, parse(UserUpdate, input));
}

/** Changes the role. Errors: `invalid`, also for the last administrator. */
export async function setRole(work: WriteWork, member: Member, input: unknown): Promise<Member> {
  return await change(work, 'set_role', member, parse(RoleChoice, input));
}

/** Denies access to the company until `enableMember`. Errors: `invalid` for the last administrator. */
export async function disableMember(work: WriteWork, member: Member): Promise<Member> {
  if (member.disabledAt !== null) return member;
  return await change(work, 'disable', member, { disabledAt: work.now });
}

/** Allows a disabled user again. Errors: `invalid` if the operator of the server has disabled the user. */
export async function enableMember(work: WriteWork, member: Member): Promise<Member> {
  if (member.isDisabledByOperator) {
    const message = `${member.email} was disabled by the operator of the server, who alone can undo it.`;
    throw new DomainError('invalid', message);
  }
  if (member.disabledAt === null) return member;
  return await change(work, 'enable', member, { disabledAt: null });
}

/** Errors: `invalid` for a user of several companies, since locks protect the others too. */
export async function unlockMember(work: WriteWork, member: Member): Promise<Member> {
  await work.aboveCompanies(async (above) => {
    if ((await selectMemberships(above, [member.id])).length > 1) {
      throw invalid(
        'id',
        'is a member of other companies too: the lock ends by itself within a day, or by the operator of the server',
      );
    }
    await unlockUser(above, member, work.caller.userId);
  });
  return await getUser(work, member.id);
}

/** Deletes the user's tokens for the company; the account stays. Errors: `invalid` for the last administrator. */
export async function removeMember(work: WriteWork, member: Member): Promise<void> {
  const membership = membershipOf(work, member);
  await recordTokensRemoved(work, membership);
  await deleteMembership(work, membership);
  if (isAdministrator(member)) await demandAdministrator(work, membership.companyId, member.email);
  record(work, 'delete', membership, null);
}

/** Updates a member. Writes nothing if no value changes. */
async function change(work: WriteWork, action: LedgerActionName, member: Member, changes: MemberChanges) {
  const before = membershipOf(work, member);
  const wanted = changed(before, changes);
  if (JSON.stringify(wanted) === JSON.stringify(before)) return member;
  const after = await updateMember(work, member, changes);
  if (isAdministrator(member) && !isAdministrator(after)) {
    await demandAdministrator(work, before.companyId, member.email);
  }
  if (after.disabledAt !== member.disabledAt) await endCodesOfOwn(work, member);
  record(work, action, before, membershipOf(work, after));
  return after;
}

/** Ends the codes of a user for whom this company is the only one: others must notice nothing. */
async function endCodesOfOwn(work: WriteWork, { id }: Member): Promise<void> {
  await work.aboveCompanies(async (above) => {
    if ((await selectMemberships(above, [id])).length === 1) await endCodes(above, id);
  });
}

function record(
  work: WriteWork,
  action: LedgerActionName,
  before: Membership,
  after: Membership | null,
): void {
  work.ledger.append({ action, entityType: 'membership', entityId: before.userId, before, after });
}

const isAdministrator = ({ role, disabledAt }: Member): boolean => role === 'admin' && disabledAt === null;

function membershipOf(work: WriteWork, { id, role, name, timeZone, disabledAt }: Member) {
  return { companyId: work.caller.companyId, userId: id, role, name, timeZone, disabledAt };
}
