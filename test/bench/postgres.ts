/**
 * Measures the cost of operations on PostgreSQL and on a SQLite file with the same records, as processor time
 * of the server and of PostgreSQL, in interleaved rounds. Not a test. `--save` stores the figures for
 * `npm run bench:sizing`.
 *
 *   npm run bench:postgres -- [--full] [--rounds N] [--milliseconds N] [--save]
 */
import { execFileSync } from 'node:child_process';
import { cpus, loadavg } from 'node:os';
import { isDeepStrictEqual, parseArgs } from 'node:util';

import { print, printTable, start, stopServers, withDatabaseFile, type Scenario } from './measure.js';
import { saveCosts, type Costs } from './postgres/costs.js';
import { createOf, nestedQuery, operationsOf } from './postgres/operations.js';
import { copyToPostgres, fillFile, startNode, type Filled, type Place } from './postgres/places.js';
import { best, measureOnce, type Cost, type Measured } from './postgres/rounds.js';

const { values: options } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '4' },
    milliseconds: { type: 'string', default: '1500' },
    save: { type: 'boolean', default: false },
  },
});
const ROUNDS = { milliseconds: Number(options.milliseconds), connections: 16 };
const SIZES = { devices: 20_000, transactions: options.full ? 1_000_000 : 100_000, companies: 10 };

interface Task {
  readonly on: Measured;
  readonly scenario: Scenario;
}

type Results = Record<string, Record<string, Cost>>;

/** The first round only warms up. */
async function measureAll(tasks: readonly Task[]): Promise<Results> {
  const costs = new Map<Task, Cost[]>(tasks.map((task) => [task, []]));
  for (let round = 0; round <= Number(options.rounds); round += 1) {
    const rounds = round === 0 ? { ...ROUNDS, milliseconds: ROUNDS.milliseconds / 3 } : ROUNDS;
    for (const task of tasks) {
      const cost = await measureOnce(task.on, task.scenario.request, rounds);
      if (round > 0) costs.get(task)?.push(cost);
    }
    print(`Round ${round} of ${options.rounds}, load ${loadavg()[0]?.toFixed(1)}`);
  }
  const results: Results = {};
  for (const [{ on, scenario }, measured] of costs) {
    (results[on.server.name] ??= {})[scenario.name] = best(measured);
  }
  return results;
}

function tasksOf(data: Filled, postgres: Measured, sqlite: Measured, oneStatement: Measured): Task[] {
  let turn = 0;
  const nextToken = (): string => data.tokens[(turn += 1) % data.tokens.length] ?? '';
  const writers = [
    { name: 'creates of one company', request: createOf(() => data.tokens[0] ?? '') },
    { name: 'creates of ten companies', request: createOf(nextToken) },
  ];
  const both = [...operationsOf(data), ...writers].flatMap((scenario) =>
    [postgres, sqlite].map((on) => ({ on, scenario })),
  );
  const alone = operationsOf(data).filter(({ name }) => /^list|^nested/.test(name));
  return [...both, ...alone.map((scenario) => ({ on: oneStatement, scenario }))];
}

/** The nested query must have the same response on all of them. */
async function requireSameResponses(measured: readonly Measured[], token: string): Promise<void> {
  const { path, body, headers } = nestedQuery(token);
  const responses = await Promise.all(
    measured.map(async ({ server }) => {
      const response = await fetch(server.url + path, {
        method: 'POST',
        body: body?.() ?? '',
        headers: { ...headers },
      });
      const { data } = (await response.json()) as { data: unknown };
      return data;
    }),
  );
  const differs = responses.findIndex((response) => !isDeepStrictEqual(response, responses[0]));
  if (differs !== -1) throw new Error(`The response of ${measured[differs]?.server.name} differs.`);
}

function printResults({ PostgreSQL: postgres = {}, SQLite: sqlite = {}, ...others }: Results): void {
  const rows = Object.entries(postgres).map(([name, cost]) => {
    const file = sqlite[name];
    const other = Object.values(others)[0]?.[name];
    return [
      ...[name, cost.perSecond, cost.node, cost.database, cost.log],
      ...[file?.perSecond ?? '', file?.node ?? ''],
      ...[other?.perSecond ?? '', other?.node ?? '', other?.database ?? ''],
    ].map(String);
  });
  const headings = ['pg/s', 'node us', 'postgres us', 'log B', 'sqlite/s', 'node us'];
  printTable([['', ...headings, 'one statement/s', 'node us', 'postgres us'], ...rows]);
}

async function bytesOf(place: Place): Promise<Costs['bytes']> {
  const perRow = async (table: string): Promise<number> => {
    const rows = await place.query<{ bytes: number }>(
      `select (pg_total_relation_size('${table}') / greatest(count(*), 1))::int as bytes from ${table}`,
    );
    return rows[0]?.bytes ?? 0;
  };
  return {
    transaction: await perRow('transactions'),
    ledgerEntry: await perRow('ledger'),
    device: await perRow('devices'),
  };
}

async function compareDatabases(file: string): Promise<void> {
  execFileSync('npm', ['run', '-s', 'build']);
  print(`Building databases of ${SIZES.devices} devices and ${SIZES.transactions} transactions ...`);
  const data = await fillFile(file, SIZES);
  const place = await copyToPostgres(file);
  try {
    const postgres = { server: await startNode('PostgreSQL', place.url), place };
    const sqlite = { server: await startNode('SQLite', `file:${file}`), place: null };
    const script = './postgres/one-statement.ts';
    const oneStatement = { server: await start('one statement', script, [place.adminUrl], {}), place };
    await requireSameResponses([postgres, sqlite, oneStatement], data.token);
    const bytes = await bytesOf(place);
    const results = await measureAll(tasksOf(data, postgres, sqlite, oneStatement));
    printResults(results);
    const measured = {
      ...{ date: new Date().toISOString().slice(0, 10), node: process.version, rounds: options.rounds },
      ...{
        processor: cpus()[0]?.model ?? '',
        processors: cpus().length,
        load: loadavg()[0]?.toFixed(1) ?? '',
      },
      ...SIZES,
    };
    const sizes = { ...bytes, ledgerEntry: (await bytesOf(place)).ledgerEntry };
    print(JSON.stringify({ measured, bytes: sizes }, null, 1));
    if (options.save) saveCosts({ measured, servers: results, bytes: sizes });
  } finally {
    await stopServers();
    await place.stop();
  }
}

await withDatabaseFile(compareDatabases);
