import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { killPrograms, startProgram } from '../support/program.js';

/** Options of a script that are numbers, for example `--rows 500`; others have the defaults. */
export function numbersOf<Key extends string>(defaults: Readonly<Record<Key, number>>): Record<Key, number> {
  const options = Object.fromEntries(Object.keys(defaults).map((key) => [key, { type: 'string' }] as const));
  const given = Object.entries(parseArgs({ options }).values).map(([name, text]) => [name, Number(text)]);
  return { ...defaults, ...(Object.fromEntries(given) as Partial<Record<Key, number>>) };
}

export const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Prints rows of equal length; the first one has the headings. */
export function printTable(table: readonly (readonly string[])[]): void {
  const widths =
    table[0]?.map((_, column) => Math.max(...table.map((row) => (row[column] ?? '').length))) ?? [];
  for (const row of table) {
    const cells = row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
    print(cells.join('  '));
  }
}

/**
 * Builds the program and calls `use` with the path of a database to create; afterwards stops all servers and deletes the
 * folder of the database.
 */
export async function withDatabaseFile(use: (file: string) => Promise<void>): Promise<void> {
  execFileSync('npm', ['run', '-s', 'build']);
  const folder = mkdtempSync(join(tmpdir(), 'terminal-gateway-bench-'));
  try {
    await use(join(folder, 'bench.db'));
  } finally {
    await killPrograms();
    rmSync(folder, { recursive: true, force: true });
  }
}

export type BenchServer = Awaited<ReturnType<typeof startServer>>;

/** Starts the built program on a database as `npm start` does, without rate limit, and waits until it serves GraphQL. */
export async function startServer(databaseUrl: string, environment: Readonly<Record<string, string>> = {}) {
  const { url, pid } = await startProgram(databaseUrl, {
    environment: { LOG_LEVEL: 'warn', ...environment },
    nodeOptions: flagsOfStart(),
  });
  while ((await fetch(`${url}/readyz`)).status !== 200) await sleep(50);
  return { url, pid };
}

/** Options of Node in the script `start`. */
export function flagsOfStart(): readonly string[] {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { scripts } = JSON.parse(text) as { readonly scripts: { readonly start: string } };
  return scripts.start.match(/--\S+/g) ?? [];
}

/** Linux counts processor time in hundredths of a second for programs, on all common processors. */
const SECONDS_PER_TICK = 0.01;

interface ProcessTimes {
  readonly parent: number;
  /** Processor time of the process, its threads and its ended children, in clock ticks. */
  readonly ticks: number;
}

/** Null if there is no such process. */
function timesOf(pid: number): ProcessTimes | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The name of the program may contain spaces; it ends with the last parenthesis.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { parent: Number(fields[1]), ticks };
}

/** Throws if there is no such process. */
export function parentOf(pid: number): number {
  const times = timesOf(pid);
  if (times === null) throw new Error(`There is no process ${pid}.`);
  return times.parent;
}

/** Processor time of a process and its children since they were started, in seconds. */
export function processorTime(root: number): number {
  let ticks = 0;
  for (const name of readdirSync('/proc')) {
    const times = /^\d+$/.test(name) ? timesOf(Number(name)) : null;
    if (times !== null && (Number(name) === root || times.parent === root)) ticks += times.ticks;
  }
  return ticks * SECONDS_PER_TICK;
}
