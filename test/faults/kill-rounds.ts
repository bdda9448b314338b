/**
 * Kills the server during writes, 200 times by default, or with `--kill postgres` all processes of a PostgreSQL server; exits
 * with 1 if an acknowledged change is lost.
 *
 *   npm run faults -- [--rounds N] [--folder FOLDER] [--on postgres] [--kill postgres]
 *
 * The argument `rollout` kills them while terminals get a bad release, and while it is undone: on PostgreSQL both of two nodes and
 * the database server in turn, 20 times.
 *
 *   npm run faults -- rollout [--terminals N] [--rounds N] [--every 60s] [--ramp 100s] [--pause SECONDS] [--on postgres]
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { placeAt } from '../support/databases/sqlite-place.js';
import { faultyPostgres } from '../support/postgres/boot.js';
import { prepareDatabase } from '../support/prepared-database.js';
import { killPrograms } from '../support/program.js';
import { addCompany, placeOf } from './postgres/gateway.js';
import { rolloutRounds, WITHOUT_FSYNC } from './rollout-rounds.js';
import { killRounds, type RoundOptions } from './rounds.js';

/** The server must respond this long after its start, in milliseconds. */
const READY_MS = 5_000;
/** Least time between two kills during a rollout, in milliseconds, and more for each terminal, which comes back. */
const PAUSE_MS = 5_000;
const PAUSE_PER_TERMINAL_MS = 2;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string' },
    terminals: { type: 'string', default: '10000' },
    every: { type: 'string', default: '60s' },
    ramp: { type: 'string' },
    pause: { type: 'string' },
    folder: { type: 'string' },
    on: { type: 'string', default: 'sqlite' },
    kill: { type: 'string', default: 'server' },
  },
});
const isRollout = positionals[0] === 'rollout';
const rounds = Number(values.rounds ?? (isRollout ? 20 : 200));
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const onRound: NonNullable<RoundOptions['onRound']> = (round, soFar) => {
  const result = soFar.problems.length === 0 ? 'nothing lost' : `${soFar.problems.length} problems`;
  print(`round ${round} of ${rounds}: ${soFar.acknowledged} changes acknowledged, ${result}`);
};
const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'terminal-gateway-rounds-'));
mkdirSync(folder, { recursive: true });
const killsPostgres = values.kill === 'postgres';
const postgres =
  killsPostgres || values.on === 'postgres'
    ? await faultyPostgres(isRollout ? WITHOUT_FSYNC : {})
    : undefined;

async function target(): Promise<Pick<RoundOptions, 'place' | 'token' | 'databaseServer'>> {
  if (postgres === undefined) {
    const place = placeAt(join(folder, 'gateway.db'));
    return { place, token: (await prepareDatabase(place)).token };
  }
  const token = await addCompany(postgres.url);
  return { place: placeOf(postgres), token, ...(killsPostgres ? { databaseServer: postgres } : {}) };
}

async function runRollout(): Promise<void> {
  const { summary, kills, compared, problems } = await rolloutRounds({
    ...(await target()),
    ...(postgres === undefined ? {} : { databaseServer: postgres }),
    folder,
    rounds,
    terminals: Number(values.terminals),
    nodes: postgres === undefined ? 1 : 2,
    every: values.every,
    ...(values.ramp === undefined ? {} : { ramp: values.ramp }),
    pauseMs:
      values.pause === undefined
        ? PAUSE_MS + PAUSE_PER_TERMINAL_MS * Number(values.terminals)
        : Number(values.pause) * 1_000,
    onLine: print,
  });
  for (const problem of problems.slice(0, 20)) print(problem);
  const granted = summary.scenario?.waves.map((wave) => wave.granted).join(' + ');
  print(
    `${kills.length} kills, ${kills.filter((kill) => kill.endsWith('running')).length} before the rollout stopped; ` +
      `versions for ${granted} terminals, ${compared} manifests compared after the undo: ${problems.length} problems; ` +
      `${summary.seconds} s.`,
  );
  process.exitCode = problems.length === 0 && kills.length === rounds ? 0 : 1;
}

async function runWriters(): Promise<void> {
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
}

try {
  await (isRollout ? runRollout() : runWriters());
} finally {
  await killPrograms();
  await postgres?.stop();
  if (values.folder === undefined) rmSync(folder, { recursive: true });
}
