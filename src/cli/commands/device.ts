import type { Device } from '../../domain/fleet/device/device.model.js';
import { createDevices, getDeviceBySerialNumber } from '../../domain/fleet/device/device.service.js';
import {
  type IssuedDeviceToken,
  issueDeviceToken,
  issueNextDeviceTokens,
} from '../../domain/terminals/terminal/device-token.service.js';
import { cell, warningOfShortened } from '../../platform/encoding/csv.js';
import { counted } from '../../platform/errors.js';
import type { BatchRow, ErrorPolicy } from '../../platform/requests.js';
import {
  addCompanyCommand,
  callerIn,
  changeIn,
  KEEP_OLD_FOR,
  type KeepOptions,
  keptFor,
  withDatabase,
  type ChangeOptions,
} from '../command-context.js';
import { CommandError } from '../command-error.js';
import type { AddCommand, CommandIo, Result } from '../command-io.js';
import { listIn } from '../row-files.js';

export function addCommands(add: AddCommand): void {
  const issues = 'issue the token with which a device calls /terminal/v1; shown only once';
  addCompanyCommand(add, 'token', issues, issue)
    .argument('[serial]', 'serial number of the device; the token that it had before ends at once')
    .option('--all', 'issue tokens for all devices of the company that have none')
    .option('--replace', 'with --all: also for devices that have a token, which ends at once')
    .option('--csv', 'with --all: print CSV with the columns serial and token')
    .option(...KEEP_OLD_FOR);
  const imports = 'create devices from a list, all or none; prints the result of each line';
  addCompanyCommand(add, 'import', imports, importDevices)
    .argument('<file>', 'one serial number per line (UTF-8), or a CSV file with the column serial_number')
    .option('--skip-refused', 'skip refused lines and create the other devices');
}

interface TokenOptions extends KeepOptions {
  readonly all?: true;
  readonly replace?: true;
  readonly csv?: true;
}

async function issue(options: TokenOptions, serial: string, io: CommandIo): Promise<Result | null> {
  if ((serial === '') !== (options.all === true)) {
    throw new CommandError('Give either the serial number of a device or --all.');
  }
  if (options.all === true) return await issueForAll(io, options);
  if (options.replace === true || options.csv === true) {
    throw new CommandError('--replace and --csv are for --all.');
  }
  const issued = await changeIn(io, options, async (work) =>
    issueDeviceToken(work, await getDeviceBySerialNumber(work, serial), keptFor(options)),
  );
  const notice = `Token of ${issued.serialNumber}: store it now, it is not shown again.`;
  return { value: shown(issued), lines: [issued.secret], notice };
}

/** Devices in one unit of work: others wait for it. */
const DEVICES_PER_UNIT = 200;

/** Prints the tokens of a unit of work as soon as they are stored, so that none is lost if the command ends early. */
async function issueForAll(io: CommandIo, options: TokenOptions): Promise<null> {
  let total = 0;
  await withDatabase(io, async ({ units }) => {
    const caller = await callerIn(units, options);
    if (options.csv === true && options.json !== true) io.print('serial,token');
    for (let after = 0, isLeft = true; isLeft;) {
      const step = { after, limit: DEVICES_PER_UNIT, replace: options.replace === true };
      const issued = await units.write(caller, (work) => issueNextDeviceTokens(work, step, keptFor(options)));
      for (const each of issued) io.print(lineOf(each, options));
      total += issued.length;
      after = issued.at(-1)?.deviceId ?? after;
      isLeft = issued.length === DEVICES_PER_UNIT;
    }
  });
  io.notice(`${counted(total, 'token')} issued. Tokens are not shown again: store them now.`);
  return null;
}

function lineOf(issued: IssuedDeviceToken, { json, csv }: TokenOptions): string {
  if (json === true) return JSON.stringify(shown(issued));
  const { serialNumber, secret } = issued;
  return csv === true ? `${cell(serialNumber)},${secret}` : `${serialNumber}\t${secret}`;
}

const shown = ({ serialNumber, secret }: IssuedDeviceToken) => ({ serial: serialNumber, token: secret });

async function importDevices(
  options: ChangeOptions & { readonly skipRefused?: true },
  file: string,
  io: CommandIo,
): Promise<Result> {
  const listed = await listIn(file, 'serial_number');
  const policy: ErrorPolicy = options.skipRefused === true ? 'REJECT_FAILED_ROWS' : 'REJECT_EVERYTHING';
  io.notice(`${counted(listed.length, 'serial number')} in ${file}`);
  for (const { line, value } of listed) {
    const warning = warningOfShortened(value);
    if (warning !== undefined) io.notice(`line ${line}: ${warning}`);
  }
  const serialNumbers = listed.map(({ value }) => value);
  const rows = await changeIn(io, options, (work) => createDevices(work, serialNumbers, policy));
  const value = listed.map(({ line, value: serial }, index) => resultOf(line, serial, rows[index]));
  const lines = value.map(({ line, serial_number, result }) => `${line}\t${serial_number}\t${result}`);
  const created = value.filter(({ id }) => id !== null).length;
  const refused = rows.filter(({ problem }) => problem !== null).length;
  io.notice(`${created} created, ${refused} refused`);
  const failure =
    refused > 0 && options.skipRefused !== true
      ? new CommandError('Nothing was imported: correct the list, or use --skip-refused.')
      : undefined;
  return { value, lines, failure };
}

function resultOf(line: number, serial_number: string, row: BatchRow<Device> | undefined) {
  const problems = row?.problem?.details.fields?.serialNumber;
  const id = row?.record?.id ?? null;
  const accepted = id === null ? 'not created' : 'created';
  const result =
    problems === undefined ? accepted : `refused: ${problems.map(({ message }) => message).join('; ')}`;
  return { line, serial_number, id, result };
}
