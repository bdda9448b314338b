import { type Command, Option } from 'commander';

import type { SystemWriteWork } from '../../database/work.js';
import { ensureDerivedTokens } from '../../domain/people/access-token/access-token.service.js';
import { CompanyOption } from '../../domain/people/company/company.model.js';
import { findCompany, getCompanyByName } from '../../domain/people/company/company.service.js';
import { removePasskeys } from '../../domain/people/user/passkey.service.js';
import { createPasswords } from '../../domain/people/user/password.service.js';
import type { Person, User } from '../../domain/people/user/user.model.js';
import * as users from '../../domain/people/user/user.service.js';
import { loadTokenSecret } from '../../platform/config/token-secret.js';
import { LOCAL_ORIGIN } from '../../platform/requests.js';
import { parse } from '../../platform/validate.js';
import { actorIn, fieldsOf, withActor, withDatabase, type ChangeOptions } from '../command-context.js';
import { CommandError, EXIT } from '../command-error.js';
import {
  table,
  type AddCommand,
  type CommandIo,
  type JsonOption,
  type Result,
  type Run,
} from '../command-io.js';
import { roleOption, stateOf, userFields } from './member.js';

const NOTES = `
The last line of the output is a JSON object with the user's API token for the company. The password of an existing
user is not changed, nor what other companies see. The first user of a new company acts in their own name.`;

export function addCommands(add: AddCommand): void {
  const adds = 'add a user to a company; creates the user and the company if they do not exist';
  const addCommand = withActor(add('add', adds, addMember))
    .requiredOption('--company <name>', 'the company')
    .requiredOption('--email <address>', 'the e-mail address to sign in with')
    .requiredOption('--name <name>', 'the name of the person')
    .addOption(roleOption())
    .option('--time-zone <zone>', 'IANA time zone, for example America/Sao_Paulo', 'UTC')
    .addHelpText('after', NOTES);
  addPasswordOptions(addCommand);
  const ofCompany = 'members of this company only';
  add('list', 'list users, of one company or of all', list).option('--company <name>', ofCompany);
  const change = <O extends UserOptions>(name: string, description: string, run: Run<O>): Command =>
    withActor(add(name, description, run)).requiredOption('--email <address>', 'the user');
  const state =
    (make: Change): Run<UserOptions> =>
    (options, _argument, io) =>
      changeUser(io, options, make, (changed) => `${changed.email} is ${stateOf(changed)}.`);
  const unlocks = 'let a locked user sign in by password from every network again';
  change('disable', 'end all access of a user, in all companies', state(users.disableUser));
  change('enable', 'give a disabled user access again', state(users.enableUser));
  change('unlock', unlocks, state(users.unlockUser));
  change('update', 'change the name and time zone of a user, in all companies', update)
    .option('--name <name>', 'the new name')
    .option('--time-zone <zone>', 'IANA time zone, for example America/Sao_Paulo');
  const sets =
    "set a user's password, remove the passkeys and end the sessions; tokens stay valid, a lock stays";
  addPasswordOptions(change('set-password', sets, changePassword));
}

/** `--password-stdin`, and a clear refusal of `--password`, which other users of the machine could read in `ps`. */
function addPasswordOptions(command: Command): void {
  const refuse = (): never => {
    throw new CommandError(
      "--password is not taken: other users of this machine can read arguments. Send the password to standard input: printf '%s' 'PASSWORD' | terminal-gateway user … --password-stdin",
      EXIT.usage,
    );
  };
  command
    .requiredOption('--password-stdin', 'read the password from standard input (12 to 128 characters)')
    .addOption(new Option('--password <password>').argParser(refuse).hideHelp());
}

interface UserOptions extends JsonOption {
  readonly email: string;
  readonly as?: string;
}

async function list(
  { company: name }: JsonOption & { readonly company?: string },
  _argument: string,
  io: CommandIo,
): Promise<Result> {
  const people = await withDatabase(io, ({ units }) =>
    units.systemRead(async (work) =>
      users.listPeople(work, name === undefined ? null : await getCompanyByName(work, name)),
    ),
  );
  const value = people.map(({ user, memberships }) => ({
    ...userFields(user),
    companies: memberships.map(fieldsOf),
  }));
  return { value, lines: [peopleTable(people)] };
}

function peopleTable(people: readonly Person[]): string {
  const rows = people.map(({ user, memberships }) => {
    const companies = memberships.map(({ companyName, role, disabledAt }) => {
      return `${companyName} (${role}${disabledAt === null ? '' : ', disabled'})`;
    });
    return [user.id, user.email, user.name, stateOf(user), companies.join(', ')];
  });
  return table(['ID', 'E-MAIL', 'NAME', 'STATE', 'COMPANIES'], rows);
}

type Change = (work: SystemWriteWork, user: User, by?: number) => Promise<User>;

/** Changes a user on behalf of `--as`, or of the first administrator of each company of the user. */
async function changeUser(
  io: CommandIo,
  options: UserOptions,
  change: Change,
  sentenceOf: (changed: User) => string,
): Promise<Result> {
  const changed = await withDatabase(io, ({ units }) =>
    units.systemWrite(LOCAL_ORIGIN, async (work) => {
      const user = await users.getUserByEmail(work, options.email);
      const by = options.as === undefined ? undefined : (await users.getColleague(work, user, options.as)).id;
      return await change(work, user, by);
    }),
  );
  return { value: userFields(changed), lines: [sentenceOf(changed)] };
}

async function update(
  options: UserOptions & { readonly name?: string; readonly timeZone?: string },
  _argument: string,
  io: CommandIo,
): Promise<Result> {
  const { name, timeZone } = options;
  if (name === undefined && timeZone === undefined) {
    throw new CommandError('Give --name or --time-zone, or both.');
  }
  return await changeUser(
    io,
    options,
    (work, user, by) => users.updateAccount(work, user, { name, timeZone }, by),
    (changed) => `${changed.email} is ${changed.name}, in the time zone ${changed.timeZone}.`,
  );
}

async function changePassword(options: UserOptions, _argument: string, io: CommandIo): Promise<Result> {
  const password = await readPassword(io);
  await withDatabase(io, ({ units }) =>
    units.systemRead((work) => users.getUserByEmail(work, options.email)),
  );
  const hash = await createPasswords().hash(password);
  const change: Change = async (work, user, by) => {
    await removePasskeys(work, user.id, by);
    return await users.setPassword(work, user, hash, by);
  };
  return await changeUser(io, options, change, ({ email }) => `${email} has a new password.`);
}

const readPassword = async (io: CommandIo): Promise<string> => (await io.readInput()).replace(/\r?\n$/, '');

interface AddOptions extends ChangeOptions {
  readonly email: string;
  readonly name: string;
  readonly role: string;
  readonly timeZone: string;
}

async function addMember(given: AddOptions, _argument: string, io: CommandIo): Promise<Result> {
  const options = { ...given, ...parse(CompanyOption, given) };
  const { email, role } = options;
  const password = await readPassword(io);
  const added = await withDatabase(io, async ({ config, units }) => {
    const secret = loadTokenSecret(config);
    const known = await units.systemRead((work) => users.findUserByEmail(work, email));
    const hash = known === undefined ? await createPasswords().hash(password) : '';
    return await units.systemWrite(LOCAL_ORIGIN, async (work) => {
      const { actor, ...into } = await addToCompany(work, options, hash);
      const of = { userId: into.user.id, companyIds: [into.company.id] };
      const token = (await ensureDerivedTokens(work, secret, of, actor)).get(into.company.id) ?? '';
      return { ...into, token, isNewUser: known === undefined };
    });
  });
  const { company, user, token: api_token } = added;
  const { id: company_id, name: company_name } = company;
  const value = { company_id, company_name, user_id: user.id, email: user.email, role, api_token };
  const lines = [
    ...(added.isNewCompany ? [`The company "${company_name}" was created.`] : []),
    ...(added.isNewUser ? [] : [`${user.email} exists: the password was not changed.`]),
    `${user.email} is now ${role} of "${company_name}".`,
    JSON.stringify(value),
  ];
  return { value, lines };
}

/** `actor` is the id of the user who acts; undefined for the added user, the first one of a new company. */
async function addToCompany(work: SystemWriteWork, options: AddOptions, passwordHash: string) {
  const company = await findCompany(work, options.company);
  if (company !== undefined) {
    const actor = await actorIn(work, company.id, options.as);
    const user = await users.addUser(work, company, options, passwordHash, actor);
    return { company, user, actor, isNewCompany: false };
  }
  if (options.as !== undefined) {
    throw new CommandError(`--as: "${options.company}" is a new company; its first user acts.`);
  }
  const added = await users.addCompanyWithUser(work, options.company, options, passwordHash);
  return { ...added, actor: undefined, isNewCompany: true };
}
