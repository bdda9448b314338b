import { setTimeout as sleep } from 'node:timers/promises';

import type { TestPlace } from '../support/databases/place.js';
import { prepareDatabase } from '../support/prepared-database.js';
import { startProgram } from '../support/program.js';
import { Lists, TERMINALS_EACH, Writer } from './mixed-writes.js';
import { problemsIn } from './soundness.js';

export interface RoundsResult {
  readonly rounds: number;
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
  /** A database without tables. */
  readonly place: TestPlace;
  readonly onRound?: (round: number, soFar: RoundsResult) => void;
}

const WRITERS = 16;

const LONGEST_ROUND_MS = 10_000;

/** Within a second; later on a slow machine, so that there is something to lose. */
export async function randomMoment(isEnough: () => boolean): Promise<void> {
  const end = performance.now() + LONGEST_ROUND_MS;
  await sleep(50 + Math.random() * 950);
  while (!isEnough() && performance.now() < end) await sleep(5);
}

/** In each round: kills the server during writes, starts it again and checks that every acknowledged change is there. */
export async function killRounds({ rounds, place, onRound }: RoundOptions): Promise<RoundsResult> {
  const { token } = await prepareDatabase(place);
  const writers = Array.from({ length: WRITERS }, (_, n) => new Writer(`w${n}`, Math.random));
  const problems: string[] = [];
  let slowestStart = 0;
  const result = (): RoundsResult => ({
    rounds,
    writers: WRITERS,
    acknowledged: writers.reduce((sum, writer) => sum + writer.acknowledged, 0),
    problems,
    slowestStart,
  });
  for (let round = 0; round <= rounds; round += 1) {
    const started = performance.now();
    const program = await startProgram(place.url);
    const client = program.client(token);
    await client.get('groups');
    slowestStart = Math.max(slowestStart, performance.now() - started);
    if (round === 0) for (const writer of writers) await writer.prepare(client);
    const lists = new Lists(client);
    for (const writer of writers) problems.push(...(await writer.verify(lists)));
    problems.push(...(await problemsIn(place, { deliveriesEach: TERMINALS_EACH })));
    if (round > 0) onRound?.(round, result());
    if (round === rounds) {
      await program.end('SIGTERM');
      break;
    }
    const isGone = (): boolean => program.process.killed;
    const writing = Promise.all(writers.map((writer) => writer.write(client, isGone)));
    const before = result().acknowledged;
    await Promise.race([writing, randomMoment(() => result().acknowledged > before + WRITERS)]);
    await program.end('SIGKILL');
    await writing;
  }
  problems.push(...(await problemsIn(place, { deliveriesEach: TERMINALS_EACH })));
  return result();
}
