import { InvalidArgumentError, Option, type Command } from 'commander';

import { MINUTE, SECOND } from '../../platform/clock.js';
import { wholeNumber, type CommandIo } from '../command-io.js';
import type { SimulateOptions } from '../run-simulate.js';

const NOTES = `
Terminals fetch their settings and software, report, record transactions with test cards, and wait for notifications,
as those in the field do: connections break, answers are lost, confirmations come late or twice. The exit code is 1 if
the server broke a promise: content with a wrong CRC, a params.dat that cannot be read, a notification that is lost,
doubled or out of order, a transaction that is rejected, doubled or lost. Lost notifications are found among those that
--notify-every sends.

Tokens: --token-file names a file with an API token that has the scope "terminals". With the scope "read" the
terminals are found through the API: enabled devices with a logical number. Otherwise --serials or --device-tokens
names them. --notify-every needs "write". Times are numbers with ms, s or m.`;

export function addSimulateCommand(program: Command, io: CommandIo): void {
  const seed = wholeNumber(2 ** 32 - 1);
  const over = new Option('--over <transport>', 'how notifications arrive');
  over.choices(['http', 'mqtt']).default('http');
  program
    .command('simulate')
    .description('simulate terminals against a running server, and check what it promises them')
    .option('--url <url>', 'address of the server (default: this machine, PORT)')
    .option('--token-file <file>', 'file of an API token that speaks for the terminals')
    .option('--device-tokens <csv>', 'tokens of devices, as `device token --all --csv` prints them')
    .option(
      '--serials <file>',
      'serial numbers of the terminals, one in each row, as `device import` reads them',
    )
    .option('--group <name>', 'terminals of this group')
    .option('--terminals <number>', 'how many', wholeNumber(100_000), 10)
    .addOption(timeOption('--for <time>', 'how long they are active after the start').default(MINUTE, '60s'))
    .addOption(timeOption('--ramp <time>', 'time over which they start').default(5 * SECOND, '5s'))
    .addOption(
      timeOption('--every <time>', 'how often each does something; 0s: it only waits').default(
        10 * SECOND,
        '10s',
      ),
    )
    .addOption(timeOption('--notify-every <time>', 'send all of them a notification this often'))
    .option('--no-faults', 'break no connections, repeat and delay nothing')
    .addOption(over)
    .option('--mqtt-url <url>', 'the broker, mqtt://… or mqtts://…')
    .option('--mqtt-username <name>', 'of all terminals (default: of each its own, COMPANY/LOGICAL NUMBER)')
    .option('--mqtt-password-file <file>', 'file of the password for the broker')
    .option('--mqtt-ca-file <file>', 'certificates (PEM) to trust for mqtts://')
    .option('--company-id <number>', 'of the topics, if the token cannot read it')
    .option('--seed <number>', 'the same seed makes the same choices', seed, 1)
    .option('--json', 'print all figures as JSON')
    .addHelpText('after', NOTES)
    .action(async (options: SimulateOptions) => {
      const { runSimulate } = await import('../run-simulate.js');
      await runSimulate(io, options);
    });
}

function timeOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser(duration);
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: SECOND, m: MINUTE };

function duration(text: string): number {
  const [, number = '', unit = ''] = /^([0-9]{1,7})(ms|s|m)$/.exec(text) ?? [];
  const ms = Number(number) * (UNITS[unit] ?? Number.NaN);
  if (Number.isNaN(ms)) throw new InvalidArgumentError('It must be a time, for example 500ms, 60s or 5m.');
  return ms;
}
