/**
 * An experiment, never a test: this server beside a floor on the same file and machine, in interleaved rounds.
 *
 *   npm run bench -- [--full] [--transactions N] [--rounds N] [--milliseconds N]
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';

import { buildDatabase, type BenchData } from './data.js';
import { load, type Ask, type Load } from './load.js';

const { values: given } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    transactions: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    milliseconds: { type: 'string', default: '1500' },
  },
});
const TRANSACTIONS = Number(given.transactions ?? (given.full ? 1_000_000 : 200_000));
const ROUNDS = Number(given.rounds);
const MILLISECONDS = Number(given.milliseconds);

const say = (line: string): void => void process.stdout.write(`${line}\n`);

interface Side {
  readonly name: string;
  readonly url: string;
  readonly child: ChildProcess;
}

/** A child process that says where it listens. */
async function start(name: string, script: string, args: readonly string[], env: object): Promise<Side> {
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

interface Work {
  readonly name: string;
  readonly ask: Ask;
}

let created = 0;

function worksOf(data: BenchData): readonly Work[] {
  const get = (path: string, query = ''): Ask => ({
    method: 'GET',
    path: `/v1/${path}?access_token=${data.token}${query}`,
  });
  const week = `&status=success&since=${data.weekSince}&until=${data.weekUntil}`;
  const deep = Math.floor(TRANSACTIONS / 30 / 2);
  return [
    { name: 'list of 30 devices, exact total', ask: get('devices') },
    { name: 'one device', ask: get('devices/10000') },
    { name: 'transactions of a status and a week, page 1', ask: get('transactions', week) },
    { name: `transactions, page ${deep}`, ask: get('transactions', `&page=${deep}`) },
    {
      name: 'durable create of a device',
      ask: {
        ...get('devices'),
        method: 'POST',
        body: () => JSON.stringify({ serial_number: `NEW${(created += 1)}` }),
      },
    },
  ];
}

async function compareAnswers(sides: readonly Side[], works: readonly Work[]): Promise<void> {
  for (const { name, ask } of works.filter((work) => work.ask.method === 'GET')) {
    const answers = await Promise.all(
      sides.map(async ({ url }) => {
        const response = await fetch(url + ask.path);
        return (await response.json()) as unknown;
      }),
    );
    if (!isDeepStrictEqual(answers[0], answers[1])) {
      say(JSON.stringify(answers, null, 1).slice(0, 4_000));
      throw new Error(`The answers differ: ${name}`);
    }
  }
  say('The answers are the same.');
}

async function measure(sides: readonly Side[], works: readonly Work[]): Promise<Map<string, Load[]>> {
  const results = new Map<string, Load[]>();
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const work of works) {
      for (const side of sides) {
        const result = await load(side.url, work.ask, round === 0 ? MILLISECONDS / 3 : MILLISECONDS);
        // The first round warms up.
        if (round === 0) continue;
        const key = `${side.name} ${work.name}`;
        results.set(key, [...(results.get(key) ?? []), result]);
      }
    }
    say(round === 0 ? 'Warmed up.' : `Round ${round} of ${ROUNDS}.`);
  }
  return results;
}

const median = (numbers: readonly number[]): number => {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
};

function report(sides: readonly Side[], works: readonly Work[], results: Map<string, Load[]>): void {
  const rounded = (value: number): string => (value >= 100 ? String(Math.round(value)) : value.toFixed(1));
  const headings = ['', ...sides.flatMap(({ name }) => [`${name}/s`, 'p95 ms']), 'of floor'];
  const rows = works.map((work) => {
    const perSide = sides.map((side) => results.get(`${side.name} ${work.name}`) ?? []);
    const rates = perSide.map((loads) => median(loads.map((one) => one.perSecond)));
    const cells = perSide.flatMap((loads, side) => [
      rounded(rates[side] ?? 0),
      rounded(median(loads.map((one) => one.p95))),
    ]);
    return [work.name, ...cells, `${((rates[0] ?? 0) / (rates[1] ?? 1)).toFixed(2)} x`];
  });
  const table = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...table.map((row) => (row[column] ?? '').length)));
  for (const row of table) {
    say(
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  '),
    );
  }
}

const folder = mkdtempSync(join(tmpdir(), 'terminal-gateway-bench-'));
const sides: Side[] = [];
try {
  const file = join(folder, 'bench.db');
  say(`Building a database with ${TRANSACTIONS} transactions ...`);
  const data = await buildDatabase(file, TRANSACTIONS);
  const settings = { DATABASE_URL: `file:${file}`, PORT: '0', RATE_LIMIT_PER_HOUR: '0', LOG_LEVEL: 'warn' };
  sides.push(await start('server', '../../src/main.ts', ['serve'], settings));
  sides.push(await start('floor', 'floor.ts', [file], {}));
  const works = worksOf(data);
  await compareAnswers(sides, works);
  say(
    `Medians of ${ROUNDS} interleaved rounds of ${MILLISECONDS} ms, 32 connections, Node ${process.version}:`,
  );
  report(sides, works, await measure(sides, works));
} finally {
  for (const { child } of sides) {
    child.removeAllListeners('exit');
    if (child.exitCode !== null) continue;
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  rmSync(folder, { recursive: true, force: true });
}
