import { type Command, Option } from 'commander';

import type { SystemWriteWork } from '../../database/work.js';
import { ensureDerivedTokens } from '../../domain/people/access-token/access-token.service.js';
import { CompanyOption, type Company } from '../../domain/people/company/company.model.js';
import { findCompany } from '../../domain/people/company/company.service.js';
import { createPasswords } from '../../domain/people/user/password.service.js';
import type { User } from '../../domain/people/user/user.model.js';
import {
  disableUser,
  enableUser,
  getColleague,
  getUserByEmail,
  listPeople,
  setPassword,
  unlockUser,
  updateAccount,
  addCompanyWithUser,
  addUser,
  findUserByEmail,
} from '../../domain/people/user/user.service.js';
import { LOCAL_ORIGIN, ROLES } from '../../platform/caller.js';
import { loadTokenSecret } from '../../platform/config/token-secret.js';
import { parse } from '../../platform/validate.js';
import { companyNamed, withActor, withDatabase, actorIn, type CommandContext } from '../command-context.js';
import { CommandError } from '../command-error.js';
import { addJsonCommand, printResult, type CommandIo, type JsonOption } from '../command-io.js';
import { EXIT } from '../exit-codes.js';
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

const NOTES = `
The last line of the output is a JSON object with the user's API token for the company. The password of an existing
user is not changed, nor what other companies see. The first user of a new company acts in their own name.`;

/** `--password-stdin`, and a clear refusal of `--password`, which other users of the machine could read in `ps`. */
export function addPasswordOptions(command: Command): Command {
  const refuse = (): never => {
    throw new CommandError(
      "--password is not taken: other users of this machine can read arguments. Send the password to standard input: printf '%s' 'PASSWORD' | terminal-gateway user … --password-stdin",
      EXIT.usage,
    );
  };
  return command
    .requiredOption('--password-stdin', 'read the password from standard input (12 to 128 characters)')
    .addOption(new Option('--password <password>').argParser(refuse).hideHelp());
}

export function addUserAddCommand(user: Command, io: CommandIo): void {
  const command = withActor(user.command('add'))
    .description('add a user to a company; creates the user and the company if they do not exist')
    .requiredOption('--company <name>', 'the company')
    .requiredOption('--email <address>', 'the e-mail address to sign in with')
    .requiredOption('--name <name>', 'the name of the person')
    .addOption(new Option('--role <role>', 'role in the company').choices(ROLES).makeOptionMandatory())
    .option('--time-zone <zone>', 'IANA time zone, for example America/Sao_Paulo', 'UTC')
    .option('--json', 'print only the JSON object')
    .addHelpText('after', NOTES)
    .action((options: AddOptions) => add(io, options));
  addPasswordOptions(command);
}

/** Reads all of standard input, without the line break at its end. */
export async function readPassword(io: CommandIo): Promise<string> {
  return (await io.readInput()).replace(/\r?\n$/, '');
}

interface AddOptions extends JsonOption {
  readonly company: string;
  readonly email: string;
  readonly name: string;
  readonly role: string;
  readonly timeZone: string;
  readonly as?: string;
}

async function add(io: CommandIo, rawOptions: AddOptions): Promise<void> {
  const parsed = parse(CompanyOption, rawOptions);
  const options = { ...rawOptions, ...parsed };
  const password = await readPassword(io);
  const added = await withDatabase(io, (context) => addMember(context, options, password));
  const { company, user } = added;
  const result = {
    company_id: company.id,
    company_name: company.name,
    user_id: user.id,
    email: user.email,
    role: options.role,
    api_token: added.token,
  };
  const lines = [
    ...(added.isNewCompany ? [`The company "${company.name}" was created.`] : []),
    ...(added.isNewUser ? [] : [`${user.email} exists: the password was not changed.`]),
    `${user.email} is now ${options.role} of "${company.name}".`,
    JSON.stringify(result),
  ];
  printResult(io, options, result, lines);
}

interface AddedMember {
  readonly company: Company;
  readonly user: User;
  readonly token: string;
  readonly isNewCompany: boolean;
  readonly isNewUser: boolean;
}

async function addMember(
  { config, units }: CommandContext,
  options: AddOptions,
  password: string,
): Promise<AddedMember> {
  const secret = loadTokenSecret(config);
  const known = await units.systemRead(async (work) => ({
    user: await findUserByEmail(work, options.email),
    company: await findCompany(work, options.company),
  }));
  const isNewUser = known.user === undefined;
  const hash = isNewUser ? await createPasswords().hash(password) : '';
  return await units.systemWrite(LOCAL_ORIGIN, async (work) => {
    const { company, user, actor } = await addToCompany(work, options, hash);
    const of = { userId: user.id, companyIds: [company.id] };
    const token = (await ensureDerivedTokens(work, secret, of, actor)).get(company.id) ?? '';
    return { company, user, token, isNewUser, isNewCompany: known.company === undefined };
  });
}

interface Added extends Pick<AddedMember, 'company' | 'user'> {
  /** Id of the user who acts; undefined for the added user. */
  readonly actor: number | undefined;
}

async function addToCompany(
  work: SystemWriteWork,
  options: AddOptions,
  passwordHash: string,
): Promise<Added> {
  const company = await findCompany(work, options.company);
  if (company === undefined) {
    if (options.as !== undefined) {
      throw new CommandError(`--as: "${options.company}" is a new company; its first user acts.`);
    }
    const added = await addCompanyWithUser(work, options.company, options, passwordHash);
    return { ...added, actor: undefined };
  }
  const actor = await actorIn(work, company.id, options.as);
  return { company, user: await addUser(work, company, options, passwordHash, actor), actor };
}
