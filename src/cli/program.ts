import { Command } from 'commander';
import { readFileSync } from 'node:fs';

import { failureOf } from './command-error.js';
import type { CommandIo } from './command-io.js';
import { addDemoCommand, addServeCommand } from './commands/serve.js';
import { addSimulateCommand } from './commands/simulate.js';
import { EXIT, EXIT_CODE_HELP, type ExitCode } from './exit-codes.js';

interface Group {
  readonly name: string;
  readonly description: string;
  /** Loads the commands of the group and the modules that they use. */
  readonly load: () => Promise<(group: Command, io: CommandIo) => void>;
}

/** Groups in the order of the help. A group is loaded only if an argument is its name. */
const GROUPS: readonly Group[] = [
  {
    name: 'user',
    description: 'users and their access',
    load: async () => (await import('./commands/user.js')).addUserCommands,
  },
  {
    name: 'member',
    description: 'users in a company, and their roles',
    load: async () => (await import('./commands/member.js')).addMemberCommands,
  },
  {
    name: 'company',
    description: 'the companies of the server',
    load: async () => (await import('./commands/company.js')).addCompanyCommands,
  },
  {
    name: 'token',
    description: 'API tokens of a company',
    load: async () => (await import('./commands/token.js')).addTokenCommands,
  },
  {
    name: 'device',
    description: 'devices of a company',
    load: async () => (await import('./commands/device.js')).addDeviceCommands,
  },
  {
    name: 'transaction',
    description: 'transactions of a company',
    load: async () => (await import('./commands/transaction.js')).addTransactionCommands,
  },
  {
    name: 'db',
    description: 'database commands; a server may be running',
    load: async () => (await import('./commands/database.js')).addDatabaseCommands,
  },
  {
    name: 'audit',
    description: 'the ledger as evidence; a server may be running',
    load: async () => (await import('./commands/audit.js')).addAuditCommands,
  },
  {
    name: 'config',
    description: 'the settings, which are environment variables',
    load: async () => (await import('./commands/config.js')).addConfigCommands,
  },
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
  for (const { name, description, load } of GROUPS) {
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
