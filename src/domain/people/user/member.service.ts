import type { LedgerActionName, SystemWriteWork, WriteWork } from '../../../database/work.js';
import { errorAt, invalid, invalidRecord, notFound } from '../../../platform/errors.js';
import { type Caller, requireScope, requireSession } from '../../../platform/requests.js';
import { changed, parse } from '../../../platform/validate.js';
import { recordTokensRemoved } from '../access-token/access-token.service.js';
import { endCodes, invitationCode, saveCodes, takeCode } from './one-time-code.repository.js';
import { EmailChoice, type Member, type Membership, RoleChoice, UserAdd, UserUpdate } from './user.model.js';
import {
  deleteMembership,
  getAccount,
  type MemberChanges,
  selectMemberships,
  updateMember,
} from './user.repository.js';
import { addUser, requireAdministrator, findUserByEmail, getUser, join, unlockUser } from './user.service.js';

export {
  MAX_INVITED,
  selectAsked,
  selectInvitations,
  selectLinked,
  type Invited,
} from './one-time-code.repository.js';

/** Adds a member, with a new account or an existing one, whose password stays. Errors: `invalid`, `taken`. */
export async function addMember(work: WriteWork, input: unknown, passwordHash: string) {
  const { companyId, userId } = work.caller;
  const { email } = parse(UserAdd, input);
  const { id, isNewAccount } = await work.acrossCompanies(async (above) => ({
    isNewAccount: (await findUserByEmail(above, email)) === undefined,
    id: (await addUser(above, { id: companyId }, input, passwordHash, userId)).id,
  }));
  return { member: await getUser(work, id), isNewAccount };
}

/**
 * Adds a member with a new account, or asks the person who has one. Until the person accepts, nothing changes for
 * anybody; an earlier invitation of the company ends. Errors: `invalid`, `taken`.
 */
export async function addOrAsk(work: WriteWork, input: unknown, passwordHash: string) {
  const { companyId } = work.caller;
  const { email, ...membership } = parse(UserAdd, input);
  const isAsked = await work.acrossCompanies(async (above) => {
    const userId = (await findUserByEmail(above, email))?.id ?? 0;
    const present = await selectMemberships(above, [userId]);
    // Who is in no company cannot sign in to be asked, and no other company has a right to the account.
    if (present.length === 0 || present.some((of) => of.companyId === companyId)) return false;
    const code = invitationCode({ companyId, userId });
    await takeCode(above, 'invitation', code);
    await saveCodes(above, { kind: 'invitation', userId, companyId, membership }, [code]);
    const after = { companyId, userId, ...membership };
    above.ledger.append({ action: 'create', entityType: 'invitation', entityId: userId, after });
    return true;
  });
  if (isAsked) return { member: null, isNewAccount: false, askedEmail: email };
  return { ...(await addMember(work, input, passwordHash)), askedEmail: null };
}

/** Withdraws the invitation of the company to a person. Errors: `not_found` if there is none, or it was answered. */
export async function withdrawInvitation(work: WriteWork, input: { readonly email: string }): Promise<void> {
  const { companyId } = work.caller;
  const { email } = parse(EmailChoice, input);
  await work.acrossCompanies(async (above) => {
    const userId = (await findUserByEmail(above, email))?.id ?? 0;
    const taken = await takeCode(above, 'invitation', invitationCode({ companyId, userId }));
    if (taken === undefined) throw errorAt('email', 'not_found', 'No such invitation.');
    const before = { companyId, userId, ...taken.membership };
    above.ledger.append({ action: 'delete', entityType: 'invitation', entityId: userId, before });
  });
}

/** Makes the caller a member of a company that has asked, or not. Errors: `not_found`, `forbidden` for tokens. */
export async function answerInvitation(
  work: SystemWriteWork,
  caller: Caller,
  companyId: number,
  isAccepted: boolean,
): Promise<void> {
  requireSession(caller);
  const { userId } = caller;
  const user = await getAccount(work, userId);
  const invitation = await takeCode(work, 'invitation', invitationCode({ companyId, userId }));
  if (invitation?.membership == null) throw notFound('invitation');
  if (isAccepted) await join(work, companyId, invitation.membership, { user, isNew: false }, userId);
  else
    work.ledger.append({ action: 'delete', entityType: 'invitation', entityId: userId, companyId, userId });
}

/** Changes name and time zone in this company. Users may change themselves. Errors: `invalid`, `forbidden`. */
export async function updateUser(work: WriteWork, member: Member, input: unknown): Promise<Member> {
  const { caller } = work;
  const isOwn = member.id === caller.userId && caller.scopes.includes('write');
  if (!isOwn) requireScope(caller, 'admin');
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
    const message = '{email} was disabled by the operator of the server, who alone can undo it.';
    throw invalidRecord(message, { email: member.email });
  }
  if (member.disabledAt === null) return member;
  return await change(work, 'enable', member, { disabledAt: null });
}

/** Errors: `invalid` for a user of several companies, since locks protect the others too. */
export async function unlockMember(work: WriteWork, member: Member): Promise<Member> {
  if (await isInOthers(work, member)) {
    throw invalid(
      'id',
      'is a member of other companies too: the lock ends by itself within a day, or by the operator of the server',
    );
  }
  await work.acrossCompanies((above) => unlockUser(above, member, work.caller.userId));
  return await getUser(work, member.id);
}

/** Deletes the user's tokens for the company; the account stays. Errors: `invalid` for the last administrator. */
export async function removeMember(work: WriteWork, member: Member): Promise<void> {
  const membership = membershipOf(work, member);
  await recordTokensRemoved(work, membership);
  await deleteMembership(work, membership);
  if (isAdministrator(member)) await requireAdministrator(work, membership.companyId, member.email);
  record(work, 'delete', membership, null);
}

/** Updates a member. Writes nothing if no value changes. */
async function change(work: WriteWork, action: LedgerActionName, member: Member, changes: MemberChanges) {
  const before = membershipOf(work, member);
  const wanted = changed(before, changes);
  if (JSON.stringify(wanted) === JSON.stringify(before)) return member;
  const after = await updateMember(work, member, changes);
  if (isAdministrator(member) && !isAdministrator(after)) {
    await requireAdministrator(work, before.companyId, member.email);
  }
  if (after.disabledAt !== member.disabledAt && !(await isInOthers(work, member))) {
    await work.acrossCompanies((above) => endCodes(above, member.id));
  }
  record(work, action, before, membershipOf(work, after));
  return after;
}

/** True if a member is one of other companies too, who must notice nothing of what this one does. */
export const isInOthers = (work: WriteWork, { id }: Member): Promise<boolean> =>
  work.acrossCompanies(async (above) => (await selectMemberships(above, [id])).length > 1);

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
