import { setTimeout as sleep } from 'node:timers/promises';

import type { Client } from '../support/client.js';
import type { TestPlace } from '../support/databases/place.js';
import { runCommand, startProgram, type Program } from '../support/program.js';
import { recovered } from './load.js';
import { Lists, TERMINALS_EACH, Writer } from './mixed-writes.js';
import { problemsIn } from './soundness.js';

export interface RoundsResult {
  readonly writers: number;
  /** Number of changes whose success was sent to a client. */
  readonly acknowledged: number;
  /** Lost or damaged records, one message each. */
  readonly problems: readonly string[];
  /** Longest time from a start to the first response, in milliseconds. */
  readonly slowestStart: number;
}

export interface RoundOptions {
  readonly rounds: number;
  readonly place: Pick<TestPlace, 'url' | 'check' | 'sql'>;
  /** A token of a company in the database, with every scope. */
  readonly token: string;
  /** The server of the database, if it is killed in place of the gateway. */
  readonly databaseServer?: {
    readonly end: (signal: 'SIGKILL') => Promise<unknown>;
    readonly start: () => Promise<void>;
  };
  readonly onRound?: (round: number, soFar: RoundsResult) => void;
}

const WRITERS = 16;
const LONGEST_ROUND_MS = 10_000;
/** With the chain, an entry of the ledger that is lost or changed is found. */
const CHAIN = { LEDGER_CHAIN: '1' };

/** In each round: kills a server during writes, starts it again and checks that every acknowledged change is there. */
export async function killRounds(options: RoundOptions): Promise<RoundsResult> {
  const { rounds, place, token, databaseServer, onRound } = options;
  const writers = Array.from({ length: WRITERS }, (_, n) => new Writer(`w${n}`, Math.random));
  const problems: string[] = [];
  let slowestStart = 0;
  const result = (): RoundsResult => ({
    problems,
    slowestStart,
    writers: WRITERS,
    acknowledged: writers.reduce((sum, writer) => sum + writer.acknowledged, 0),
  });
  let running: Program | null = null;
  for (let round = 0; ; round += 1) {
    const since = performance.now();
    const program: Program = running ?? (await startProgram(place.url, { environment: CHAIN }));
    const client = program.client(token);
    await recovered(client);
    slowestStart = Math.max(slowestStart, performance.now() - since);
    if (round === 0) for (const writer of writers) await writer.prepare(client);
    problems.push(...(await problemsAfter(client, writers, place)));
    if (round > 0) onRound?.(round, result());
    if (round === rounds) {
      await program.end('SIGTERM');
      return result();
    }
    const enough = result().acknowledged + WRITERS;
    const isEnough = (): boolean => result().acknowledged > enough;
    await writeUntilKilled(client, writers, isEnough, () => (databaseServer ?? program).end('SIGKILL'));
    await databaseServer?.start();
    running = databaseServer === undefined ? null : program;
  }
}

async function writeUntilKilled(
  client: Client,
  writers: readonly Writer[],
  isEnough: () => boolean,
  kill: () => Promise<unknown>,
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

/** Within a second; later on a slow machine, so that there is something to lose. */
async function randomMoment(isEnough: () => boolean): Promise<void> {
  const end = performance.now() + LONGEST_ROUND_MS;
  await sleep(50 + Math.random() * 950);
  while (!isEnough() && performance.now() < end) await sleep(5);
}

async function problemsAfter(
  client: Client,
  writers: readonly Writer[],
  place: RoundOptions['place'],
): Promise<string[]> {
  const lists = new Lists(client);
  const problems: string[] = [];
  for (const writer of writers) problems.push(...(await writer.verify(lists)));
  for (const command of ['db check', 'audit verify']) {
    const { code, output } = await runCommand(command.split(' '), place.url, CHAIN);
    if (code !== 0) problems.push(`${command} ended with ${code}: ${output}`);
  }
  return [...problems, ...(await problemsIn(place, { deliveriesEach: TERMINALS_EACH }))];
}
