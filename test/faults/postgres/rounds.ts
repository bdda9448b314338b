import type { Client } from '../../support/client.js';
import { faultyPostgres, type OwnServer } from '../../support/postgres/boot.js';
import { killPrograms, runCommand, startProgram, type Program } from '../../support/program.js';
import { Lists, TERMINALS_EACH, Writer } from '../mixed-writes.js';
import { randomMoment, type RoundsResult } from '../rounds.js';
import { problemsIn } from '../soundness.js';
import { addCompany, recovered } from './gateway.js';

export interface PostgresRounds {
  readonly rounds: number;
  /** Process that is killed in each round. */
  readonly kill: 'server' | 'postgres';
  readonly onRound?: (round: number, soFar: RoundsResult) => void;
  /** The server to use; one of its own, which is removed afterwards, unless given. */
  readonly on?: OwnServer;
}

const WRITERS = 16;
/** With the chain, an entry of the ledger that is lost or changed is found. */
const CHAIN = { LEDGER_CHAIN: '1' };

/**
 * In each round: kills the server or all processes of PostgreSQL during writes, starts it again and checks that every
 * acknowledged change is there. PostgreSQL runs with its own defaults: each commit is on the disk when it is acknowledged.
 */
export async function postgresRounds({ rounds, kill, onRound, on }: PostgresRounds): Promise<RoundsResult> {
  const postgres = on ?? (await faultyPostgres());
  const writers = Array.from({ length: WRITERS }, (_, n) => new Writer(`w${n}`, Math.random));
  const problems: string[] = [];
  let slowestStart = 0;
  const result = (): RoundsResult => ({
    rounds,
    problems,
    slowestStart,
    writers: WRITERS,
    acknowledged: writers.reduce((sum, writer) => sum + writer.acknowledged, 0),
  });
  try {
    const token = await addCompany(postgres.url);
    let program: Program | null = null;
    for (let round = 0; round <= rounds; round += 1) {
      const since = performance.now();
      if (program === null && round > 0 && kill === 'postgres') throw new Error('The server has ended.');
      program ??= await startProgram(postgres.url, { environment: CHAIN });
      const client = program.client(token);
      await recovered(client);
      slowestStart = Math.max(slowestStart, performance.now() - since);
      if (round === 0) for (const writer of writers) await writer.prepare(client);
      problems.push(...(await problemsAfter(client, writers, postgres)));
      if (round > 0) onRound?.(round, result());
      if (round === rounds) break;
      const before = result().acknowledged;
      const isEnough = (): boolean => result().acknowledged > before + WRITERS;
      await writeUntilKilled(client, writers, isEnough, () => killOne(kill, postgres, program));
      if (kill === 'server') program = null;
      else await postgres.start();
    }
    await program?.end('SIGTERM');
    return result();
  } finally {
    await killPrograms();
    if (on === undefined) await postgres.stop();
  }
}

async function killOne(
  kill: PostgresRounds['kill'],
  postgres: OwnServer,
  program: Program | null,
): Promise<void> {
  if (kill === 'postgres') await postgres.end('SIGKILL');
  else await program?.end('SIGKILL');
}

async function writeUntilKilled(
  client: Client,
  writers: readonly Writer[],
  isEnough: () => boolean,
  kill: () => Promise<void>,
): Promise<void> {
  let isGone = false;
  const refusedWhenGone: Client = {
    ...client,
    request: async (...args) => {
      const reply = await client.request(...args);
      // Whether the change was made is not known, as if there were no answer.
      if (isGone && reply.status === 503) throw new Error(reply.text);
      return reply;
    },
  };
  const writing = Promise.all(writers.map((writer) => writer.write(refusedWhenGone, () => isGone)));
  await Promise.race([writing, randomMoment(isEnough)]);
  isGone = true;
  await kill();
  await writing;
}

async function problemsAfter(
  client: Client,
  writers: readonly Writer[],
  postgres: OwnServer,
): Promise<string[]> {
  const lists = new Lists(client);
  const problems: string[] = [];
  for (const writer of writers) problems.push(...(await writer.verify(lists)));
  for (const command of [
    ['db', 'check'],
    ['audit', 'verify'],
  ]) {
    const { code, output } = await runCommand(command, postgres.url, CHAIN);
    if (code !== 0) problems.push(`${command.join(' ')} ended with ${code}: ${output}`);
  }
  const place = {
    check: () => Promise.resolve([]),
    sql: async <Row>(text: string) => (await postgres.admin(text)) as Row[],
  };
  return [...problems, ...(await problemsIn(place, { deliveriesEach: TERMINALS_EACH }))];
}
