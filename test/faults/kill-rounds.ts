/** Kills the server in the midst of writes, many times, and fails where anything acknowledged is lost. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { killPrograms } from '../support/program.js';
import { killRounds } from './rounds.js';

const READY_MS = 5_000;

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '200' }, folder: { type: 'string' } },
});
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'terminal-gateway-rounds-'));
try {
  const { rounds, writers, acknowledged, problems, slowestStart } = await killRounds({
    rounds: Number(values.rounds),
    folder,
    onRound: (round, soFar) => {
      const lost = soFar.problems.length === 0 ? 'nothing lost' : `${soFar.problems.length} problems`;
      say(`round ${round} of ${values.rounds}: ${soFar.acknowledged} changes acknowledged, ${lost}`);
    },
  });
  for (const problem of problems) say(problem);
  const ready = `ready again within ${Math.ceil(slowestStart)} ms`;
  say(
    `${rounds} rounds of kill -9 with ${writers} writers: ${acknowledged} changes acknowledged, ${problems.length} problems, ${ready}.`,
  );
  process.exitCode = problems.length === 0 && slowestStart < READY_MS ? 0 : 1;
} finally {
  await killPrograms();
  if (values.folder === undefined && existsSync(folder)) rmSync(folder, { recursive: true });
}
