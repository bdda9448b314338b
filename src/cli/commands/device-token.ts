import type { Command } from 'commander';

import { getDeviceBySerialNumber } from '../../domain/fleet/device/device.service.js';
import {
  issueDeviceToken,
  issueNextDeviceTokens,
} from '../../domain/terminals/terminal/device-token.service.js';
import type { IssuedToken } from '../../domain/terminals/terminal/terminal.model.js';
import { counted } from '../../platform/errors.js';
import { callerIn, withActor, withDatabase, writeIn, type ActorOptions } from '../command-context.js';
import { CommandError } from '../command-error.js';
import { addJsonCommand, printResult, type CommandIo, type JsonOption } from '../command-io.js';

/** Adds `device token`. */
export function addDeviceTokenCommand(device: Command, io: CommandIo): void {
  withActor(
    addJsonCommand(
      device,
      'token',
      'issue the token with which a device calls /terminal/v1; shown only once',
    ),
  )
    .argument('[serial]', 'serial number of the device; the token that it had before ends')
    .requiredOption('--company <name>', 'the company')
    .option('--all', 'issue tokens for all devices of the company that have none')
    .option('--replace', 'with --all: also for devices that have a token, which ends')
    .option('--csv', 'with --all: print CSV with the columns serial and token')
    .action((serial: string | undefined, options: TokenOptions) => issue(io, serial, options));
}

interface TokenOptions extends JsonOption, ActorOptions {
  readonly all?: true;
  readonly replace?: true;
  readonly csv?: true;
}

async function issue(io: CommandIo, serial: string | undefined, options: TokenOptions): Promise<void> {
  if ((serial === undefined) !== (options.all === true)) {
    throw new CommandError('Give either the serial number of a device or --all.');
  }
  if (serial === undefined) {
    await issueForAll(io, options);
    return;
  }
  if (options.replace === true || options.csv === true) {
    throw new CommandError('--replace and --csv are for --all.');
  }
  const issued = await withDatabase(io, (context) =>
    writeIn(context, options, async (work) =>
      issueDeviceToken(work, await getDeviceBySerialNumber(work, serial)),
    ),
  );
  if (options.json !== true) {
    io.notice(`Token of ${issued.serialNumber}: store it now, it is not shown again.`);
  }
  printResult(io, options, fieldsOf(issued), [issued.secret]);
}

/** Devices in one unit of work: others wait for it. */
const DEVICES_PER_UNIT = 200;

/** Prints the tokens of a unit of work as soon as they are stored, so that none is lost if the command ends early. */
async function issueForAll(io: CommandIo, options: TokenOptions): Promise<void> {
  let total = 0;
  await withDatabase(io, async ({ units }) => {
    const caller = await callerIn(units, options);
    if (options.csv === true && options.json !== true) io.print('serial,token');
    for (let after = 0, isLeft = true; isLeft;) {
      const step = { after, limit: DEVICES_PER_UNIT, replace: options.replace === true };
      const issued = await units.write(caller, (work) => issueNextDeviceTokens(work, step));
      for (const each of issued) io.print(lineOf(each, options));
      total += issued.length;
      after = issued.at(-1)?.deviceId ?? after;
      isLeft = issued.length === DEVICES_PER_UNIT;
    }
  });
  io.notice(`${counted(total, 'token')} issued. Tokens are not shown again: store them now.`);
}

function lineOf(issued: IssuedToken, { json, csv }: TokenOptions): string {
  if (json === true) return JSON.stringify(fieldsOf(issued));
  const { serialNumber, secret } = issued;
  return csv === true ? `${cell(serialNumber)},${secret}` : `${serialNumber}\t${secret}`;
}

/** A cell of CSV (RFC 4180). */
function cell(text: string): string {
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function fieldsOf({ serialNumber, secret }: IssuedToken) {
  return { serial: serialNumber, token: secret };
}
