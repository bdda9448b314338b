/** Kills the server during writes, 200 times by default; exits with 1 if an acknowledged change is lost. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { placeAt } from '../support/databases/sqlite-place.js';
import { killPrograms } from '../support/program.js';
import { killRounds } from './rounds.js';

/** The server must respond this long after its start, in milliseconds. */
const READY_MS = 5_000;

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '200' }, folder: { type: 'string' } },
});
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'terminal-gateway-rounds-'));
try {
  const { rounds, writers, acknowledged, problems, slowestStart } = await killRounds({
    rounds: Number(values.rounds),
    place: placeAt(join(folder, 'gateway.db')),
    onRound: (round, soFar) => {
      const result = soFar.problems.length === 0 ? 'nothing lost' : `${soFar.problems.length} problems`;
      print(`round ${round} of ${values.rounds}: ${soFar.acknowledged} changes acknowledged, ${result}`);
    },
  });
  for (const problem of problems) print(problem);
  const ready = `ready again within ${Math.ceil(slowestStart)} ms`;
  print(
    `${rounds} rounds of kill -9 with ${writers} writers: ${acknowledged} changes acknowledged, ${problems.length} problems, ${ready}.`,
  );
  process.exitCode = problems.length === 0 && slowestStart < READY_MS ? 0 : 1;
} finally {
  await killPrograms();
  if (values.folder === undefined && existsSync(folder)) rmSync(folder, { recursive: true });
}
