import { Option } from 'commander';

import type { WriteWork } from '../../database/work.js';
import * as service from '../../domain/people/user/member.service.js';
import { createPasswords } from '../../domain/people/user/password.service.js';
import type { Member, User } from '../../domain/people/user/user.model.js';
import { getUser, getUserByEmail, listMembers } from '../../domain/people/user/user.service.js';
import { systemClock } from '../../platform/clock.js';
import { ROLES } from '../../platform/requests.js';
import {
  addChange,
  addCompanyCommand,
  addRead,
  changeIn,
  fieldsOf,
  type ChangeOptions,
} from '../command-context.js';
import { table, type AddCommand, type CommandIo, type Result } from '../command-io.js';

export function addCommands(add: AddCommand): void {
  addRead(add, 'list', 'list the members of a company', async (work) => {
    const members = await listMembers(work);
    return { value: members.map(userFields), lines: [membersTable(members)] };
  });
  const adds = 'add a user; prints the password of a new user, which is shown only once';
  addCompanyCommand(add, 'add', adds, addUser)
    .requiredOption(...EMAIL)
    .requiredOption('--name <name>', 'the name of the person')
    .addOption(roleOption())
    .option('--time-zone <zone>', 'IANA time zone, for example America/Sao_Paulo', 'UTC');
  const change = (name: string, description: string, make: Change) =>
    addChange<MemberOptions>(add, name, description, async (work, options) =>
      changed(await make(work, await memberOf(work, options), options), options),
    ).requiredOption(...EMAIL);
  change('set-role', 'change the role of a member', service.setRole).addOption(roleOption());
  change('disable', 'end the access of a member to this company', service.disableMember);
  change('enable', 'give a disabled member access again', service.enableMember);
  addChange(add, 'remove', 'end a membership; tokens end, the account remains', remove).requiredOption(
    ...EMAIL,
  );
}

const EMAIL = ['--email <address>', 'the user'] as const;

export const roleOption = (): Option =>
  new Option('--role <role>', 'role in the company').choices(ROLES).makeOptionMandatory();

interface MemberOptions extends ChangeOptions {
  readonly email: string;
  readonly role: string;
}

type Change = (work: WriteWork, member: Member, options: MemberOptions) => Promise<Member>;

function changed(member: Member, { company }: MemberOptions): Result {
  const state = member.disabledAt === null ? '' : ', disabled';
  return { value: userFields(member), lines: [`${member.email} is ${member.role} of "${company}"${state}.`] };
}

async function addUser(
  options: MemberOptions & { readonly name: string; readonly timeZone: string },
  _argument: string,
  io: CommandIo,
): Promise<Result> {
  const { password, hash } = await createPasswords().initial();
  const { member, isNewAccount } = await changeIn(io, options, (work) =>
    service.addMember(work, options, hash),
  );
  const value = { ...userFields(member), initial_password: isNewAccount ? password : null };
  const joined = `${member.email} is now ${member.role} of "${options.company}".`;
  if (!isNewAccount) return { value, lines: [`${joined} The password of the account is unchanged.`] };
  const notice = `${joined} Initial password: store it now, it is not shown again.`;
  return { value, lines: [password], notice };
}

async function remove(work: WriteWork, options: MemberOptions): Promise<Result> {
  const member = await memberOf(work, options);
  await service.removeMember(work, member);
  const { id, email } = member;
  const line = `${email} is no longer a member of "${options.company}".`;
  return { value: { removed_id: id, email }, lines: [line] };
}

/** The member of `--email`. Errors: `not_found`. */
async function memberOf(work: WriteWork, { email }: MemberOptions): Promise<Member> {
  const { id } = await work.acrossCompanies((above) => getUserByEmail(above, email));
  return await getUser(work, id);
}

/** A user who is both disabled and locked is shown as disabled: a lock ends by itself. */
export function stateOf(user: Pick<User, 'disabledAt' | 'lockedUntil'>): 'active' | 'disabled' | 'locked' {
  if (user.disabledAt !== null) return 'disabled';
  return user.lockedUntil !== null && user.lockedUntil > systemClock.now() ? 'locked' : 'active';
}

/** A user, or a member as one company sees them. */
export const userFields = (user: User | Member) => ({ ...fieldsOf(user), state: stateOf(user) });

function membersTable(members: readonly Member[]): string {
  const rows = members.map((member) => {
    const signedIn = member.lastSignInAt?.toISOString().slice(0, 10);
    return [member.id, member.email, member.name, member.role, stateOf(member), signedIn];
  });
  return table(['ID', 'E-MAIL', 'NAME', 'ROLE', 'STATE', 'SIGNED IN'], rows);
}
