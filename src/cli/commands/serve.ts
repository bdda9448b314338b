import type { Command } from 'commander';

import type { CommandIo } from '../command-io.js';

const NOTES =
  '\nSIGTERM or SIGINT stops the server after the requests in flight; a second signal stops it at once.';

export function addServeCommand(program: Command, io: CommandIo): void {
  program
    .command('serve')
    .description('start the server')
    .addHelpText('after', NOTES)
    .action(async () => {
      // Loaded here, so that the other commands start without the server's modules.
      const { serve } = await import('../run-server.js');
      await serve(io);
    });
}
