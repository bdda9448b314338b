import type { Command } from 'commander';

import type { CommandIo } from '../command-io.js';

const NOTES = '\nStops on SIGTERM and SIGINT when what is under way is done; at once on the second.';

export function addServeCommand(program: Command, terminal: CommandIo): void {
  program
    .command('serve')
    .description('start the server')
    .addHelpText('after', NOTES)
    .action(async () => {
      // The other commands do not wait for what only a server needs.
      const { serve } = await import('../run-server.js');
      await serve(terminal);
    });
}
