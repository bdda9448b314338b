import { Command } from 'commander';
import { readFileSync } from 'node:fs';

import { failureOf } from './command-error.js';
import type { CommandIo } from './command-io.js';
import { addAuditCommands } from './commands/audit.js';
import { addCompanyCommands } from './commands/company.js';
import { addConfigCommands } from './commands/config.js';
import { addDatabaseCommands } from './commands/database.js';
import { addDemoCommand } from './commands/demo.js';
import { addDeviceCommands } from './commands/device.js';
import { addMemberCommands } from './commands/member.js';
import { addServeCommand } from './commands/serve.js';
import { addTokenCommands } from './commands/token.js';
import { addTransactionCommands } from './commands/transaction.js';
import { addUserCommands } from './commands/user.js';
import { EXIT, EXIT_CODE_HELP, type ExitCode } from './exit-codes.js';

const COMMANDS = [
  addServeCommand,
  addDemoCommand,
  addUserCommands,
  addMemberCommands,
  addCompanyCommands,
  addTokenCommands,
  addDeviceCommands,
  addTransactionCommands,
  addDatabaseCommands,
  addAuditCommands,
  addConfigCommands,
];

/** Runs one command; `args` are the arguments after the program's name. Errors are written, never thrown. */
export async function runCommandLine(args: readonly string[], io: CommandIo): Promise<ExitCode> {
  const program = new Command('terminal-gateway')
    .description('Device-management server for payment terminals.')
    .version(packageVersion(), '--version', 'print the version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.print(text.trimEnd()),
      writeErr: (text) => io.notice(text.trimEnd()),
    })
    .addHelpText('after', EXIT_CODE_HELP);
  for (const add of COMMANDS) add(program, io);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    const { exitCode, lines } = failureOf(error);
    for (const line of lines) io.notice(line);
    return exitCode;
  }
}

/** Of package.json, which is two folders above in `src/` and in `dist/`. */
function packageVersion(): string {
  const json = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(json) as { version: string }).version;
}
