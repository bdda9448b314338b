import type { Command } from 'commander';

import type { DeviceRow, ErrorPolicy } from '../../domain/fleet/device/device.model.js';
import { createDevices } from '../../domain/fleet/device/device.service.js';
import { counted } from '../../platform/errors.js';
import { type ActorOptions, withActor, withDatabase, writeIn } from '../command-context.js';
import { CommandError } from '../command-error.js';
import { addJsonCommand, type CommandIo, type JsonOption, printResult } from '../command-io.js';
import { type ListedValue, listIn } from '../import/csv.js';
import { addDeviceTokenCommand } from './device-token.js';

export function addDeviceCommands(device: Command, io: CommandIo): void {
  addDeviceTokenCommand(device, io);
  withActor(
    addJsonCommand(
      device,
      'import',
      'create devices from a list, all or none; prints the result of each line',
    ),
  )
    .argument('<file>', 'one serial number per line (UTF-8), or a CSV file with the column serial_number')
    .requiredOption('--company <name>', 'the company')
    .option('--skip-refused', 'skip refused lines and create the other devices')
    .action((file: string, options: ImportOptions) => importDevices(io, file, options));
}

interface ImportOptions extends JsonOption, ActorOptions {
  readonly skipRefused?: true;
}

async function importDevices(io: CommandIo, file: string, options: ImportOptions): Promise<void> {
  const lines = await listIn(file, 'serial_number');
  const policy: ErrorPolicy = options.skipRefused === true ? 'REJECT_FAILED_ROWS' : 'REJECT_EVERYTHING';
  io.notice(`${counted(lines.length, 'serial number')} in ${file}`);
  const serialNumbers = lines.map(({ value }) => value);
  const rows = await withDatabase(io, (context) =>
    writeIn(context, options, (work) => createDevices(work, serialNumbers, policy)),
  );
  const results = lines.map((line, index) => resultOf(line, rows[index]));
  const printed = results.map(({ line, serial_number, result }) => `${line}\t${serial_number}\t${result}`);
  printResult(io, options, results, printed);
  const created = results.filter(({ id }) => id !== null).length;
  const refused = rows.filter((row) => row.problems.length > 0).length;
  io.notice(`${created} created, ${refused} refused`);
  if (refused > 0 && options.skipRefused !== true) {
    throw new CommandError('Nothing was imported: correct the list, or use --skip-refused.');
  }
}

function resultOf({ line, value }: ListedValue, row: DeviceRow | undefined) {
  const problems = row?.problems ?? [];
  const id = row?.device?.id ?? null;
  const accepted = id === null ? 'not created' : 'created';
  const result = problems.length === 0 ? accepted : `refused: ${problems.join('; ')}`;
  return { line, serial_number: value, id, result };
}
