import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';

import type { Environment } from '../platform/config/config.js';

/** What a command has of the world around the process. */
export interface CommandIo {
  readonly environment: Environment;
  /** How this program was called, to be repeated in advice. */
  readonly program: string;
  /** A line of what was asked for. */
  readonly print: (line: string) => void;
  /** A line about it, aside from the answer. */
  readonly note: (line: string) => void;
  /** All of standard input. */
  readonly readInput: () => Promise<string>;
  /** Says now and then how far long work is. */
  readonly progress: (what: string) => (done: number, total: number) => void;
}

export interface StandardStreams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
}

const STEPS = 10;

export function createCommandIo(
  environment: Environment,
  program: string,
  streams: StandardStreams,
): CommandIo {
  const note = (line: string): void => void streams.stderr.write(`${line}\n`);
  return {
    environment,
    program,
    note,
    print: (line) => void streams.stdout.write(`${line}\n`),
    readInput: () => text(streams.stdin),
    progress: (what) => {
      let said = 0;
      return (done, total) => {
        const step = total === 0 ? STEPS : Math.floor((done * STEPS) / total);
        if (step <= said) return;
        said = step;
        note(`${what}: ${Math.floor((step * 100) / STEPS)} %`);
      };
    },
  };
}

/** Rows under their headings, in columns. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
