/**
 * Kills the server during writes, 200 times by default, or with `--kill postgres` all processes of a PostgreSQL server; exits
 * with 1 if an acknowledged change is lost.
 *
 *   npm run faults -- [--rounds N] [--folder FOLDER] [--on postgres] [--kill postgres]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { placeAt } from '../support/databases/sqlite-place.js';
import { faultyPostgres } from '../support/postgres/boot.js';
import { prepareDatabase } from '../support/prepared-database.js';
import { killPrograms } from '../support/program.js';
import { addCompany, placeOf } from './postgres/gateway.js';
import { killRounds, type RoundOptions } from './rounds.js';

/** The server must respond this long after its start, in milliseconds. */
const READY_MS = 5_000;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '200' },
    folder: { type: 'string' },
    on: { type: 'string', default: 'sqlite' },
    kill: { type: 'string', default: 'server' },
  },
});
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const onRound: NonNullable<RoundOptions['onRound']> = (round, soFar) => {
  const result = soFar.problems.length === 0 ? 'nothing lost' : `${soFar.problems.length} problems`;
  print(`round ${round} of ${values.rounds}: ${soFar.acknowledged} changes acknowledged, ${result}`);
};
const rounds = Number(values.rounds);
const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'terminal-gateway-rounds-'));
const killsPostgres = values.kill === 'postgres';
const postgres = killsPostgres || values.on === 'postgres' ? await faultyPostgres() : undefined;

async function target(): Promise<Pick<RoundOptions, 'place' | 'token' | 'databaseServer'>> {
  if (postgres === undefined) {
    const place = placeAt(join(folder, 'gateway.db'));
    return { place, token: (await prepareDatabase(place)).token };
  }
  const token = await addCompany(postgres.url);
  return { place: placeOf(postgres), token, ...(killsPostgres ? { databaseServer: postgres } : {}) };
}

try {
  const started = performance.now();
  const { writers, acknowledged, problems, slowestStart } = await killRounds({
    rounds,
    onRound,
    ...(await target()),
  });
  for (const problem of problems) print(problem);
  const ready = `ready again within ${Math.ceil(slowestStart)} ms`;
  const seconds = Math.round((performance.now() - started) / 1000);
  print(
    `${rounds} rounds of kill -9 of the ${killsPostgres ? 'PostgreSQL server' : 'server'} with ${writers} writers: ` +
      `${acknowledged} changes acknowledged, ${problems.length} problems, ${ready}; ${seconds} s.`,
  );
  process.exitCode = problems.length === 0 && (slowestStart < READY_MS || killsPostgres) ? 0 : 1;
} finally {
  await killPrograms();
  await postgres?.stop();
  if (values.folder === undefined) rmSync(folder, { recursive: true });
}
