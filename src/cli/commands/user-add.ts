import { Option, type Command } from 'commander';
import { z } from 'zod';

import { ROLES } from '../../platform/caller.js';
import { loadTokenSecret } from '../../platform/config/token-secret.js';
import { parse } from '../../platform/validate.js';
import { ensureDerivedTokens } from '../../resources/access-token/derived-token.service.js';
import { CompanyCreate, type Company } from '../../resources/company/company.model.js';
import { ensureCompany, findCompany } from '../../resources/company/company.service.js';
import { createPasswords } from '../../resources/user/password.service.js';
import type { User } from '../../resources/user/user.model.js';
import { addUser, findUserByEmail } from '../../resources/user/user.service.js';
import { PASSWORD_STDIN, readPassword } from './password-input.js';
import { ORIGIN, withDatabase, type CommandContext } from '../command-context.js';
import type { CommandIo } from '../command-io.js';

const NOTES = `
The last line of the output is one JSON object with the user's API token for the company. Where the user
exists already, name, time zone and password stay as they are.`;

export function addUserAddCommand(user: Command, terminal: CommandIo): void {
  user
    .command('add')
    .description('add a user to a company; both are created where they are new')
    .requiredOption('--company <name>', 'the company, created where there is none of this name')
    .requiredOption('--email <address>', 'the e-mail address to sign in with')
    .requiredOption('--name <name>', 'the name of the person')
    .addOption(new Option('--role <role>', 'what the user may do').choices(ROLES).makeOptionMandatory())
    .option('--time-zone <zone>', 'IANA time zone, for instance America/Sao_Paulo', 'UTC')
    .requiredOption('--password-stdin', PASSWORD_STDIN)
    .option('--json', 'print the JSON line only')
    .addHelpText('after', NOTES)
    .action((options: AddOptions) => add(terminal, options));
}

interface AddOptions {
  readonly company: string;
  readonly email: string;
  readonly name: string;
  readonly role: string;
  readonly timeZone: string;
  readonly json?: true;
}

async function add(terminal: CommandIo, given: AddOptions): Promise<void> {
  const { company } = parse(z.object({ company: CompanyCreate.shape.name }), given);
  const options = { ...given, company };
  const password = await readPassword(terminal);
  const added = await withDatabase(terminal, (session) => addMember(session, options, password));
  const say = options.json === true ? (): void => undefined : terminal.print;
  if (added.isNewCompany) say(`The company "${added.company.name}" was created.`);
  if (!added.isNewUser) say(`${added.user.email} existed: name, time zone and password stay as they were.`);
  say(`${added.user.email} is now ${options.role} of "${added.company.name}".`);
  terminal.print(
    JSON.stringify({
      company_id: added.company.id,
      company_name: added.company.name,
      user_id: added.user.id,
      email: added.user.email,
      role: options.role,
      api_token: added.token,
    }),
  );
}

interface Added {
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
): Promise<Added> {
  const secret = loadTokenSecret(config);
  const known = await units.systemRead(async (work) => ({
    user: await findUserByEmail(work, options.email),
    company: await findCompany(work, options.company),
  }));
  const isNewUser = known.user === undefined;
  const hash = isNewUser ? await createPasswords().hash(password) : '';
  return await units.systemWrite(ORIGIN, async (work) => {
    const company = await ensureCompany(work, { name: options.company });
    const user = await addUser(work, company, options, hash);
    const of = { userId: user.id, companyIds: [company.id] };
    const token = (await ensureDerivedTokens(work, secret, of)).get(company.id) ?? '';
    return { company, user, token, isNewUser, isNewCompany: known.company === undefined };
  });
}
