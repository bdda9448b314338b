import { readFileSync } from 'node:fs';
import type { Command } from 'commander';

import { createDevices } from '../../resources/device/device.import.service.js';
import type { DeviceRow, ErrorPolicy } from '../../resources/device/device.model.js';
import { CommandError } from '../explain.js';
import { companyNamed, operatorIn, withDatabase } from '../command-context.js';
import type { CommandIo } from '../command-io.js';

export function addDeviceCommands(program: Command, terminal: CommandIo): void {
  const device = program.command('device').description('devices of a company');
  device
    .command('import')
    .description('create devices from a list, all or none; says for each line what became of it')
    .argument('<file>', 'text file (UTF-8) with one serial number a line')
    .requiredOption('--company <name>', 'the company')
    .option('--skip-refused', 'create the good ones even where other lines are refused')
    .option('--json', 'print JSON')
    .action((file: string, options: ImportOptions) => importDevices(terminal, file, options));
}

interface ImportOptions {
  readonly company: string;
  readonly skipRefused?: true;
  readonly json?: true;
}

interface Line {
  readonly number: number;
  readonly serialNumber: string;
}

async function importDevices(terminal: CommandIo, file: string, options: ImportOptions): Promise<void> {
  const lines = readLines(file);
  const policy: ErrorPolicy = options.skipRefused === true ? 'REJECT_FAILED_ROWS' : 'REJECT_EVERYTHING';
  terminal.note(`${lines.length} serial numbers in ${file}`);
  const rows = await withDatabase(terminal, async ({ units }) => {
    const caller = operatorIn(await companyNamed(units, options.company));
    const serialNumbers = lines.map((line) => line.serialNumber);
    return await units.write(caller, (work) => createDevices(work, serialNumbers, policy));
  });
  const results = lines.map((line, place) => resultOf(line, rows[place]));
  if (options.json === true) terminal.print(JSON.stringify(results));
  else
    for (const { line, serial_number, result } of results)
      terminal.print(`${line}\t${serial_number}\t${result}`);
  const created = results.filter(({ id }) => id !== null).length;
  const refused = rows.filter((row) => row.problems.length > 0).length;
  terminal.note(`${created} created, ${refused} refused`);
  if (refused > 0 && options.skipRefused !== true) {
    throw new CommandError('Nothing was imported: correct the list, or give --skip-refused.');
  }
}

function resultOf({ number, serialNumber }: Line, row: DeviceRow | undefined) {
  const problems = row?.problems ?? [];
  const id = row?.device?.id ?? null;
  const stopped = id === null ? 'not created' : 'created';
  const result = problems.length === 0 ? stopped : `refused: ${problems.join('; ')}`;
  return { line: number, serial_number: serialNumber, id, result };
}

/** Empty lines count, but name nothing. */
function readLines(file: string): readonly Line[] {
  return decode(file)
    .split(/\r?\n/)
    .map((serialNumber, place) => ({ number: place + 1, serialNumber }))
    .filter(({ serialNumber }) => serialNumber !== '');
}

function decode(file: string): string {
  const bytes = readFileSync(file);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CommandError(`${file} is not UTF-8 text.`);
  }
}
