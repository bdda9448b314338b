import { type Command, InvalidArgumentError } from 'commander';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';

import { SECOND, systemClock } from '../platform/clock.js';
import type { Environment } from '../platform/config/config.js';
import { parseDatabaseUrl, type DatabaseUrl } from '../platform/config/database-url.js';
import { ConfigError } from '../platform/config/parsing.js';
import { EXIT } from './command-error.js';

export interface CommandIo {
  readonly environment: Environment;
  /** How the user can start the program again, for advice: `terminal-gateway` or `node dist/boot.js`. */
  readonly program: string;
  /** Writes a line of the command's result to standard output. */
  readonly print: (line: string) => void;
  /** Writes any other line to standard error: notices, progress, errors. */
  readonly notice: (line: string) => void;
  readonly readInput: () => Promise<string>;
  /** Makes a callback that writes a notice at each 10 %, for example `Copying: 30 %`. */
  readonly progress: (label: string) => (done: number, total: number) => void;
}

/** A line without control characters of names and values, which a terminal would obey. */
const shown = (line: string): string =>
  `${line.replace(/[^\P{Cc}\n\t]/gu, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;

const STEPS = 10;

export function createCommandIo(
  environment: Environment,
  program: string,
  streams: { readonly stdin: Readable; readonly stdout: Writable; readonly stderr: Writable },
): CommandIo {
  const notice = (line: string): void => void streams.stderr.write(shown(line));
  return {
    environment,
    program,
    notice,
    print: (line) => void streams.stdout.write(shown(line)),
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

/** Output of a command: `value` as one line of JSON if the option `--json` is given, otherwise `lines`. */
export interface Result {
  readonly value: unknown;
  readonly lines: readonly string[];
  /** Line for standard error, unless `--json` is given. */
  readonly notice?: string | undefined;
  /** Error that ends the command after its result was printed. */
  readonly failure?: Error | undefined;
}

export interface JsonOption {
  readonly json?: true;
}

/** Runs a command; `argument` is its first argument, or empty. Null if it has printed its result itself. */
export type Run<O> = (options: O, argument: string, io: CommandIo) => Promise<Result | null>;

/** Adds a command with the option `--json` to a group; it prints what `run` resolves to. */
export type AddCommand = <O extends JsonOption>(name: string, description: string, run: Run<O>) => Command;

export const addTo =
  (group: Command, io: CommandIo): AddCommand =>
  <O extends JsonOption>(name: string, description: string, run: Run<O>) => {
    const command = group.command(name).description(description).option('--json', 'print JSON');
    return command.action(async () => {
      const options = command.opts<O>();
      const result = await run(options, command.args[0] ?? '', io);
      if (result === null) return;
      const { value, lines, notice, failure } = result;
      if (notice !== undefined && options.json !== true) io.notice(notice);
      for (const line of options.json === true ? [JSON.stringify(value)] : lines) io.print(line);
      if (failure !== undefined) throw failure;
    });
  };

type Cell = string | number | null | undefined;

/** Formats headings and rows as text columns of equal width. */
export function table(headings: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const all = [headings, ...rows].map((row) => row.map((cell) => String(cell ?? '')));
  const widths = headings.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
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

/** The database of an option. Errors: `ConfigError`. */
export function databaseOf(option: string, value: string, passwordFile?: string): DatabaseUrl {
  try {
    return parseDatabaseUrl(value, passwordFile);
  } catch (error) {
    throw new ConfigError([`${option}: ${(error as Error).message}`]);
  }
}

/**
 * One Ctrl-C or one stop of a service manager can arrive several times: sent to the whole process group, and
 * forwarded by npm and by `boot.ts`. Signals within this time are one. The npm scripts begin with `exec`: a
 * shell in between would die of the signal and leave the server behind.
 */
const REPEATED_MS = 2 * SECOND;

/** Resolves at the first signal. Later ones change nothing, but a SIGINT (Ctrl-C) ends the process at once. */
export function waitForStopSignal(signals: readonly NodeJS.Signals[]): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    for (const signal of signals) {
      process.on(signal, () => {
        const now = systemClock.elapsed();
        firstAt ??= now;
        if (signal === 'SIGINT' && now - firstAt > REPEATED_MS) process.exit(EXIT.failed);
        resolve(signal);
      });
    }
  });
}
