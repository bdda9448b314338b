/** Requests to a server that may be gone for a while. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Client, Reply } from '../support/client.js';

export interface Answer {
  readonly method: string;
  readonly path: string;
  /** 0 if the connection was cut. */
  readonly status: number;
  readonly code: unknown;
  readonly retryAfter: number;
}

export interface Load {
  readonly answers: readonly Answer[];
  /** Sends no more; resolves once every request has its answer. */
  stop(): Promise<readonly Answer[]>;
}

/** Requests in progress: the server takes 250 of one network. */
const MOST = 200;

/** Sends up to `perSecond` requests, whatever their answers; each fourth is a write. */
export function startLoad(client: Client, perSecond = 100): Load {
  const answers: Answer[] = [];
  const inFlight = new Set<Promise<void>>();
  let number = 0;
  const timer = setInterval(() => {
    if (inFlight.size >= MOST) return;
    number += 1;
    const name = `load ${randomUUID()}`;
    const [method, path, body] =
      number % 4 === 0 ? (['POST', 'groups', { name }] as const) : (['GET', 'groups', undefined] as const);
    const request = requested(client, method, path, body).then((answer) => void answers.push(answer));
    inFlight.add(request);
    void request.finally(() => inFlight.delete(request));
  }, 1000 / perSecond);
  return {
    answers,
    stop: async () => {
      clearInterval(timer);
      await Promise.all(inFlight);
      return answers;
    },
  };
}

export async function requested(
  client: Client,
  method: string,
  path: string,
  body?: Parameters<Client['request']>[2],
): Promise<Answer> {
  const reply = await client
    .request(method, path, body, { headers: { 'Idempotency-Key': randomUUID() } })
    .catch((): null => null);
  return { method, path, ...outcome(reply) };
}

function outcome(reply: Reply | null): Pick<Answer, 'status' | 'code' | 'retryAfter'> {
  if (reply === null) return { status: 0, code: null, retryAfter: 0 };
  return {
    status: reply.status,
    code: reply.body.code,
    retryAfter: Number(reply.headers.get('retry-after') ?? 0),
  };
}

/** Answers that are neither a success nor a 503 that says when to come back. */
export function unexpected(answers: readonly Answer[]): readonly Answer[] {
  return answers.filter(
    ({ status, retryAfter }) => ![200, 201].includes(status) && !(status === 503 && retryAfter > 0),
  );
}

/** Waits until reads and writes succeed; an `Error` after 1,000 attempts. */
export async function recovered(client: Client): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const write = await requested(client, 'POST', 'groups', { name: `again ${randomUUID()}` });
    const read = await requested(client, 'GET', 'groups');
    if (write.status === 201 && read.status === 200) return;
    if (attempt === 1_000) throw new Error(`Not recovered: ${JSON.stringify([write, read])}`);
    await sleep(100);
  }
}
