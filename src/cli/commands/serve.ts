import type { Command } from 'commander';

import { wholeNumber, type CommandIo } from '../command-io.js';
import type { DemoOptions } from '../run-demo.js';
import type { ServeOptions } from '../run-server.js';

const SERVE_NOTES = `
SIGTERM or SIGINT stops the server after the requests in flight; it ends within 30 seconds. Ctrl-C
again, 2 seconds later or more, ends it at once. SIGHUP rereads TLS_CERT_FILE and TLS_KEY_FILE.`;

export function addServeCommand(program: Command, io: CommandIo): void {
  program
    .command('serve')
    .description('start the server')
    .addHelpText('after', SERVE_NOTES)
    .option('--accept-loss', 'start even if acknowledged changes are missing; log and ledger say which')
    .action(async (options: ServeOptions) => {
      // Loaded here, so that the other commands start without the server's modules.
      const { serve } = await import('../run-server.js');
      await serve(io, options);
    });
}

const DEMO_NOTES = `
Two companies with terminals, software, settings and a month of card payments. The same seed gives the same
records; times and secrets differ. Ten simulated terminals are at work. The database is deleted at the end, unless --dir names a folder.`;

export function addDemoCommand(program: Command, io: CommandIo): void {
  program
    .command('demo')
    .description('serve a demo fleet from a database of its own')
    .option('--seed <number>', 'seed of the random records', wholeNumber(2 ** 32 - 1), 1)
    .option('--port <number>', 'port to listen on, instead of PORT', wholeNumber(65_535))
    .option('--dir <folder>', 'folder for demo.db, which replaces an earlier demo and is kept')
    .option('--database <url>', 'fill this empty database instead, for example postgres://…, and keep it')
    .option('--no-simulate', 'without simulated terminals at work')
    .addHelpText('after', DEMO_NOTES)
    .action(async (options: DemoOptions) => {
      const { runDemo } = await import('../run-demo.js');
      await runDemo(io, options);
    });
}
