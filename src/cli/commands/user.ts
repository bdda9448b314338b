import { type Command, Option } from 'commander';

import type { SystemWriteWork } from '../../database/work.js';
import { ensureDerivedTokens } from '../../domain/people/access-token/access-token.service.js';
import { CompanyOption, type Company } from '../../domain/people/company/company.model.js';
import { findCompany, getCompanyByName } from '../../domain/people/company/company.service.js';
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
import { LOCAL_ORIGIN } from '../../platform/caller.js';
import { loadTokenSecret } from '../../platform/config/token-secret.js';
import { parse } from '../../platform/validate.js';
import {
  actorIn,
  withActor,
  withDatabase,
  type ChangeOptions,
  type CommandContext,
} from '../command-context.js';
import { CommandError } from '../command-error.js';
import { addJsonCommand, printResult, type CommandIo, type JsonOption } from '../command-io.js';
import { EXIT } from '../exit-codes.js';
import { peopleTable, personFields, roleOption, stateOf, userFields } from './people.js';

export function addCommands(user: Command, io: CommandIo): void {
  addUserAddCommand(user, io);
  addJsonCommand(user, 'list', 'list users, of one company or of all')
    .option('--company <name>', 'members of this company only')
    .action((options: ListOptions) => list(io, options));
  const unlocks = 'let a locked user sign in by password from every network again';
  addStateCommand(user, io, 'disable', 'end all access of a user, in all companies', disableUser);
  addStateCommand(user, io, 'enable', 'give a disabled user access again', enableUser);
  addStateCommand(user, io, 'unlock', unlocks, unlockUser);
  addChange(user, 'update', 'change the name and time zone of a user, in all companies')
    .option('--name <name>', 'the new name')
    .option('--time-zone <zone>', 'IANA time zone, for example America/Sao_Paulo')
    .action((options: UpdateOptions) => update(io, options));
  addPasswordOptions(
    addChange(user, 'set-password', "set a user's password; tokens stay valid, a lock stays"),
  ).action((options: UserOptions) => changePassword(io, options));
}

/** Adds a command that changes a user, see `changeUser`. */
const addChange = (user: Command, name: string, description: string): Command =>
  withActor(addJsonCommand(user, name, description)).requiredOption('--email <address>', 'the user');

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
  const people = await withDatabase(io, ({ units }) =>
    units.systemRead(async (work) => {
      const company = options.company === undefined ? null : await getCompanyByName(work, options.company);
      return await listPeople(work, company);
    }),
  );
  printResult(io, options, people.map(personFields), [peopleTable(people)]);
}

type Change = (work: SystemWriteWork, user: User, by?: number) => Promise<User>;

function addStateCommand(
  user: Command,
  io: CommandIo,
  name: string,
  description: string,
  change: Change,
): void {
  addChange(user, name, description).action((options: UserOptions) =>
    changeUser(io, options, change, (changed) => `${changed.email} is ${stateOf(changed)}.`),
  );
}

/**
 * Changes a user on behalf of `--as`, or of the first administrator of each of the user's companies, and prints the
 * user and the sentence that `sentenceOf` returns.
 */
async function changeUser(
  io: CommandIo,
  options: UserOptions,
  change: Change,
  sentenceOf: (changed: User) => string,
): Promise<void> {
  const changed = await withDatabase(io, ({ units }) =>
    units.systemWrite(LOCAL_ORIGIN, async (work) => {
      const user = await getUserByEmail(work, options.email);
      const by = options.as === undefined ? undefined : (await getColleague(work, user, options.as)).id;
      return await change(work, user, by);
    }),
  );
  printResult(io, options, userFields(changed), [sentenceOf(changed)]);
}

async function update(io: CommandIo, options: UpdateOptions): Promise<void> {
  const { name, timeZone } = options;
  if (name === undefined && timeZone === undefined) {
    throw new CommandError('Give --name or --time-zone, or both.');
  }
  await changeUser(
    io,
    options,
    (work, user, by) => updateAccount(work, user, { name, timeZone }, by),
    (changed) => `${changed.email} is ${changed.name}, in the time zone ${changed.timeZone}.`,
  );
}

async function changePassword(io: CommandIo, options: UserOptions): Promise<void> {
  const password = await readPassword(io);
  await withDatabase(io, ({ units }) => units.systemRead((work) => getUserByEmail(work, options.email)));
  const hash = await createPasswords().hash(password);
  await changeUser(
    io,
    options,
    (work, user, by) => setPassword(work, user, hash, by),
    ({ email }) => `${email} has a new password.`,
  );
}

const NOTES = `
The last line of the output is a JSON object with the user's API token for the company. The password of an existing
user is not changed, nor what other companies see. The first user of a new company acts in their own name.`;

/** `--password-stdin`, and a clear refusal of `--password`, which other users of the machine could read in `ps`. */
function addPasswordOptions(command: Command): Command {
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

function addUserAddCommand(user: Command, io: CommandIo): void {
  const command = withActor(user.command('add'))
    .description('add a user to a company; creates the user and the company if they do not exist')
    .requiredOption('--company <name>', 'the company')
    .requiredOption('--email <address>', 'the e-mail address to sign in with')
    .requiredOption('--name <name>', 'the name of the person')
    .addOption(roleOption())
    .option('--time-zone <zone>', 'IANA time zone, for example America/Sao_Paulo', 'UTC')
    .option('--json', 'print only the JSON object')
    .addHelpText('after', NOTES)
    .action((options: AddOptions) => add(io, options));
  addPasswordOptions(command);
}

/** Reads all of standard input, without the line break at its end. */
async function readPassword(io: CommandIo): Promise<string> {
  return (await io.readInput()).replace(/\r?\n$/, '');
}

interface AddOptions extends ChangeOptions {
  readonly email: string;
  readonly name: string;
  readonly role: string;
  readonly timeZone: string;
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

async function addMember({ config, units }: CommandContext, options: AddOptions, password: string) {
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

/** `actor` is the id of the user who acts; undefined for the added user. */
async function addToCompany(
  work: SystemWriteWork,
  options: AddOptions,
  passwordHash: string,
): Promise<{ readonly company: Company; readonly user: User; readonly actor: number | undefined }> {
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
