/**
 * The worst operations that the limits allow, on 200,000 devices and 1,000,000 transactions, while another company
 * reads one device at a steady rate and creates groups. Operations that have a size run in the largest one that is not
 * refused; the refusal of the next larger one is listed. Prints for each operation what it took and what the other company noticed of it.
 * Exits with 1 if the 99th percentile of the other company is above 100 ms during any of them. Not a test.
 *
 *   npm run bench:worst -- [--database FILE] [--scale N] [--seconds N] [--only PATTERN]
 *
 * FILE is built if it does not exist, and kept; the operations run on a copy of it. `--scale 0.05` makes it smaller. Run it
 * alone on a machine: the load of other programs is in every figure.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { readGauges } from '../support/gauges.js';
import { largeDatabase, type LargeData } from './hostile/large.js';
import { operationsOf } from './hostile/operations.js';
import type { Fitted, Repeated } from './hostile/repeat.js';
import { send } from './hostile/request.js';
import type { Operation } from './hostile/requests.js';
import { getInTurn, startSteady, watchOwnDelay, type Latencies } from './hostile/steady.js';
import { print, printTable, startWatchedGateway, withDatabaseFile } from './measure.js';

const { values: options } = parseArgs({
  options: {
    database: { type: 'string', default: join(tmpdir(), 'terminal-gateway-large.db') },
    scale: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '6' },
    only: { type: 'string', default: '' },
  },
});
const SECONDS = Number(options.seconds);
const LIMIT_MS = 100;
/** Requests of the other company each second. */
const RATE = 50;
const HEALTH_RATE = 10;
const WRITE_RATE = 10;
const SETTLE_MS = 500;

interface Attacked {
  readonly fitted: Fitted;
  /** Null if the limits allow no size. */
  readonly repeated: Repeated | null;
}

interface Attacker {
  /** Starts the operation; resolves to what came of it. */
  run(): Promise<Attacked>;
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
      return JSON.parse(await output) as Attacked;
    },
  };
}

const ms = (value: number): string => (value >= 10 ? Math.round(value).toString() : value.toFixed(1));

interface Row {
  readonly cells: readonly string[];
  readonly p99: number;
  /** Null if nothing larger than what ran is refused. */
  readonly refusal: readonly string[] | null;
}

type Server = Awaited<ReturnType<typeof startWatchedGateway>>;

/** The steady clients: those of the other company, and one of health. */
async function startOthers(url: string, { others: [{ devices, token }] }: LargeData) {
  const authorization = { authorization: `Bearer ${token}` };
  const paths = devices.map((id) => `/v1/devices/${id}`);
  const read = await getInTurn({ url, connections: 8 }, paths, authorization);
  const probe = await getInTurn({ url, connections: null }, ['/healthz']);
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const write = async (): Promise<number> => {
    const body = JSON.stringify({ name: `steady ${(created += 1)}` });
    const headers = { ...authorization, 'content-type': 'application/json' };
    const { result } = await send(url, { method: 'POST', path: '/v1/groups', headers, body }, agent);
    return Number(result.split(' ')[0]) || 0;
  };
  return () => {
    const clients = [
      startSteady(1_000 / RATE, read),
      startSteady(1_000 / WRITE_RATE, write),
      startSteady(1_000 / HEALTH_RATE, probe),
    ] as const;
    return async (): Promise<Latencies[]> => {
      const latencies = await Promise.all(clients.map((client) => client.stop()));
      agent.destroy();
      return latencies;
    };
  };
}

let created = 0;

async function measured(server: Server, data: LargeData, operation: Operation | null): Promise<Row> {
  const { url } = server;
  const attacker = operation === null ? null : await startAttacker(url, operation, data);
  const start = await startOthers(url, data);
  await readGauges(url);
  await server.longestTurn();
  const ownDelay = watchOwnDelay();
  const stop = start();
  const done = (await attacker?.run()) ?? null;
  // A short operation needs a few more requests for a percentile, and nothing else has run.
  await sleep(operation === null ? 4_000 : (operation.settleMs ?? SETTLE_MS));
  const [read, write, health] = (await stop()) as [Latencies, Latencies, Latencies];
  const gauges = await readGauges(url);
  const turn = await server.longestTurn();
  const name = operation?.name ?? 'nothing else';
  const { repeated = null, fitted = null } = done ?? {};
  const cells = [
    ...[name, operation?.most === undefined ? '' : String(fitted?.size)],
    ...(repeated === null ? ['', ''] : [ms(repeated.medianMs), ms(repeated.slowestMs)]),
    ...[ms(read.p50), ms(read.p99), ms(read.max), ms(write.p99), ms(write.max), ms(health.p99)],
    ...[ms(health.max), ms(turn), String(gauges.loopDelay), String(gauges.memory), ms(ownDelay())],
    [...outcomesOf(repeated), ...failuresOf('read', read), ...failuresOf('write', write)].join(', '),
  ];
  return { cells, p99: read.p99, refusal: done === null ? null : refusalOf(name, done) };
}

/** The refusal of the next larger size, or of the operation itself if it has no sizes. */
function refusalOf(name: string, { fitted, repeated }: Attacked): readonly string[] | null {
  if (fitted.refusal !== null) return [name, String(fitted.size + 1), fitted.refusal];
  const refused = Object.keys(repeated?.results ?? {}).find((result) => result.endsWith('too_many_records'));
  return refused === undefined ? null : [name, '', refused];
}

const outcomesOf = (repeated: Repeated | null): string[] =>
  Object.entries(repeated?.results ?? {}).map(([result, count]) => `${count} × ${result}`);

const failuresOf = (what: string, { statuses }: Latencies): string[] =>
  Object.entries(statuses)
    .filter(([status]) => !status.startsWith('2'))
    .map(([status, count]) => `other company's ${what}: ${count} × ${status}`);

const HEAD = [
  ...['operation', 'size', 'median', 'slowest', 'read p50', 'p99', 'max', 'write p99', 'max'],
  ...['health p99', 'max', 'turn', 'loop', 'MB', 'client', 'outcomes'],
];

await withDatabaseFile(async (file) => {
  print(`Preparing ${options.database} ...`);
  const data = await largeDatabase(join(dirname(file), 'large.db'), options.database, Number(options.scale));
  const server = await startWatchedGateway(join(dirname(file), 'large.db'));
  const operations = operationsOf(data).filter(({ name }) => new RegExp(options.only).test(name));
  const rows: Row[] = [];
  for (const operation of [null, ...operations]) {
    rows.push(await measured(server, data, operation));
    print(rows.at(-1)?.cells.join(' | ') ?? '');
  }
  print(
    `\nMilliseconds, except MB. The other company reads one device ${RATE} times a second and creates a group`,
  );
  print(
    `${WRITE_RATE} times; "turn" is the longest turn of the server's event loop in processor time, "loop" its longest`,
  );
  print(
    'delay, "client" that of the measuring client itself. "size" is the largest that the limits allow.\n',
  );
  printTable([HEAD, ...rows.map(({ cells }) => cells)]);
  print('\nRefused:\n');
  printTable([['operation', 'size', 'answer'], ...rows.flatMap(({ refusal }) => (refusal ? [refusal] : []))]);
  const above = rows.filter(({ p99 }) => p99 > LIMIT_MS);
  print(
    `\nOperations with a 99th percentile of the other company above ${LIMIT_MS} ms: ${above.length} of ${operations.length}.`,
  );
  process.exitCode = above.length === 0 ? 0 : 1;
});
