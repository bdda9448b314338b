import { InvalidArgumentError, type Command } from 'commander';

import type { CommandIo } from '../command-io.js';
import type { DemoOptions } from '../run-demo.js';

const NOTES = `
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
    .addHelpText('after', NOTES)
    .action(async (options: DemoOptions) => {
      const { runDemo } = await import('../run-demo.js');
      await runDemo(io, options);
    });
}

function wholeNumber(max: number): (text: string) => number {
  return (text) => {
    const number = /^[0-9]{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (!(number <= max)) throw new InvalidArgumentError(`It must be a whole number from 0 to ${max}.`);
    return number;
  };
}
