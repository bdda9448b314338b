import { Command } from 'commander';
import { readFileSync } from 'node:fs';

import { describeConfig, readConfig } from '../platform/config/config.js';
import { SETTINGS } from '../platform/config/settings.js';
import { EXIT, EXIT_CODES, failureOf, type ExitCode } from './command-error.js';
import { addTo, type AddCommand, type CommandIo, type JsonOption, type Result } from './command-io.js';
import { addDemoCommand, addFleetCommands, addServeCommand, addSimulateCommand } from './commands/serve.js';

type Load = () => Promise<{ readonly addCommands: (add: AddCommand) => void }>;

/** Groups in the order of the help. A group and what it uses are loaded only if an argument is its name. */
const GROUPS: Readonly<Record<string, readonly [description: string, load: Load]>> = {
  user: ['users and their access', () => import('./commands/user.js')],
  member: ['users in a company, and their roles', () => import('./commands/member.js')],
  company: ['the companies of the server', () => import('./commands/company.js')],
  token: ['API tokens of a company', () => import('./commands/token.js')],
  device: ['devices of a company', () => import('./commands/device.js')],
  transaction: ['transactions of a company', () => import('./commands/transaction.js')],
  db: ['database commands; a server may be running', () => import('./commands/database.js')],
  audit: ['the ledger as evidence; a server may be running', () => import('./commands/audit.js')],
  config: [
    'the settings, which are environment variables',
    () => Promise.resolve({ addCommands: addConfig }),
  ],
};

/** Runs one command; `args` are the arguments after the program's name. Errors are written, never thrown. */
export async function runCommandLine(args: readonly string[], io: CommandIo): Promise<ExitCode> {
  try {
    const program = await createProgram(io, (group) => args.includes(group));
    await program.parseAsync([...args], { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    const { exitCode, lines } = failureOf(error);
    for (const line of lines) io.notice(line);
    return exitCode;
  }
}

const EXIT_CODE_HELP = `
Exit codes:
${EXIT_CODES.map(([code, meaning]) => `  ${String(code).padEnd(2)}  ${meaning}`).join('\n')}`;

/** Creates the program. Groups that are not needed have only their name and description. */
export async function createProgram(io: CommandIo, isNeeded: (group: string) => boolean = () => true) {
  const program = new Command('terminal-gateway')
    .description('Device-management server for payment terminals.')
    .version(packageVersion(), '--version', 'print the version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.print(text.trimEnd()),
      writeErr: (text) => io.notice(text.trimEnd()),
    })
    .addHelpText('after', EXIT_CODE_HELP);
  addServeCommand(program, io);
  addDemoCommand(program, io);
  addSimulateCommand(addTo(program, io));
  addFleetCommands(addTo(program, io));
  for (const [name, [description, load]] of Object.entries(GROUPS)) {
    const group = program.command(name).description(description);
    if (isNeeded(name)) (await load()).addCommands(addTo(group, io));
  }
  return program;
}

/** Version in package.json, which is two folders above this file in both `src/` and `dist/`. */
function packageVersion(): string {
  const json = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(json) as { version: string }).version;
}

function addConfig(add: AddCommand): void {
  const width = Math.max(...SETTINGS.map(({ name }) => name.length));
  const help = SETTINGS.map(({ name, description, defaultValue }) => {
    const suffix = defaultValue === '' ? '' : ` (default: ${defaultValue})`;
    return `  ${name.padEnd(width)}  ${description}${suffix}`;
  }).join('\n');
  add(
    'print',
    'print the settings in effect, with secrets redacted, and check them',
    printConfig,
  ).addHelpText('after', `\nSettings:\n${help}`);
}

const NO_MAIL =
  'SMTP_URL is not set, so this server sends no e-mail: links to set a password are shown to administrators only, e-mail addresses cannot be changed, and alerts reach people by webhooks alone.';

function printConfig(_options: JsonOption, _argument: string, { environment }: CommandIo): Promise<Result> {
  const value = describeConfig(environment);
  const lines = Object.entries(value).map(([name, text]) => `${name}=${text}`);
  try {
    const { mail } = readConfig(environment);
    const notice = mail === null ? NO_MAIL : undefined;
    return Promise.resolve({ value, lines, notice });
  } catch (error) {
    return Promise.resolve({ value, lines, failure: error as Error });
  }
}
