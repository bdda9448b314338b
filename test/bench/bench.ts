/**
 * Compares this server with a minimal one on the same database and machine, in interleaved rounds. Not a test.
 *
 *   npm run bench:rest -- [--full] [--transactions N] [--rounds N] [--milliseconds N]
 */
import { isDeepStrictEqual, parseArgs } from 'node:util';

import { buildDatabase, type BenchData } from './data.js';
import type { BenchRequest } from './load.js';
import {
  compare,
  print,
  start,
  startGateway,
  withDatabaseFile,
  type Scenario,
  type Servers,
} from './measure.js';
import { compareFilters } from './transaction-filters.js';

const { values: options } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    transactions: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    milliseconds: { type: 'string', default: '1500' },
  },
});
const TRANSACTIONS = Number(options.transactions ?? (options.full ? 1_000_000 : 200_000));
const ROUNDS = {
  rounds: Number(options.rounds),
  milliseconds: Number(options.milliseconds),
  connections: 32,
};

let created = 0;

function scenariosOf(data: BenchData): readonly Scenario[] {
  const get = (path: string, query = ''): BenchRequest => ({
    method: 'GET',
    path: `/v1/${path}?access_token=${data.token}${query}`,
  });
  const week = `&status=success&since=${data.weekSince}&until=${data.weekUntil}`;
  const middlePage = Math.floor(TRANSACTIONS / 30 / 2);
  return [
    { name: 'list of 30 devices, exact total', request: get('devices') },
    { name: 'one device', request: get('devices/10000') },
    { name: 'transactions of a status and a week, page 1', request: get('transactions', week) },
    { name: `transactions, page ${middlePage}`, request: get('transactions', `&page=${middlePage}`) },
    {
      name: 'durable create of a device',
      request: {
        ...get('devices'),
        method: 'POST',
        body: () => JSON.stringify({ serial_number: `NEW${(created += 1)}` }),
      },
    },
  ];
}

async function requireSameResponses(servers: Servers, scenarios: readonly Scenario[]): Promise<void> {
  for (const { name, request } of scenarios.filter((scenario) => scenario.request.method === 'GET')) {
    const responses = await Promise.all(
      servers.map(async ({ url }) => {
        const response = await fetch(url + request.path);
        const body: unknown = await response.json();
        return body;
      }),
    );
    if (!isDeepStrictEqual(responses[0], responses[1])) {
      print(JSON.stringify(responses, null, 1).slice(0, 4_000));
      throw new Error(`The responses differ: ${name}`);
    }
  }
  print('The responses are the same.');
}

await withDatabaseFile(async (file) => {
  print(`Building a database with ${TRANSACTIONS} transactions ...`);
  const data = await buildDatabase(file, TRANSACTIONS);
  const scenarios = scenariosOf(data);
  const servers = [await startGateway(file), await start('baseline', 'baseline.ts', [file], {})] as const;
  await requireSameResponses(servers, scenarios);
  await compare(servers, scenarios, ROUNDS);
  await compareFilters(servers[0], data, ROUNDS);
});
