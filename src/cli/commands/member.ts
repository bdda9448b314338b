import type { Command } from 'commander';

import type { WriteWork } from '../../database/work.js';
import {
  addMember,
  disableMember,
  enableMember,
  removeMember,
  setRole,
} from '../../domain/people/user/member.service.js';
import { createPasswords } from '../../domain/people/user/password.service.js';
import type { Member } from '../../domain/people/user/user.model.js';
import { getUser, getUserByEmail, listMembers } from '../../domain/people/user/user.service.js';
import { addChangeCommand, changeIn, readIn, type ChangeOptions } from '../command-context.js';
import { addJsonCommand, type CommandIo, type JsonOption, printResult } from '../command-io.js';
import { membersTable, roleOption, userFields } from './people.js';

export function addCommands(member: Command, io: CommandIo): void {
  addJsonCommand(member, 'list', 'list the members of a company')
    .requiredOption('--company <name>', 'the company')
    .action(async (options: JsonOption & { readonly company: string }) => {
      const members = await readIn(io, options.company, listMembers);
      printResult(io, options, members.map(userFields), [membersTable(members)]);
    });
  addMemberCommand(member, 'add', 'add a user; prints the password of a new user, which is shown only once')
    .requiredOption('--name <name>', 'the name of the person')
    .addOption(roleOption())
    .option('--time-zone <zone>', 'IANA time zone, for example America/Sao_Paulo', 'UTC')
    .action((options: AddOptions) => add(io, options));
  addMemberCommand(member, 'set-role', 'change the role of a member')
    .addOption(roleOption())
    .action((options: RoleOptions) =>
      change(io, options, (work, current) => setRole(work, current, { role: options.role })),
    );
  addMemberCommand(member, 'disable', 'end the access of a member to this company').action(
    (options: MemberOptions) => change(io, options, disableMember),
  );
  addMemberCommand(member, 'enable', 'give a disabled member access again').action((options: MemberOptions) =>
    change(io, options, enableMember),
  );
  addMemberCommand(member, 'remove', 'end a membership; tokens end, the account remains').action(
    (options: MemberOptions) => remove(io, options),
  );
}

const addMemberCommand = (member: Command, name: string, description: string): Command =>
  addChangeCommand(member, name, description).requiredOption('--email <address>', 'the user');

interface MemberOptions extends ChangeOptions {
  readonly email: string;
}

interface RoleOptions extends MemberOptions {
  readonly role: string;
}

interface AddOptions extends RoleOptions {
  readonly name: string;
  readonly timeZone: string;
}

async function add(io: CommandIo, options: AddOptions): Promise<void> {
  const { password, hash } = await createPasswords().initial();
  const { member, isNewAccount } = await changeIn(io, options, (work) => addMember(work, options, hash));
  const initialPassword = isNewAccount ? password : null;
  const joined = `${member.email} is now ${member.role} of "${options.company}".`;
  if (isNewAccount && options.json !== true) {
    io.notice(`${joined} Initial password: store it now, it is not shown again.`);
  }
  const result = { ...userFields(member), initial_password: initialPassword };
  printResult(io, options, result, [
    initialPassword ?? `${joined} The password of the account is unchanged.`,
  ]);
}

async function change(
  io: CommandIo,
  options: MemberOptions,
  make: (work: WriteWork, member: Member) => Promise<Member>,
): Promise<void> {
  const member = await changeIn(io, options, async (work) => make(work, await memberOf(work, options)));
  const state = member.disabledAt === null ? '' : ', disabled';
  const line = `${member.email} is ${member.role} of "${options.company}"${state}.`;
  printResult(io, options, userFields(member), [line]);
}

async function remove(io: CommandIo, options: MemberOptions): Promise<void> {
  const { id, email } = await changeIn(io, options, async (work) => {
    const member = await memberOf(work, options);
    await removeMember(work, member);
    return member;
  });
  const line = `${email} is no longer a member of "${options.company}".`;
  printResult(io, options, { removed_id: id, email }, [line]);
}

/** The member of `--email`. Errors: `not_found`. */
async function memberOf(work: WriteWork, { email }: MemberOptions): Promise<Member> {
  const { id } = await work.aboveCompanies((above) => getUserByEmail(above, email));
  return await getUser(work, id);
}
