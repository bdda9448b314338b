import { basename, relative } from 'node:path';

import { runCommandLine } from './cli/program.js';
import { createCommandIo } from './cli/command-io.js';

// A reader that goes away, as `| head` does, is no reason to die.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

// Ten frames end within the query builder, before any of our own.
Error.stackTraceLimit = 30;

/** As the person at the keyboard can type it again. */
function programName(script: string): string {
  return script.endsWith('.js') || script.endsWith('.ts')
    ? `node ${relative(process.cwd(), script)}`
    : basename(script);
}

const [, script = 'terminal-gateway', ...args] = process.argv;
const terminal = createCommandIo(process.env, programName(script), process);
const code = await runCommandLine(args, terminal);
// What is still on its way to a slow reader would be lost with the process.
await Promise.all([process.stdout, process.stderr].map(flushed));
process.exit(code);

async function flushed(stream: NodeJS.WriteStream): Promise<void> {
  await new Promise<void>((resolve) => stream.write('', () => resolve()));
}
