import { Agent } from 'node:http';

import { send, type Outcome } from './request.js';
import type { Operation } from './requests.js';

export interface Repeated {
  readonly medianMs: number;
  readonly slowestMs: number;
  /** Number of outcomes by their result. */
  readonly results: Readonly<Record<string, number>>;
}

export interface Fitted {
  /** The largest size that the limits allow; 0 if they allow none. */
  readonly size: number;
  /** Refusal of the next larger size, for example `400 GRAPHQL_VALIDATION_FAILED cost`; may be null. */
  readonly refusal: string | null;
}

/** The name of a limit follows the code of its error; summaries have none. */
const REFUSED = /^(400 GRAPHQL_VALIDATION_FAILED \w+|200 BAD_USER_INPUT( \w+)?)$/;

/** Finds the largest size of an operation that the limits allow: from the largest one downwards, refusals are cheap. */
export async function fit(url: string, { name, most, request }: Operation): Promise<Fitted> {
  if (most === undefined) return { size: 1, refusal: null };
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let refusal: string | null = null;
  let size = most;
  for (; size > 0; size -= 1) {
    const { result } = await send(url, request(-size, size), agent);
    if (result === '400 GRAPHQL_VALIDATION_FAILED') throw new Error(`"${name}" is not valid`);
    if (!REFUSED.test(result)) break;
    refusal = result;
  }
  agent.destroy();
  return { size, refusal };
}

/** Repeats an operation in one size on its connections until the time is over or its number of requests has been sent. */
export async function repeat(
  url: string,
  operation: Operation,
  size: number,
  milliseconds: number,
): Promise<Repeated> {
  const { connections, times = Infinity, request } = operation;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const outcomes: Outcome[] = [];
  const end = performance.now() + milliseconds;
  let next = 0;
  const work = async (): Promise<void> => {
    for (let sent = 0; sent < times && performance.now() < end; sent += 1) {
      const outcome = await send(url, request(next++, size), agent);
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
