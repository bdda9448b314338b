/**
 * An experiment, never a test: this server beside a floor on the same file and machine, in interleaved rounds.
 *
 *   npm run bench -- [--full] [--transactions N] [--rounds N] [--milliseconds N]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';

import { buildDatabase, type BenchData } from './data.js';
import type { Ask } from './load.js';
import { measure, report, say, start, stop, type Side, type Work } from './sides.js';

const { values: given } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    transactions: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    milliseconds: { type: 'string', default: '1500' },
  },
});
const TRANSACTIONS = Number(given.transactions ?? (given.full ? 1_000_000 : 200_000));
const ROUNDS = { rounds: Number(given.rounds), milliseconds: Number(given.milliseconds), connections: 32 };

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

const folder = mkdtempSync(join(tmpdir(), 'terminal-gateway-bench-'));
const sides: Side[] = [];
try {
  const file = join(folder, 'bench.db');
  say(`Building a database with ${TRANSACTIONS} transactions ...`);
  const data = await buildDatabase(file, TRANSACTIONS);
  const settings = { DATABASE_URL: `file:${file}`, PORT: '0', RATE_LIMIT_PER_HOUR: '0', LOG_LEVEL: 'warn' };
  const server = await start('server', '../../src/main.ts', ['serve'], settings);
  sides.push(server);
  const floor = await start('floor', 'floor.ts', [file], {});
  sides.push(floor);
  const works = worksOf(data);
  await compareAnswers(sides, works);
  say(
    `Medians of ${ROUNDS.rounds} interleaved rounds of ${ROUNDS.milliseconds} ms, 32 connections, Node ${process.version}:`,
  );
  report([server, floor], works, await measure(sides, works, ROUNDS));
} finally {
  for (const side of sides) await stop(side);
  rmSync(folder, { recursive: true, force: true });
}
