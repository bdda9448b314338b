import { type Command, Option } from 'commander';

import type { WriteWork } from '../../database/work.js';
import {
  addMember,
  disableMember,
  enableMember,
  removeMember,
  setRole,
} from '../../domain/people/user/member.changes.service.js';
import { getUser, listMembers } from '../../domain/people/user/member.service.js';
import { createPasswords } from '../../domain/people/user/password.service.js';
import type { Member } from '../../domain/people/user/user.model.js';
import { getUserByEmail } from '../../domain/people/user/user.service.js';
import { ROLES } from '../../platform/caller.js';
import { type ActorOptions, readIn, withActor, withDatabase, writeIn } from '../command-context.js';
import { addJsonCommand, type CommandIo, type JsonOption, printResult } from '../command-io.js';
import { memberFields, membersTable } from './user-output.js';

export function addMemberCommands(member: Command, io: CommandIo): void {
  addJsonCommand(member, 'list', 'list the members of a company')
    .requiredOption('--company <name>', 'the company')
    .action((options: ListOptions) => list(io, options));
  addChange(member, 'add', 'add a user; prints the password of a new user, which is shown only once')
    .requiredOption('--name <name>', 'the name of the person')
    .addOption(roleOption())
    .option('--time-zone <zone>', 'IANA time zone, for example America/Sao_Paulo', 'UTC')
    .action((options: AddOptions) => add(io, options));
  addChange(member, 'set-role', 'change the role of a member')
    .addOption(roleOption())
    .action((options: RoleOptions) =>
      change(io, options, (work, current) => setRole(work, current, { role: options.role })),
    );
  addChange(member, 'disable', 'end the access of a member to this company').action(
    (options: MemberOptions) => change(io, options, disableMember),
  );
  addChange(member, 'enable', 'give a disabled member access again').action((options: MemberOptions) =>
    change(io, options, enableMember),
  );
  addChange(member, 'remove', 'end a membership; tokens end, the account remains').action(
    (options: MemberOptions) => remove(io, options),
  );
}

function addChange(member: Command, name: string, description: string): Command {
  return withActor(addJsonCommand(member, name, description))
    .requiredOption('--company <name>', 'the company')
    .requiredOption('--email <address>', 'the user');
}

const roleOption = (): Option =>
  new Option('--role <role>', 'role in the company').choices(ROLES).makeOptionMandatory();

interface ListOptions extends JsonOption {
  readonly company: string;
}

interface MemberOptions extends JsonOption, ActorOptions {
  readonly email: string;
}

interface RoleOptions extends MemberOptions {
  readonly role: string;
}

interface AddOptions extends RoleOptions {
  readonly name: string;
  readonly timeZone: string;
}

async function list(io: CommandIo, options: ListOptions): Promise<void> {
  const members = await withDatabase(io, (context) => readIn(context, options.company, listMembers));
  printResult(io, options, members.map(memberFields), [membersTable(members)]);
}

async function add(io: CommandIo, options: AddOptions): Promise<void> {
  const { password, hash } = await createPasswords().initial();
  const { member, isNewAccount } = await withDatabase(io, (context) =>
    writeIn(context, options, (work) => addMember(work, options, hash)),
  );
  const initialPassword = isNewAccount ? password : null;
  const joined = `${member.email} is now ${member.role} of "${options.company}".`;
  if (isNewAccount && options.json !== true) {
    io.notice(`${joined} Initial password: store it now, it is not shown again.`);
  }
  const result = { ...memberFields(member), initial_password: initialPassword };
  printResult(io, options, result, [
    initialPassword ?? `${joined} The password of the account is unchanged.`,
  ]);
}

async function change(
  io: CommandIo,
  options: MemberOptions,
  make: (work: WriteWork, member: Member) => Promise<Member>,
): Promise<void> {
  const member = await changeMember(io, options, make);
  const state = member.disabledAt === null ? '' : ', disabled';
  const line = `${member.email} is ${member.role} of "${options.company}"${state}.`;
  printResult(io, options, memberFields(member), [line]);
}

async function remove(io: CommandIo, options: MemberOptions): Promise<void> {
  const { id, email } = await changeMember(io, options, async (work, member) => {
    await removeMember(work, member);
    return member;
  });
  printResult(io, options, { removed_id: id, email }, [
    `${email} is no longer a member of "${options.company}".`,
  ]);
}

async function changeMember(
  io: CommandIo,
  options: MemberOptions,
  make: (work: WriteWork, member: Member) => Promise<Member>,
): Promise<Member> {
  return await withDatabase(io, (context) =>
    writeIn(context, options, async (work) => {
      const { id } = await work.aboveCompanies((above) => getUserByEmail(above, options.email));
      return await make(work, await getUser(work, id));
    }),
  );
}
