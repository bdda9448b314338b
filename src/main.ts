import { basename, relative } from 'node:path';

import { createCommandIo } from './cli/command-io.js';
import { runCommandLine } from './cli/program.js';

// A reader that closes the pipe, as `| head` does, must not end the process.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

// The default of ten frames ends inside the query builder.
Error.stackTraceLimit = 30;

/** What the user can type to start this program again. */
function programName(script: string): string {
  return script.endsWith('.js') || script.endsWith('.ts')
    ? `node ${relative(process.cwd(), script)}`
    : basename(script);
}

const [, script = 'terminal-gateway', ...args] = process.argv;
const exitCode = await runCommandLine(args, createCommandIo(process.env, programName(script), process));
// Output that a slow reader has not taken yet would be lost with the process.
await Promise.all([process.stdout, process.stderr].map(flushed));
process.exit(exitCode);

async function flushed(stream: NodeJS.WriteStream): Promise<void> {
  await new Promise<void>((resolve) => stream.write('', () => resolve()));
}
