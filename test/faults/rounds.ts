import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { prepareDatabase } from '../support/prepared-database.js';
import { startProgram } from '../support/program.js';
import { Lists, TERMINALS_EACH, Writer } from './mixed-writes.js';
import { problemsIn } from './soundness.js';

export interface Rounds {
  readonly rounds: number;
  readonly writers: number;
  readonly acknowledged: number;
  /** Each in words; none is what is hoped for. */
  readonly problems: readonly string[];
  /** The longest time from the start to the first answer, in milliseconds. */
  readonly slowestStart: number;
}

export interface RoundOptions {
  readonly rounds: number;
  readonly folder: string;
  readonly onRound?: (round: number, sofar: Rounds) => void;
}

const WRITERS = 16;

/** Kills the server with writers at work, starts it anew and looks for what was acknowledged, again and again. */
export async function killRounds({ rounds, folder, onRound }: RoundOptions): Promise<Rounds> {
  const file = join(folder, 'gateway.db');
  const { token } = await prepareDatabase(file);
  const writers = Array.from({ length: WRITERS }, (_, n) => new Writer(`w${n}`, Math.random));
  const problems: string[] = [];
  let slowestStart = 0;
  const soFar = (): Rounds => ({
    rounds,
    writers: WRITERS,
    acknowledged: writers.reduce((sum, writer) => sum + writer.acknowledged, 0),
    problems,
    slowestStart,
  });
  for (let round = 0; round <= rounds; round += 1) {
    const begun = performance.now();
    const program = await startProgram(file);
    const client = program.client(token);
    await client.get('groups');
    slowestStart = Math.max(slowestStart, performance.now() - begun);
    if (round === 0) for (const writer of writers) await writer.prepare(client);
    const lists = new Lists(client);
    for (const writer of writers) problems.push(...(await writer.verify(lists)));
    problems.push(...problemsIn(file, { deliveriesEach: TERMINALS_EACH }));
    if (round > 0) onRound?.(round, soFar());
    if (round === rounds) {
      await program.end('SIGTERM');
      break;
    }
    const isGone = (): boolean => program.process.killed;
    const writing = Promise.all(writers.map((writer) => writer.write(client, isGone)));
    await Promise.race([writing, sleep(50 + Math.random() * 950)]);
    await program.end('SIGKILL');
    await writing;
  }
  problems.push(...problemsIn(file, { deliveriesEach: TERMINALS_EACH }));
  return soFar();
}
