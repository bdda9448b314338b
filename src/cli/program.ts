import { Command } from 'commander';
import { readFileSync } from 'node:fs';

import { failureOf } from './command-error.js';
import type { CommandIo } from './command-io.js';
import { addDemoCommand, addServeCommand } from './commands/serve.js';
import { addSimulateCommand } from './commands/simulate.js';
import { EXIT, EXIT_CODE_HELP, type ExitCode } from './exit-codes.js';

/** Adds the commands of a group. */
type AddCommands = (group: Command, io: CommandIo) => void;
type Group = readonly [name: string, description: string, load: () => Promise<AddCommands>];

/** Groups in the order of the help. A group and what it uses are loaded only if an argument is its name. */
const GROUPS: readonly Group[] = [
  ['user', 'users and their access', async () => (await import('./commands/user.js')).addCommands],
  [
    'member',
    'users in a company, and their roles',
    async () => (await import('./commands/member.js')).addCommands,
  ],
  ['company', 'the companies of the server', async () => (await import('./commands/company.js')).addCommands],
  ['token', 'API tokens of a company', async () => (await import('./commands/token.js')).addCommands],
  ['device', 'devices of a company', async () => (await import('./commands/device.js')).addCommands],
  [
    'transaction',
    'transactions of a company',
    async () => (await import('./commands/transaction.js')).addCommands,
  ],
  [
    'db',
    'database commands; a server may be running',
    async () => (await import('./commands/database.js')).addCommands,
  ],
  [
    'audit',
    'the ledger as evidence; a server may be running',
    async () => (await import('./commands/audit.js')).addCommands,
  ],
  [
    'config',
    'the settings, which are environment variables',
    async () => (await import('./commands/config.js')).addCommands,
  ],
];

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

/** Creates the program. Groups that are not needed have only their name and description. */
export async function createProgram(
  io: CommandIo,
  isNeeded: (group: string) => boolean = () => true,
): Promise<Command> {
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
  addSimulateCommand(program, io);
  for (const [name, description, load] of GROUPS) {
    const group = program.command(name).description(description);
    if (isNeeded(name)) (await load())(group, io);
  }
  return program;
}

/** Version in package.json, which is two folders above this file in both `src/` and `dist/`. */
function packageVersion(): string {
  const json = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(json) as { version: string }).version;
}
