import { InvalidArgumentError, type Command } from 'commander';

import { parseKept } from '../../../platform/config/kept-periods.js';
import type { Period } from '../../../platform/period.js';
import { addJsonCommand, type CommandIo } from '../../command-io.js';
import type { PruneOptions } from '../../run-prune.js';

const NOTES = `
A PERIOD is for example "90 days", "13 months" or "2 years", as 90d, 13m or 2y too, or "forever". Without an option,
that of the setting KEEP_TRANSACTIONS, KEEP_LEDGER or KEEP_DELIVERIES counts. Tokens are deleted 90 days after they
were revoked or have expired. The command can be stopped and run again.`;

export function addPruneCommand(db: Command, io: CommandIo): void {
  addJsonCommand(db, 'prune', 'delete what is older than it is to be kept; also where the disk is full')
    .option('--dry-run', 'print what would be deleted; change nothing')
    .option('--transactions <period>', 'keep transactions so long, from their recording on', period)
    .option('--ledger <period>', 'keep ledger entries so long', period)
    .option('--deliveries <period>', 'keep finished deliveries of notifications so long', period)
    .addHelpText('after', NOTES)
    .action(async (options: PruneOptions) => {
      const { runPrune } = await import('../../run-prune.js');
      await runPrune(io, options);
    });
}

function period(text: string): Period | null {
  try {
    return parseKept(text);
  } catch (error) {
    throw new InvalidArgumentError(`It ${(error as Error).message}.`);
  }
}
