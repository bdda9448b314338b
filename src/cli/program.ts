import { Command } from 'commander';

import { addConfigCommands } from './commands/config.js';
import { addDatabaseCommands } from './commands/database.js';
import { addDemoCommand } from './commands/demo.js';
import { addDeviceCommands } from './commands/device.js';
import { EXIT, EXIT_CODE_HELP, type ExitCode } from './exit-codes.js';
import { explain } from './explain.js';
import { addServeCommand } from './commands/serve.js';
import type { CommandIo } from './command-io.js';
import { addTokenCommands } from './commands/token.js';
import { addUserCommands } from './commands/user.js';

const COMMANDS = [
  addServeCommand,
  addDemoCommand,
  addUserCommands,
  addTokenCommands,
  addDeviceCommands,
  addDatabaseCommands,
  addConfigCommands,
];

/** Carries out one command line (without the program's own name) and answers what to end with. */
export async function runCommandLine(args: readonly string[], terminal: CommandIo): Promise<ExitCode> {
  const program = new Command('terminal-gateway')
    .description('Device-management server for payment terminals.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.note(text.trimEnd()),
    })
    .addHelpText('after', EXIT_CODE_HELP);
  for (const add of COMMANDS) add(program, terminal);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    const { code, lines } = explain(error);
    for (const line of lines) terminal.note(line);
    return code;
  }
}
