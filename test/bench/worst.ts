/**
 * The worst operations that the limits allow, on 200,000 devices and 1,000,000 transactions, while another company
 * reads one device at a steady rate. Prints for each operation what it took and what the other company noticed of it.
 * Exits with 1 if the 99th percentile of the other company is above 100 ms during any of them. Not a test.
 *
 *   npm run bench:worst -- [--database FILE] [--seconds N] [--only PATTERN]
 *
 * FILE is built if it does not exist, and kept; the operations run on a copy of it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

import { readGauges } from '../support/gauges.js';
import { largeDatabase, type LargeData } from './hostile/large.js';
import { operationsOf } from './hostile/operations.js';
import type { Operation } from './hostile/requests.js';
import type { Repeated } from './hostile/repeat.js';
import { getInTurn, startSteady, watchOwnDelay } from './hostile/steady.js';
import { print, printTable, startGateway, withDatabaseFile } from './measure.js';

const { values: options } = parseArgs({
  options: {
    database: { type: 'string', default: join(tmpdir(), 'terminal-gateway-large.db') },
    seconds: { type: 'string', default: '6' },
    only: { type: 'string', default: '' },
  },
});
const SECONDS = Number(options.seconds);
const LIMIT_MS = 100;
/** Requests of the other company each second. */
const RATE = 50;
const HEALTH_RATE = 10;
const SETTLE_MS = 500;

interface Attacker {
  /** Starts the operation; resolves to what came of it. */
  run(): Promise<Repeated>;
}

/** Starts the process of an attacker and waits until it is loaded. */
async function startAttacker(url: string, { name }: Operation, data: LargeData): Promise<Attacker> {
  const script = new URL('attacker.ts', import.meta.url).pathname;
  const args = ['--import', 'tsx', script, url, name, String(SECONDS * 1_000), JSON.stringify(data)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  await once(child.stdout, 'data');
  return {
    run: async () => {
      const output = text(child.stdout);
      child.stdin.end('start');
      const [code] = (await ended) as [number];
      if (code !== 0) throw new Error(`The attacker of "${name}" ended with ${code}`);
      return JSON.parse(await output) as Repeated;
    },
  };
}

const ms = (value: number): string => (value >= 10 ? Math.round(value).toString() : value.toFixed(1));

interface Row {
  readonly cells: readonly string[];
  readonly p99: number;
}

async function measured(url: string, data: LargeData, operation: Operation | null): Promise<Row> {
  const [{ devices, token }] = data.others;
  const paths = devices.map((id) => `/v1/devices/${id}`);
  const read = await getInTurn({ url, connections: 8 }, paths, { authorization: `Bearer ${token}` });
  const probe = await getInTurn({ url, connections: null }, ['/healthz']);
  const attacker = operation === null ? null : await startAttacker(url, operation, data);
  await readGauges(url);
  const ownDelay = watchOwnDelay();
  const other = startSteady(1_000 / RATE, read);
  const health = startSteady(1_000 / HEALTH_RATE, probe);
  const done = (await attacker?.run()) ?? null;
  // A short operation needs a few more requests for a percentile, and nothing else has run.
  await new Promise((resolve) => setTimeout(resolve, operation === null ? 4_000 : SETTLE_MS));
  const [others, healths, gauges] = [await other.stop(), await health.stop(), await readGauges(url)];
  const failed = Object.entries(others.statuses).filter(([status]) => status !== '200');
  const outcomes = Object.entries(done?.results ?? {}).map(([result, count]) => `${count} × ${result}`);
  const problems = failed.map(([status, count]) => `other company: ${count} × ${status}`);
  const cells = [
    ...[
      operation?.name ?? 'nothing else',
      done === null ? '' : ms(done.medianMs),
      done === null ? '' : ms(done.slowestMs),
    ],
    ...[ms(others.p50), ms(others.p99), ms(others.max), ms(healths.p99), ms(healths.max)],
    ...[String(gauges.loopDelay), String(gauges.memory), ms(ownDelay())],
    [...outcomes, ...problems].join(', '),
  ];
  return { cells, p99: others.p99 };
}

const HEAD = [
  ...[
    'operation',
    'median',
    'slowest',
    'other p50',
    'p99',
    'max',
    'health p99',
    'max',
    'loop',
    'MB',
    'client',
  ],
  'outcomes',
];

await withDatabaseFile(async (file) => {
  print(`Preparing ${options.database} ...`);
  const data = await largeDatabase(join(dirname(file), 'large.db'), options.database);
  const { url } = await startGateway(join(dirname(file), 'large.db'));
  const operations = operationsOf(data).filter(({ name }) => new RegExp(options.only).test(name));
  const rows: Row[] = [];
  for (const operation of [null, ...operations]) {
    rows.push(await measured(url, data, operation));
    print(rows.at(-1)?.cells.join(' | ') ?? '');
  }
  print(
    `\nMilliseconds, except MB. The other company reads one device ${RATE} times a second; "loop" is the longest`,
  );
  print('delay of the server\'s event loop, "client" that of the measuring client itself.\n');
  printTable([HEAD, ...rows.map(({ cells }) => cells)]);
  const above = rows.filter(({ p99 }) => p99 > LIMIT_MS);
  print(
    `\nOperations with a 99th percentile of the other company above ${LIMIT_MS} ms: ${above.length} of ${operations.length}.`,
  );
  process.exitCode = above.length === 0 ? 0 : 1;
});
