/** Repeats expensive operations, in a process of its own. */
import { Agent } from 'node:http';
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

import type { BenchData } from './data.js';
import { count, send } from './requests.js';
import { answerMessages, startHelper } from './servers.js';
import { operationsOf, type Operation } from './worst-operations.js';

/** Times and results of one operation. */
export interface Attacked {
  readonly name: string;
  /** Milliseconds of each request. */
  readonly times: number[];
  readonly results: Record<string, number>;
}

interface Plan {
  readonly url: string;
  readonly data: BenchData;
  /** Operations that take turns. */
  readonly names: readonly string[];
  readonly milliseconds: number;
}

/** Turn of one of several operations. */
const TURN_MS = 5_000;

/** Starts a process; resolves to what attacks with it, once. */
export async function startAttacker(plan: Plan): Promise<() => Promise<readonly Attacked[]>> {
  const helper = startHelper(import.meta.filename);
  // To load the program takes more of a machine than some operations.
  await helper.ask('load');
  return async () => {
    const attacked = await helper.ask<readonly Attacked[]>(plan);
    helper.stop();
    return attacked;
  };
}

/** Repeats an operation on its connections for one turn, and adds to its results. */
async function repeat(
  url: string,
  operation: Operation,
  { times, results }: Attacked,
  turnMs: number,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: operation.connections });
  const end = performance.now() + turnMs;
  let next = times.length;
  const work = async (): Promise<void> => {
    for (let sent = 0; sent < operation.times && performance.now() < end; sent += 1) {
      const reply = await send(url, operation.request(next++), agent);
      times.push(reply.milliseconds);
      count(results, reply.result);
      // A refusal costs the server little; a client that is refused does not repeat it without a pause.
      if (reply.milliseconds < 2) await sleep(5);
    }
  };
  await Promise.all(Array.from({ length: operation.connections }, work));
  agent.destroy();
}

async function attack({ url, data, names, milliseconds }: Plan): Promise<readonly Attacked[]> {
  const chosen = operationsOf(data)
    .filter(({ name }) => names.includes(name))
    .map((operation) => ({ operation, attacked: { name: operation.name, times: [], results: {} } }));
  const end = performance.now() + milliseconds;
  while (chosen.length > 0 && performance.now() < end) {
    for (const { operation, attacked } of chosen) {
      const turnMs = Math.min(TURN_MS, Math.max(0, end - performance.now()));
      await Promise.all([repeat(url, operation, attacked, turnMs), sleep(turnMs)]);
    }
  }
  return chosen.map(({ attacked }) => attacked);
}

if (process.argv[1] === import.meta.filename) {
  // The measuring clients come first on a small machine.
  setPriority(10);
  answerMessages(async (message) => (message === 'load' ? 'loaded' : await attack(message as Plan)));
}
