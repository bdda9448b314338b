import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

import { load, type Ask, type Load } from './load.js';

export const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** One of the servers that are measured beside each other. */
export interface Side {
  readonly name: string;
  readonly url: string;
  readonly child: ChildProcess;
}

/** A child process that says where it listens. */
export async function start(
  name: string,
  script: string,
  args: readonly string[],
  env: object,
): Promise<Side> {
  const path = new URL(script, import.meta.url).pathname;
  const child = spawn(process.execPath, ['--import', 'tsx', path, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  return await new Promise((resolve, reject) => {
    child.on('exit', () => reject(new Error(`${name} ended: ${said}`)));
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        const url = /listens on (http:\S+)/.exec(said)?.[1];
        if (url !== undefined) resolve({ name, url, child });
      });
    }
  });
}

export async function stop({ child }: Side): Promise<void> {
  child.removeAllListeners('exit');
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

export interface Work {
  readonly name: string;
  readonly ask: Ask;
}

export interface Rounds {
  readonly rounds: number;
  readonly milliseconds: number;
  readonly connections: number;
}

/** Every side at every work, turn by turn; the first round warms up. */
export async function measure(
  sides: readonly Side[],
  works: readonly Work[],
  { rounds, milliseconds, connections }: Rounds,
): Promise<Map<string, Load[]>> {
  const results = new Map<string, Load[]>();
  for (let round = 0; round <= rounds; round += 1) {
    for (const work of works) {
      for (const side of sides) {
        const result = await load(side.url, work.ask, {
          milliseconds: round === 0 ? milliseconds / 3 : milliseconds,
          connections,
        });
        if (round === 0) continue;
        const key = `${side.name} ${work.name}`;
        results.set(key, [...(results.get(key) ?? []), result]);
      }
    }
    say(round === 0 ? 'Warmed up.' : `Round ${round} of ${rounds}.`);
  }
  return results;
}

export const median = (numbers: readonly number[]): number => {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
};

/** Medians of each side, and how many times as fast as the second side the first one is. */
export function report(
  [first, second]: readonly [Side, Side],
  works: readonly Work[],
  results: ReadonlyMap<string, readonly Load[]>,
): void {
  const sides = [first, second];
  const rounded = (value: number): string => (value >= 100 ? String(Math.round(value)) : value.toFixed(1));
  const headings = [
    '',
    ...sides.flatMap(({ name }) => [`${name}/s`, 'p50 ms', 'p95 ms']),
    `of ${second.name}`,
  ];
  const rows = works.map((work) => {
    const perSide = sides.map((side) => results.get(`${side.name} ${work.name}`) ?? []);
    const rates = perSide.map((loads) => median(loads.map((one) => one.perSecond)));
    const cells = perSide.flatMap((loads, side) => [
      rounded(rates[side] ?? 0),
      rounded(median(loads.map((one) => one.p50))),
      rounded(median(loads.map((one) => one.p95))),
    ]);
    return [work.name, ...cells, `${((rates[0] ?? 0) / (rates[1] ?? 1)).toFixed(2)} x`];
  });
  print([headings, ...rows]);
}

function print(table: readonly (readonly string[])[]): void {
  const widths =
    table[0]?.map((_, column) => Math.max(...table.map((row) => (row[column] ?? '').length))) ?? [];
  for (const row of table) {
    const cells = row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
    say(cells.join('  '));
  }
}
