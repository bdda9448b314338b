import type { Command } from 'commander';

import type { SystemWriteWork } from '../../../database/work.js';
import { createPasswords } from '../../../domain/people/user/password.service.js';
import type { User } from '../../../domain/people/user/user.model.js';
import {
  disableUser,
  enableUser,
  getColleague,
  getUserByEmail,
  listPeople,
  setPassword,
  unlockUser,
  updateAccount,
} from '../../../domain/people/user/user.service.js';
import { LOCAL_ORIGIN } from '../../../platform/caller.js';
import { companyNamed, withActor, withDatabase } from '../../command-context.js';
import { CommandError } from '../../command-error.js';
import { addJsonCommand, printResult, type CommandIo, type JsonOption } from '../../command-io.js';
import { addPasswordOptions, addUserAddCommand, readPassword } from './user-add.js';
import { peopleTable, personFields, stateOf, userFields } from './user-output.js';

export function addUserCommands(user: Command, io: CommandIo): void {
  addUserAddCommand(user, io);
  addJsonCommand(user, 'list', 'list users, of one company or of all')
    .option('--company <name>', 'members of this company only')
    .action((options: ListOptions) => list(io, options));
  addStateCommand(user, io, 'disable', 'end all access of a user, in all companies', disableUser);
  addStateCommand(user, io, 'enable', 'give a disabled user access again', enableUser);
  addStateCommand(
    user,
    io,
    'unlock',
    'let a locked user sign in by password from every network again',
    unlockUser,
  );
  withActor(addJsonCommand(user, 'update', 'change the name and time zone of a user, in all companies'))
    .requiredOption('--email <address>', 'the user')
    .option('--name <name>', 'the new name')
    .option('--time-zone <zone>', 'IANA time zone, for example America/Sao_Paulo')
    .action((options: UpdateOptions) => update(io, options));
  addPasswordOptions(
    withActor(addJsonCommand(user, 'set-password', "set a user's password; tokens stay valid, a lock stays")),
  )
    .requiredOption('--email <address>', 'the user')
    .action((options: UserOptions) => changePassword(io, options));
}

interface UserOptions extends JsonOption {
  readonly email: string;
  readonly as?: string;
}

interface UpdateOptions extends UserOptions {
  readonly name?: string;
  readonly timeZone?: string;
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
  change: (work: SystemWriteWork, user: User, by?: number) => Promise<User>,
): void {
  withActor(addJsonCommand(user, name, description))
    .requiredOption('--email <address>', 'the user')
    .action(async (options: UserOptions) => {
      const changed = await changeUser(io, options, change);
      printResult(io, options, userFields(changed), [`${changed.email} is ${stateOf(changed)}.`]);
    });
}

/** Changes a user on behalf of `--as`, or of the first administrator of each of the user's companies. */
async function changeUser(
  io: CommandIo,
  options: UserOptions,
  change: (work: SystemWriteWork, user: User, by?: number) => Promise<User>,
): Promise<User> {
  return await withDatabase(io, ({ units }) =>
    units.systemWrite(LOCAL_ORIGIN, async (work) => {
      const user = await getUserByEmail(work, options.email);
      const by = options.as === undefined ? undefined : (await getColleague(work, user, options.as)).id;
      return await change(work, user, by);
    }),
  );
}

async function update(io: CommandIo, options: UpdateOptions): Promise<void> {
  const { name, timeZone } = options;
  if (name === undefined && timeZone === undefined) {
    throw new CommandError('Give --name or --time-zone, or both.');
  }
  const changed = await changeUser(io, options, (work, user, by) =>
    updateAccount(work, user, { name, timeZone }, by),
  );
  const line = `${changed.email} is ${changed.name}, in the time zone ${changed.timeZone}.`;
  printResult(io, options, userFields(changed), [line]);
}

async function changePassword(io: CommandIo, options: UserOptions): Promise<void> {
  const password = await readPassword(io);
  await withDatabase(io, ({ units }) => units.systemRead((work) => getUserByEmail(work, options.email)));
  const hash = await createPasswords().hash(password);
  const changed = await changeUser(io, options, (work, user, by) => setPassword(work, user, hash, by));
  printResult(io, options, userFields(changed), [`${changed.email} has a new password.`]);
}
