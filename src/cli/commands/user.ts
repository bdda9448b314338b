import type { Command } from 'commander';

import type { SystemWriteWork } from '../../database/work.js';
import { LOCAL_ORIGIN } from '../../platform/caller.js';
import { createPasswords } from '../../resources/user/password.service.js';
import type { User } from '../../resources/user/user.model.js';
import {
  disableUser,
  enableUser,
  getUserByEmail,
  listPeople,
  setPassword,
  unlockUser,
} from '../../resources/user/user.service.js';
import { companyNamed, withDatabase } from '../command-context.js';
import { addJsonCommand, printResult, type CommandIo, type JsonOption } from '../command-io.js';
import { addUserAddCommand, PASSWORD_STDIN, readPassword } from './user-add.js';
import { peopleTable, personFields, stateOf, userFields } from './user-output.js';

export function addUserCommands(program: Command, io: CommandIo): void {
  const user = program.command('user').description('users and their access');
  addUserAddCommand(user, io);
  addJsonCommand(user, 'list', 'list users, of one company or of all')
    .option('--company <name>', 'members of this company only')
    .action((options: ListOptions) => list(io, options));
  addStateCommand(user, io, 'disable', 'end all access of a user, in all companies', disableUser);
  addStateCommand(user, io, 'enable', 'give a disabled user access again', enableUser);
  addStateCommand(user, io, 'unlock', 'let a locked user sign in by password again', unlockUser);
  addJsonCommand(user, 'set-password', "set a user's password; tokens stay valid, a lock stays")
    .requiredOption('--email <address>', 'the user')
    .requiredOption('--password-stdin', PASSWORD_STDIN)
    .action((options: UserOptions) => changePassword(io, options));
}

interface UserOptions extends JsonOption {
  readonly email: string;
}

interface ListOptions extends JsonOption {
  readonly company?: string;
}

async function list(io: CommandIo, options: ListOptions): Promise<void> {
  const people = await withDatabase(io, async ({ units }) => {
    const company = options.company === undefined ? null : await companyNamed(units, options.company);
    return await units.systemRead((work) => listPeople(work, company));
  });
  printResult(io, options, people.map(personFields), [peopleTable(people)]);
}

function addStateCommand(
  user: Command,
  io: CommandIo,
  name: string,
  description: string,
  change: (work: SystemWriteWork, user: User) => Promise<User>,
): void {
  addJsonCommand(user, name, description)
    .requiredOption('--email <address>', 'the user')
    .action(async (options: UserOptions) => {
      const changed = await withDatabase(io, ({ units }) =>
        units.systemWrite(LOCAL_ORIGIN, async (work) =>
          change(work, await getUserByEmail(work, options.email)),
        ),
      );
      printResult(io, options, userFields(changed), [`${changed.email} is ${stateOf(changed)}.`]);
    });
}

async function changePassword(io: CommandIo, options: UserOptions): Promise<void> {
  const password = await readPassword(io);
  const changed = await withDatabase(io, async ({ units }) => {
    await units.systemRead((work) => getUserByEmail(work, options.email));
    const hash = await createPasswords().hash(password);
    return await units.systemWrite(LOCAL_ORIGIN, async (work) =>
      setPassword(work, await getUserByEmail(work, options.email), hash),
    );
  });
  printResult(io, options, userFields(changed), [`${changed.email} has a new password.`]);
}
