/**
 * Measures the cost of operations on PostgreSQL and on a SQLite file with the same records, as processor time of the
 * server and of PostgreSQL, in interleaved rounds. `--save` stores the figures for `npm run bench:sizing`. Not a test.
 *
 *   npm run bench:postgres -- [--full] [--save]
 *
 * `--full` measures a million transactions.
 */
import { cpus, loadavg } from 'node:os';

import { killPrograms } from '../support/program.js';
import { buildDatabase } from './data.js';
import { copyToPostgres, type Postgres } from './postgres/copy.js';
import { operationsOf, saveCosts, type Cost, type Operations } from './postgres/operations.js';
import { runLoad, type Request, type Rounds } from './requests.js';
import { print, printTable, processorTime, startServer, withDatabaseFile } from './servers.js';
import type { BenchServer } from './servers.js';

const [isFull, isSaved] = ['--full', '--save'].map((name) => process.argv.includes(name));
const ROUND_COUNT = 4;
const ROUNDS: Rounds = { milliseconds: 1_500, connections: 16 };
const SIZES = { devices: 20_000, transactions: isFull ? 1_000_000 : 100_000, wide: 0, others: 10 };

/** A server, and the PostgreSQL that it uses; null for a SQLite file. */
interface Measured {
  readonly server: BenchServer;
  readonly postgres: Postgres | null;
}

async function measureOnce({ server, postgres }: Measured, next: () => Request, of: Rounds): Promise<Cost> {
  const stats = async (): Promise<Omit<Cost, 'perSecond'>> => ({
    node: processorTime(server.pid) * 1e6,
    database: postgres === null ? 0 : processorTime(postgres.pid) * 1e6,
    log: Number((await postgres?.first(LOG_POSITION))?.bytes ?? 0),
  });
  const before = await stats();
  const { requests, perSecond } = await runLoad(server.url, next, of);
  const after = await stats();
  const per = (figure: keyof typeof after): number => Math.round((after[figure] - before[figure]) / requests);
  return { perSecond: Math.round(perSecond), node: per('node'), database: per('database'), log: per('log') };
}

const LOG_POSITION = "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text as bytes";

/** The highest rate and the lowest costs. */
function best(costs: readonly Cost[]): Cost {
  const least = (figure: keyof Cost): number => Math.min(...costs.map((cost) => cost[figure]));
  const perSecond = Math.max(...costs.map((cost) => cost.perSecond));
  return { perSecond, node: least('node'), database: least('database'), log: least('log') };
}

type OperationCosts = Readonly<Record<string, Cost>>;

const bestOf = (rounds: ReadonlyMap<string, readonly Cost[]>): OperationCosts =>
  Object.fromEntries([...rounds].map(([name, costs]) => [name, best(costs)]));

/** Costs by operation. The first round only warms up. */
async function measureAll(
  operations: Operations,
  servers: { readonly postgres: Measured; readonly sqlite: Measured },
): Promise<{ readonly postgres: OperationCosts; readonly sqlite: OperationCosts }> {
  const costs = { postgres: new Map<string, Cost[]>(), sqlite: new Map<string, Cost[]>() };
  for (let round = 0; round <= ROUND_COUNT; round += 1) {
    const rounds = round === 0 ? { ...ROUNDS, milliseconds: ROUNDS.milliseconds / 3 } : ROUNDS;
    for (const [name, next] of Object.entries(operations)) {
      for (const on of ['postgres', 'sqlite'] as const) {
        const cost = await measureOnce(servers[on], next, rounds);
        if (round > 0) costs[on].set(name, [...(costs[on].get(name) ?? []), cost]);
      }
    }
    print(`Round ${round} of ${ROUND_COUNT}, load ${loadavg()[0]?.toFixed(1)}`);
  }
  return { postgres: bestOf(costs.postgres), sqlite: bestOf(costs.sqlite) };
}

/** Bytes of a row of a table with its indexes. */
async function rowBytes(postgres: Postgres, table: string): Promise<number> {
  const query = `select (pg_total_relation_size('${table}') / greatest(count(*), 1))::int as bytes from ${table}`;
  return Number((await postgres.first(query)).bytes);
}

function printCosts(postgres: OperationCosts, sqlite: OperationCosts): void {
  const headings = ['', 'pg/s', 'node us', 'postgres us', 'log B', 'sqlite/s', 'node us'];
  const rows = Object.entries(postgres).map(([name, { perSecond, node, database, log }]) =>
    [name, perSecond, node, database, log, sqlite[name]?.perSecond, sqlite[name]?.node].map(String),
  );
  printTable([headings, ...rows]);
}

/** When, on what and beside what was measured. */
const measured = () => ({
  date: new Date().toISOString().slice(0, 10),
  node: process.version,
  rounds: ROUND_COUNT,
  processor: cpus()[0]?.model ?? '',
  processors: cpus().length,
  load: loadavg()[0]?.toFixed(1) ?? '',
  devices: SIZES.devices,
  transactions: SIZES.transactions,
  companies: SIZES.others,
});

async function compareDatabases(file: string): Promise<void> {
  print(`Building databases of ${SIZES.devices} devices and ${SIZES.transactions} transactions ...`);
  const operations = operationsOf(await buildDatabase(file, SIZES));
  const postgres = await copyToPostgres(file);
  try {
    const servers = {
      postgres: { server: await startServer(postgres.url), postgres },
      sqlite: { server: await startServer(`file:${file}`), postgres: null },
    };
    const transaction = await rowBytes(postgres, 'transactions');
    const device = await rowBytes(postgres, 'devices');
    const costs = await measureAll(operations, servers);
    printCosts(costs.postgres, costs.sqlite);
    const bytes = { transaction, ledgerEntry: await rowBytes(postgres, 'ledger'), device };
    print(JSON.stringify({ measured: measured(), bytes }, null, 1));
    if (isSaved) saveCosts({ measured: measured(), operations: costs.postgres, bytes });
  } finally {
    await killPrograms();
    await postgres.stop();
  }
}

await withDatabaseFile(compareDatabases);
