/**
 * Measures the conditions of alert rules on a SQLite file and on PostgreSQL with the same records: what one evaluation of a
 * rule takes, for each kind. Not a test.
 *
 *   npm run bench:alerts -- [--devices N] [--transactions N] [--times N]
 */
import Sqlite from 'better-sqlite3';

import { loadSchema } from '../../src/app/export-schedules.js';
import { createServerProcess } from '../../src/cli/run-server.js';
import { alertKinds } from '../../src/domain/base/alert/alert.service.js';
import { keptConditionOf } from '../../src/graphql/schema/target.js';
import { DAY, HOUR, MINUTE } from '../../src/platform/clock.js';
import { readConfig } from '../../src/platform/config/config.js';
import { localCaller } from '../../src/platform/requests.js';
import { databaseEnvironment } from '../support/config.js';
import { at, timed } from './beside.js';
import { onBoth } from './both-databases.js';
import { buildDatabase } from './data.js';
import { numbersOf, print, printTable, withDatabaseFile } from './servers.js';

const { devices, transactions, times } = numbersOf({ devices: 200_000, transactions: 2_000_000, times: 5 });

const group = { group: { eq: Buffer.from('Group:7').toString('base64url') } };
const shop = { fromHour: 8, toHour: 22, timeZone: 'America/Sao_Paulo' };

/** Conditions by what the table calls them. */
const CONDITIONS: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  'silent for an hour': { silent: { percent: 20, silentFor: HOUR } },
  'the same in the hours of shops': { silent: { percent: 20, silentFor: HOUR, ...shop } },
  'low battery': { lowBattery: { percent: 20, below: 15 } },
  'low battery in a group': { lowBattery: { percent: 20, below: 15, filter: group } },
  'low approval in an hour': { lowApproval: { below: 50, minPayments: 20, within: HOUR } },
  'low approval in a day, of each terminal': {
    lowApproval: { below: 50, minPayments: 1, within: DAY, count: 1 },
  },
  'no payments for 4 hours': { noPayments: { percent: 50, lasting: 4 * HOUR } },
  'the same in the hours of shops, in a group': {
    noPayments: { percent: 50, lasting: 4 * HOUR, ...shop, filter: group },
  },
  'large payments in a day': { largePayments: { above: 90_000, within: DAY, count: 1 } },
  'high sales in a day': { highSales: { above: 1_000_000_000, within: DAY } },
  'high sales in a day, of each terminal': { highSales: { above: 1_000_000, within: DAY, count: 1 } },
  'failed deliveries': { deliveriesFailed: { count: 1, within: DAY } },
  'failed commands': { commandsFailed: { count: 1, within: DAY } },
  'refused terminals': { refused: { count: 1, within: DAY } },
  'unknown serial numbers': { unknownTerminals: { count: 1, within: DAY } },
  'stopped rollouts': { rolloutStopped: { count: 1, within: DAY } },
  'rollouts that do not move': { rolloutUnmoved: { count: 1, within: DAY } },
};

/** Half of the terminals were seen within the last half hour, the others two hours before. */
const SEEN = `update device_presence set last_seen_at = ${Date.now()} - (device_id % 2) * ${2 * HOUR} - device_id % ${30 * MINUTE}`;

async function measure(databaseUrl: string): Promise<void> {
  const config = readConfig({ ...databaseEnvironment(databaseUrl), LOG_LEVEL: 'silent', PORT: '0' });
  const { server } = await createServerProcess(config);
  await server.start();
  await loadSchema();
  const { units } = server;
  const caller = localCaller({ companyId: 1, userId: 0, timeZone: 'UTC' });
  const tools = {
    conditionOf: (list: string, filter: object) => Promise.resolve(keptConditionOf(list, filter, 'filter')),
  };
  const rows: string[][] = [];
  for (const [name, on] of Object.entries(CONDITIONS)) {
    const [found] = Object.entries(on);
    const kind = alertKinds.get(found?.[0] ?? '');
    if (found === undefined || kind === undefined) throw new Error(`There is no kind for ${name}`);
    const [, condition] = found;
    let met = '';
    const [measured, examples]: number[][] = [[], []];
    for (let n = 0; n < times; n += 1) {
      measured?.push(
        await timed(async () => {
          const now = await units.read(caller, (work) => kind.measure(work, condition, tools), {
            examines: true,
          });
          met = `${now.affected}`;
        }),
      );
      examples?.push(
        await timed(() =>
          units.read(caller, (work) => kind.examples(work, condition, tools), { examines: true }),
        ),
      );
    }
    rows.push([name, met, at(measured ?? [], 0.5), at(measured ?? [], 1), at(examples ?? [], 0.5)]);
  }
  await server.stop(1_000);
  printTable([['condition', 'affected', 'p50 ms', 'most ms', 'examples p50 ms'], ...rows]);
}

await withDatabaseFile(async (file) => {
  print(`Building a database of ${devices} devices and ${transactions} transactions ...`);
  await buildDatabase(file, { devices, transactions, wide: 0, others: 1 });
  const database = new Sqlite(file);
  database.exec(SEEN);
  database.close();
  await onBoth(file, measure);
});
