/**
 * Measures rankings of payments on a SQLite file and on PostgreSQL with the same records: the 20 terminals with the largest
 * share of denied payments, of the last days. Not a test.
 *
 *   npm run bench:rankings -- [--devices N] [--transactions N] [--times N]
 */
import { DAY } from '../../src/platform/clock.js';
import { killPrograms } from '../support/program.js';
import { at, timed } from './beside.js';
import { onBoth } from './both-databases.js';
import { buildDatabase } from './data.js';
import { numbersOf, print, printTable, startServer, withDatabaseFile } from './servers.js';

const { devices, transactions, times } = numbersOf({ devices: 200_000, transactions: 2_000_000, times: 10 });

const RANKING = `query ($from: DateTime!, $to: DateTime!, $by: [TransactionSummaryDimension!]!) {
  transactionSummary(by: $by, filter: { startedAt: { gte: $from, lt: $to } }, minPayments: 1, first: 20,
      orderBy: { field: DENIED_PERCENT, direction: DESC }) {
    serialNumber logicalNumber appName statusReason count approvedCount deniedCount deniedPercent amountTotal } }`;

/** The beginning of yesterday in São Paulo, which divides half hours and quarters of days of UTC. */
const YESTERDAY = Math.floor(Date.now() / DAY) * DAY - DAY + 3 * 3_600_000;

async function measure(databaseUrl: string, token: string): Promise<string[][]> {
  const { url } = await startServer(databaseUrl);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const rows: string[][] = [];
  for (const by of ['SERIAL_NUMBER', 'LOGICAL_NUMBER', 'STATUS_REASON', 'APP_NAME']) {
    for (const days of [1, 7, 30, 90]) {
      const [from, to] = [YESTERDAY - (days - 1) * DAY, YESTERDAY + DAY].map((each) => new Date(each));
      const taken: number[] = [];
      for (let n = 0; n < times; n += 1) {
        // Other bounds each time: nothing is answered from memory.
        const variables = { by: [by], from: new Date(Number(from) + n), to };
        const ask = () =>
          fetch(`${url}/graphql`, {
            method: 'POST',
            headers,
            body: JSON.stringify({ query: RANKING, variables }),
          });
        taken.push(
          await timed(async () => {
            const text = await (await ask()).text();
            if (text.startsWith('{"errors"')) throw new Error(text.slice(0, 500));
          }),
        );
      }
      rows.push([by, String(days), at(taken, 0.5), at(taken, 0.95)]);
    }
  }
  await killPrograms();
  return rows;
}

await withDatabaseFile(async (file) => {
  print(`Building a database of ${devices} devices and ${transactions} transactions ...`);
  const { token } = await buildDatabase(file, { devices, transactions, wide: 0, others: 1 });
  await onBoth(file, async (url) =>
    printTable([['by', 'days', 'p50 ms', 'p95 ms'], ...(await measure(url, token))]),
  );
});
