/** Clients of several nodes: those that write repeat a request with its Idempotency-Key until it is acknowledged. */
import { createClient } from 'graphql-ws';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';

import { sendHttp } from '../client.js';

export const CREATE =
  'mutation($name: String!) { groupCreate(input: { name: $name }) { group { id name } userErrors { code } } }';
const LEDGER = 'subscription($after: Int) { ledgerAppended(after: $after) { sequence } }';

export async function send(url: string, token: string, path: string, body: object, key: string) {
  const type = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const headers = { ...type, 'idempotency-key': key };
  const reply = await sendHttp(new URL(path, url), { method: 'POST', headers, body: JSON.stringify(body) });
  return { ...reply, isReplayed: reply.headers['idempotent-replayed'] === 'true' };
}

export const createByRest = (url: string, token: string, name: string, key: string) =>
  send(url, token, '/v1/groups', { name }, key);

export const createByGraphql = (url: string, token: string, name: string, key: string) =>
  send(url, token, '/graphql', { query: CREATE, variables: { name } }, key);

/** Names of the acknowledged groups, and the number of repeated requests. */
export interface Written {
  readonly names: string[];
  repeated: number;
}

/** Creates groups until `isDone`; an answer that is neither an acknowledgement nor temporary fails. */
export async function writeUntil(
  create: typeof createByRest,
  { url, token, prefix }: { readonly url: string; readonly token: string; readonly prefix: string },
  isDone: () => boolean,
  written: Written,
): Promise<void> {
  for (let count = 0; !isDone(); count += 1) {
    const name = `${prefix}-${count}`;
    const key = randomUUID();
    for (;;) {
      const answer = await create(url, token, name, key).catch(() => null);
      if (answer?.status === 201 || (answer?.status === 200 && answer.text.includes(`"name":"${name}"`)))
        break;
      if (answer !== null && answer.status < 500) throw new Error(`${answer.status}: ${answer.text}`);
      written.repeated += 1;
      await sleep(20);
    }
    written.names.push(name);
  }
}

export function followBySocket(urls: readonly [string, string], token: string, from: number) {
  return resuming(urls, from, (url, seen, after, signal) => {
    const client = createClient({
      url: `${url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { accessToken: token },
      retryAttempts: 0,
    });
    return new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => {
        resolve();
        void client.dispose();
      });
      client.subscribe<{ ledgerAppended: { sequence: number } }>(
        { query: LEDGER, variables: { after } },
        {
          next: ({ data }) => {
            if (data) seen.push(data.ledgerAppended.sequence);
          },
          error: () => resolve(),
          complete: () => resolve(),
        },
      );
    });
  });
}

/** As an `EventSource` does it: the header `Last-Event-ID` has the id of the last event. */
export function followByEvents(urls: readonly [string, string], token: string, from: number) {
  return resuming(urls, from, async (url, seen, after, signal) => {
    const target = new URL('/graphql/stream', url);
    target.searchParams.set('query', LEDGER);
    const headers = {
      accept: 'text/event-stream',
      authorization: `Bearer ${token}`,
      'last-event-id': String(after),
    };
    const response = await fetch(target, { headers, signal });
    let text = '';
    for await (const bytes of response.body ?? []) {
      text += Buffer.from(bytes as Uint8Array).toString();
      const events = text.split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) {
        const sequence = /"sequence":(\d+)/.exec(event)?.[1];
        if (sequence !== undefined) seen.push(Number(sequence));
      }
    }
  });
}

/** A subscriber that resumes after the last entry that it has seen, on `urls[0]` first. */
function resuming(
  urls: readonly [string, string],
  from: number,
  subscribe: (url: string, seen: number[], after: number, signal: AbortSignal) => Promise<void>,
) {
  const seen: number[] = [];
  const abort = new AbortController();
  let ends = 0;
  const run = async (): Promise<void> => {
    for (; !abort.signal.aborted; ends += 1) {
      await subscribe(urls[ends === 0 ? 0 : 1], seen, seen.at(-1) ?? from, abort.signal).catch(
        () => undefined,
      );
      await sleep(50);
    }
  };
  return { seen, ends: () => ends, running: run(), stop: () => abort.abort() };
}
