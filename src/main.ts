import { basename, relative } from 'node:path';

import { createCommandIo } from './cli/command-io.js';
import { runCommandLine } from './cli/program.js';

// Ignores errors of a closed pipe, as in `| head`: they must not end the process.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

// The default of 10 frames would not reach beyond the query builder.
Error.stackTraceLimit = 30;

/** Command by which the user can start this program again. */
function programName(script: string): string {
  return script.endsWith('.js') || script.endsWith('.ts')
    ? `node ${relative(process.cwd(), script)}`
    : basename(script);
}

const [, script = 'terminal-gateway', ...args] = process.argv;
const exitCode = await runCommandLine(args, createCommandIo(process.env, programName(script), process));
// Waits until output is written: it would be lost when the process ends.
await Promise.all([process.stdout, process.stderr].map(flushed));
process.exit(exitCode);

async function flushed(stream: NodeJS.WriteStream): Promise<void> {
  await new Promise<void>((resolve) => stream.write('', () => resolve()));
}
