import { InvalidArgumentError, type Command } from 'commander';

import type { DemoOptions } from '../run-demo.js';
import type { CommandIo } from '../command-io.js';

const NOTES = `
Two companies with terminals, software, settings and a month of card payments: the same each time for a
seed, but for times and secrets. What is written to the demo goes when it stops, unless --dir names a folder.`;

export function addDemoCommand(program: Command, terminal: CommandIo): void {
  program
    .command('demo')
    .description('serve a believable fleet out of a database of its own')
    .option('--seed <number>', 'what the data is drawn from', wholeNumber(2 ** 32 - 1), 1)
    .option('--port <number>', 'port to listen on; PORT otherwise', wholeNumber(65_535))
    .option('--dir <folder>', 'make demo.db in this folder, in place of an earlier one, and leave it there')
    .addHelpText('after', NOTES)
    .action(async (options: DemoOptions) => {
      const { runDemo } = await import('../run-demo.js');
      await runDemo(terminal, options);
    });
}

function wholeNumber(max: number): (text: string) => number {
  return (text) => {
    const number = /^[0-9]{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (!(number <= max)) throw new InvalidArgumentError(`It must be a whole number from 0 to ${max}.`);
    return number;
  };
}
