import type { Command } from 'commander';

import type { SystemWriteWork } from '../../database/work.js';
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
import { PASSWORD_STDIN, readPassword } from './password-input.js';
import { companyNamed, ORIGIN, withDatabase } from '../command-context.js';
import type { CommandIo } from '../command-io.js';
import { addUserAddCommand } from './user-add.js';
import { peopleTable, personFields, stateOf, userFields } from './user-output.js';

export function addUserCommands(program: Command, terminal: CommandIo): void {
  const user = program.command('user').description('users and their access');
  addUserAddCommand(user, terminal);
  user
    .command('list')
    .description('list users, of one company or of all')
    .option('--company <name>', 'members of this company only')
    .option('--json', 'print JSON')
    .action((options: ListOptions) => list(terminal, options));
  addChange(user, terminal, 'disable', 'end every access of a user, in all companies', disableUser);
  addChange(user, terminal, 'enable', 'give a disabled user access again', enableUser);
  addChange(user, terminal, 'unlock', 'let a locked user sign in by password again', unlockUser);
  user
    .command('set-password')
    .description("set a user's password; tokens live on, and so does a lock")
    .requiredOption('--email <address>', 'the user')
    .requiredOption('--password-stdin', PASSWORD_STDIN)
    .option('--json', 'print JSON')
    .action((options: OneOptions) => changePassword(terminal, options));
}

interface OneOptions {
  readonly email: string;
  readonly json?: true;
}

interface ListOptions {
  readonly company?: string;
  readonly json?: true;
}

async function list(terminal: CommandIo, { company: name, json }: ListOptions): Promise<void> {
  const people = await withDatabase(terminal, async ({ units }) => {
    const company = name === undefined ? null : await companyNamed(units, name);
    return await units.systemRead((work) => listPeople(work, company));
  });
  terminal.print(json === true ? JSON.stringify(people.map(personFields)) : peopleTable(people));
}

function addChange(
  user: Command,
  terminal: CommandIo,
  name: string,
  description: string,
  change: (work: SystemWriteWork, user: User) => Promise<User>,
): void {
  user
    .command(name)
    .description(description)
    .requiredOption('--email <address>', 'the user')
    .option('--json', 'print JSON')
    .action(async ({ email, json }: OneOptions) => {
      const changed = await withDatabase(terminal, ({ units }) =>
        units.systemWrite(ORIGIN, async (work) => change(work, await getUserByEmail(work, email))),
      );
      sayChanged(terminal, changed, `is ${stateOf(changed)}`, json);
    });
}

async function changePassword(terminal: CommandIo, { email, json }: OneOptions): Promise<void> {
  const password = await readPassword(terminal);
  const changed = await withDatabase(terminal, async ({ units }) => {
    await units.systemRead((work) => getUserByEmail(work, email));
    const hash = await createPasswords().hash(password);
    return await units.systemWrite(ORIGIN, async (work) =>
      setPassword(work, await getUserByEmail(work, email), hash),
    );
  });
  sayChanged(terminal, changed, 'has a new password', json);
}

function sayChanged(terminal: CommandIo, user: User, what: string, json: true | undefined): void {
  terminal.print(json === true ? JSON.stringify(userFields(user)) : `${user.email} ${what}.`);
}
