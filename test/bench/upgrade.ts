/**
 * Measures an upgrade to an invented next version, which adds a column to the payments, fills it in each and adds an index:
 * on PostgreSQL while two nodes serve, and on a SQLite file, whose node stops meanwhile; and the way back. Not a test.
 *
 *   npm run bench:upgrade -- [--transactions N]
 */
import { statSync } from 'node:fs';

import { killPrograms, startProgram } from '../support/program.js';
import { makeNextVersion } from '../support/upgrade/next-version.js';
import { rollForthAndBack } from '../support/upgrade/rolling.js';
import { buildDatabase, serialOf } from './data.js';
import { copyToPostgres } from './postgres/copy.js';
import { numbersOf, print, printTable, withDatabaseFile } from './servers.js';

const { transactions } = numbersOf({ transactions: 1_000_000 });

const MB = 1e6;
const rounded = (value: number): string => value.toFixed(1);

/** Seconds until a program serves, and then until it has ended. */
async function secondsTo(url: string, program?: string): Promise<number> {
  const begun = performance.now();
  const started = await startProgram(url, program === undefined ? {} : { program });
  const seconds = (performance.now() - begun) / 1_000;
  await started.end('SIGTERM');
  return seconds;
}

await withDatabaseFile(async (file) => {
  print(`Building a database of ${transactions} payments ...`);
  const { token } = await buildDatabase(file, { devices: 1_000, transactions, wide: 0, others: 1 });
  const next = makeNextVersion();
  const postgres = await copyToPostgres(file);
  try {
    const size = statSync(file).size / MB;
    const upgrade = await secondsTo(`file:${file}`, next.program);
    const back = await secondsTo(`file:${file}`);
    print(
      `SQLite, ${rounded(size)} MB: ${rounded(upgrade)} s with the backup before it, back ${rounded(back)} s`,
    );
    const { first, url } = postgres;
    const found = await rollForthAndBack({
      url,
      token,
      serialNumber: serialOf(1),
      next: next.program,
      first,
    });
    const { failures, longestWait, ...figures } = found;
    printTable([
      ['PostgreSQL', ''],
      ...Object.entries(figures).map(([name, value]) => [name, rounded(value)]),
    ]);
    print(`Longest wait for a table: ${rounded(longestWait.ms)} ms, ${longestWait.what}`);
    print(failures.length === 0 ? 'No request failed.' : failures.join('\n'));
  } finally {
    await killPrograms();
    await postgres.stop();
    next.remove();
  }
});
