/**
 * Kills the server during writes, 200 times by default, or with `--on postgres --kill postgres` all processes of
 * PostgreSQL; exits with 1 if an acknowledged change is lost.
 *
 * With `--terminals`, simulated terminals are at work, and `--kill node` kills one of two servers on PostgreSQL, `--kill
 * broker` the MQTT broker; exits with 1 if a promise to a terminal is broken.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { placeAt } from '../support/databases/sqlite-place.js';
import { killPrograms } from '../support/program.js';
import { postgresRounds } from './postgres/rounds.js';
import { killRounds, type RoundOptions } from './rounds.js';
import { runTerminalRounds } from './terminals/command.js';

/** The server must respond this long after its start, in milliseconds. */
const READY_MS = 5_000;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '200' },
    folder: { type: 'string' },
    on: { type: 'string', default: 'sqlite' },
    kill: { type: 'string', default: 'server' },
    terminals: { type: 'boolean', default: false },
  },
});
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const onRound: NonNullable<RoundOptions['onRound']> = (round, soFar) => {
  const result = soFar.problems.length === 0 ? 'nothing lost' : `${soFar.problems.length} problems`;
  print(`round ${round} of ${values.rounds}: ${soFar.acknowledged} changes acknowledged, ${result}`);
};
const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'terminal-gateway-rounds-'));
const started = performance.now();

async function runWrites(): Promise<void> {
  const rounds = Number(values.rounds);
  const kill = values.kill === 'postgres' ? 'postgres' : 'server';
  const { writers, acknowledged, problems, slowestStart } =
    values.on === 'postgres'
      ? await postgresRounds({ rounds, kill, onRound })
      : await killRounds({ rounds, place: placeAt(join(folder, 'gateway.db')), onRound });
  for (const problem of problems) print(problem);
  const ready = `ready again within ${Math.ceil(slowestStart)} ms`;
  const seconds = Math.round((performance.now() - started) / 1000);
  print(
    `${rounds} rounds of kill -9 of the ${kill === 'postgres' ? 'PostgreSQL server' : 'server'} with ${writers} writers: ` +
      `${acknowledged} changes acknowledged, ${problems.length} problems, ${ready}; ${seconds} s.`,
  );
  process.exitCode = problems.length === 0 && (slowestStart < READY_MS || kill === 'postgres') ? 0 : 1;
}

try {
  if (values.terminals) {
    const { rounds, kill } = values;
    process.exitCode = await runTerminalRounds({ rounds: Number(rounds), kill, folder, print });
  } else {
    await runWrites();
  }
} finally {
  await killPrograms();
  if (values.folder === undefined && existsSync(folder)) rmSync(folder, { recursive: true });
}
