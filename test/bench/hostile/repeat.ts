import { Agent } from 'node:http';

import type { Operation } from './requests.js';
import { send, type Outcome } from './request.js';

export interface Repeated {
  readonly medianMs: number;
  readonly slowestMs: number;
  /** Number of outcomes by their result. */
  readonly results: Readonly<Record<string, number>>;
}

/** Repeats an operation on its connections until the time is over or its number of requests has been sent. */
export async function repeat(url: string, operation: Operation, milliseconds: number): Promise<Repeated> {
  const { connections, times = Infinity, request } = operation;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const outcomes: Outcome[] = [];
  const end = performance.now() + milliseconds;
  let next = 0;
  const work = async (): Promise<void> => {
    for (let sent = 0; sent < times && performance.now() < end; sent += 1) {
      const outcome = await send(url, request(next++), agent);
      outcomes.push(outcome);
      // A refusal costs the server little; a client that is refused does not repeat it without a pause.
      if (outcome.milliseconds < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  agent.destroy();
  const sorted = outcomes.map((outcome) => outcome.milliseconds).sort((a, b) => a - b);
  const results: Record<string, number> = {};
  for (const { result } of outcomes) results[result] = (results[result] ?? 0) + 1;
  return { medianMs: sorted[sorted.length >> 1] ?? 0, slowestMs: sorted.at(-1) ?? 0, results };
}
