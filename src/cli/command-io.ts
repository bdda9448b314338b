import { type Command, InvalidArgumentError } from 'commander';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';

import type { Environment } from '../platform/config/config.js';

/** Environment, input and output of one command. */
export interface CommandIo {
  readonly environment: Environment;
  /** How the user can start the program again, for advice: `terminal-gateway` or `node dist/boot.js`. */
  readonly program: string;
  /** Writes a line of the command's result to standard output. */
  readonly print: (line: string) => void;
  /** Writes any other line to standard error: notices, progress, errors. */
  readonly notice: (line: string) => void;
  /** Reads standard input to its end. */
  readonly readInput: () => Promise<string>;
  /** Makes a callback that writes a notice at each 10 %, for example `Copying: 30 %`. */
  readonly progress: (label: string) => (done: number, total: number) => void;
}

const STEPS = 10;

export function createCommandIo(
  environment: Environment,
  program: string,
  streams: { readonly stdin: Readable; readonly stdout: Writable; readonly stderr: Writable },
): CommandIo {
  const notice = (line: string): void => void streams.stderr.write(`${line}\n`);
  return {
    environment,
    program,
    notice,
    print: (line) => void streams.stdout.write(`${line}\n`),
    readInput: () => text(streams.stdin),
    progress: (label) => {
      let reported = 0;
      return (done, total) => {
        const step = total === 0 ? STEPS : Math.floor((done * STEPS) / total);
        if (step <= reported) return;
        reported = step;
        notice(`${label}: ${Math.floor((step * 100) / STEPS)} %`);
      };
    },
  };
}

export interface JsonOption {
  readonly json?: true;
}

/** Adds a command with the option `--json`. */
export function addJsonCommand(parent: Command, name: string, description: string): Command {
  return parent.command(name).description(description).option('--json', 'print JSON');
}

/** Prints one line of JSON if the option `--json` is given, otherwise `lines`. */
export function printResult(
  io: CommandIo,
  { json }: JsonOption,
  value: unknown,
  lines: readonly string[],
): void {
  for (const line of json === true ? [JSON.stringify(value)] : lines) io.print(line);
}

/** Formats headings and rows as text columns of equal width. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  const lineOf = (row: readonly string[]): string =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return all.map((row) => lineOf(row).trimEnd()).join('\n');
}

/** Reads the value of an option that is a whole number from 0. */
export function wholeNumber(max: number): (text: string) => number {
  return (text) => {
    const number = /^[0-9]{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (!(number <= max)) throw new InvalidArgumentError(`It must be a whole number from 0 to ${max}.`);
    return number;
  };
}
