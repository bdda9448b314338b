/** Declares the commands that run until they are stopped, or talk to a server. What they use is loaded when one runs. */
import { InvalidArgumentError, Option, type Command } from 'commander';

import { MINUTE, SECOND } from '../../platform/clock.js';
import { wholeNumber, type AddCommand, type CommandIo, type Result } from '../command-io.js';
import type { DemoOptions } from '../run-demo.js';
import type { ApplyOptions, StateOptions } from '../run-fleet.js';
import type { ServeOptions } from '../run-server.js';
import type { SimulateOptions } from '../run-simulate.js';

const SERVE_NOTES = `
SIGTERM or SIGINT stops the server after the requests in flight; it ends within 30 seconds. Ctrl-C
again, 2 seconds later or more, ends it at once. SIGHUP rereads TLS_CERT_FILE and TLS_KEY_FILE.`;

export function addServeCommand(program: Command, io: CommandIo): void {
  program
    .command('serve')
    .description('start the server')
    .addHelpText('after', SERVE_NOTES)
    .option('--accept-loss', 'start even if acknowledged changes are missing; log and ledger say which')
    .option('--accept-copy', 'start on a copy of a database whose original is still there')
    .action(async (options: ServeOptions) => {
      const { serve } = await import('../run-server.js');
      await serve(io, options);
    });
}

const SEED = wholeNumber(2 ** 32 - 1);

const DEMO_NOTES = `
Two companies with terminals, software, settings and a month of card payments. The same seed gives the same
records; times and secrets differ. Ten simulated terminals are at work. The database is deleted at the end, unless --dir names a folder.`;

export function addDemoCommand(program: Command, io: CommandIo): void {
  program
    .command('demo')
    .description('serve a demo fleet from a database of its own')
    .option('--seed <number>', 'seed of the random records', SEED, 1)
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

const SIMULATE_NOTES = `
Terminals fetch their settings and software, report, record transactions with test cards, and wait for notifications,
as those in the field do: connections break, answers are lost, confirmations come late or twice. The exit code is 1 if
the server broke a promise: content with a wrong CRC, a params.dat that cannot be read, a notification that is lost,
doubled or out of order, a transaction that is rejected, doubled or lost. Lost notifications are found among those that
--notify-every sends.

Tokens: --token-file names a file with an API token that has the scope "terminals". With the scope "read" the
terminals are found through the API: enabled devices with a logical number. Otherwise --serials or --device-tokens
names them. --notify-every, --command-every and --scenario need "write", --renew-every --device-tokens. Times are numbers
with ms, s or m.`;

export function addSimulateCommand(add: AddCommand): void {
  const simulate = async (options: SimulateOptions, _argument: string, io: CommandIo): Promise<Result> =>
    await (await import('../run-simulate.js')).runSimulate(io, options);
  const over = new Option('--over <transport>', 'how notifications arrive');
  const every = timeOption('--every <time>', 'how often each does something; 0s: it only waits');
  const renewEvery =
    'how often each renews its token; the file of --device-tokens gets the new ones at the end';
  const serials = 'serial numbers of the terminals, one in each row, as `device import` reads them';
  add('simulate', 'simulate terminals against a running server, and check what it promises them', simulate)
    .option('--url <url>', 'address of the server (default: this machine, PORT)')
    .option('--token-file <file>', 'file of an API token that speaks for the terminals')
    .option('--device-tokens <csv>', 'tokens of devices, as `device token --all --csv` prints them')
    .option('--serials <file>', serials)
    .option('--group <name>', 'terminals of this group')
    .option('--terminals <number>', 'how many', wholeNumber(100_000), 10)
    .addOption(timeOption('--for <time>', 'how long they are active after the start').default(MINUTE, '60s'))
    .addOption(timeOption('--ramp <time>', 'time over which they start').default(5 * SECOND, '5s'))
    .addOption(every.default(10 * SECOND, '10s'))
    .addOption(timeOption('--notify-every <time>', 'send all of them a notification this often'))
    .addOption(timeOption('--command-every <time>', 'send three of them a command this often'))
    .addOption(timeOption('--renew-every <time>', renewEvery))
    .option('--no-faults', 'break no connections, repeat and delay nothing')
    .addOption(over.choices(['http', 'mqtt', 'both']).default('http'))
    .option('--mqtt-url <url>', 'the broker, mqtt://… or mqtts://…')
    .option('--mqtt-username <name>', 'of all terminals (default: of each its own, COMPANY/LOGICAL NUMBER)')
    .option('--mqtt-password-file <file>', 'file of the password for the broker')
    .option('--mqtt-ca-file <file>', 'certificates (PEM) to trust for mqtts://')
    .option('--company-id <number>', 'of the topics, if the token cannot read it')
    .option('--seed <number>', 'the same seed makes the same choices', SEED, 1)
    .option(
      '--scenario <file>',
      'what terminals do with commands, or a rollout that they take badly; exit code 1 unless it stops',
    )
    .addHelpText('after', SIMULATE_NOTES);
}

const APPLY_NOTES = `
Prints each difference between the document and the fleet, and for how many terminals. With --yes, makes these changes
and no others, all or none, as one job: if the fleet was changed since the plan, the exit code is 1 and nothing is
changed. Without --yes, the exit code is 4 if there are differences, 0 if there are none. The token needs the scope
"read", with --yes "write". \`state\` prints a document of the fleet as it is.`;

export function addFleetCommands(add: AddCommand): void {
  const token = ['--token-file <file>', 'file of an API token of the company'] as const;
  const url = ['--url <url>', 'address of the server (default: this machine, PORT)'] as const;
  const apply = async (options: ApplyOptions, _argument: string, io: CommandIo): Promise<Result> =>
    await (await import('../run-fleet.js')).applyFile(io, options);
  add('apply', 'bring a fleet to the state of a document, on a running server', apply)
    .requiredOption('-f, --file <file>', 'the document, YAML or JSON; - reads standard input')
    .requiredOption(...token)
    .option(...url)
    .option('--yes', 'make the changes')
    .option('--undo-file <file>', 'write the document that brings back the earlier state to this new file')
    .addHelpText('after', APPLY_NOTES);
  const state = async (options: StateOptions, _argument: string, io: CommandIo): Promise<Result> =>
    await (await import('../run-fleet.js')).printState(io, options);
  add('state', 'print the present state of a fleet as a document for apply, from a running server', state)
    .requiredOption(...token)
    .option(...url)
    .option('--group <name>', 'of this group only (default: all of the company)')
    .option('--no-logical-numbers', 'leave out the logical numbers')
    .option('--no-devices', 'leave out the devices');
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
