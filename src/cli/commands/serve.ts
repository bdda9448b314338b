import type { Command } from 'commander';

import type { CommandIo } from '../command-io.js';
import type { ServeOptions } from '../run-server.js';

const NOTES = `
SIGTERM or SIGINT stops the server after the requests in flight; it ends within 30 seconds. Ctrl-C
again, 2 seconds later or more, ends it at once. SIGHUP rereads TLS_CERT_FILE and TLS_KEY_FILE.`;

export function addServeCommand(program: Command, io: CommandIo): void {
  program
    .command('serve')
    .description('start the server')
    .addHelpText('after', NOTES)
    .option('--accept-loss', 'start even if acknowledged changes are missing; log and ledger say which')
    .action(async (options: ServeOptions) => {
      // Loaded here, so that the other commands start without the server's modules.
      const { serve } = await import('../run-server.js');
      await serve(io, options);
    });
}
