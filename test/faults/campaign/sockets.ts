import { once } from 'node:events';
import { WebSocket } from 'ws';

import type { Random } from '../../../src/platform/random.js';
import { leaks, responseProblems, type Problem, type Secrets } from './checks.js';
import type { Sender } from './companies.js';
import type { Attempt } from './requests/attempt.js';
import type { GraphqlRequests } from './requests/graphql-requests.js';
import { toJson, type OddValues } from './requests/values.js';

/** A WebSocket session: what a client sends, in order. */
export interface Session {
  readonly sender: Sender;
  readonly messages: readonly (string | Buffer)[];
  /** Whether it waits for the answer to the first message before it sends the others. */
  readonly isPatient: boolean;
}

const LISTEN_MS = 400;

export function nextSession(
  random: Random,
  odd: OddValues,
  requests: GraphqlRequests,
  sender: Sender,
): Session {
  const payload = random.chance(0.9) ? { accessToken: sender.token ?? undefined } : odd.json();
  const messages: (string | Buffer)[] = [];
  const startsWithInit = random.chance(0.93);
  if (startsWithInit) messages.push(toJson({ type: 'connection_init', payload }));
  for (let n = 0; n < random.whole(1, 6); n += 1) {
    const id = random.chance(0.97) ? String(n) : odd.json();
    const type = random.chance(0.85)
      ? 'subscribe'
      : random.pick(['ping', 'pong', 'complete', 'next', 'error', 'x', 'connection_init']);
    const message = { type, id, payload: random.chance(0.97) ? requests.payload(sender) : odd.json() };
    const text = toJson(random.chance(0.03) ? odd.mutated(message) : message);
    messages.push(random.chance(0.02) ? odd.corrupted(Buffer.from(text)) : text);
  }
  return { sender, messages, isPatient: startsWithInit && random.chance(0.95) };
}

/** The session as a request, to be shown with a finding. */
export function asAttempt({ sender, messages }: Session): Attempt {
  const upgrade = [
    ['Upgrade', 'websocket'],
    ['Sec-WebSocket-Protocol', 'graphql-transport-ws'],
  ] as const;
  const body = messages.map((message) => message.toString()).join('\n');
  const common = { query: [], headers: upgrade, delivery: 'whole' } as const;
  return { surface: 'sockets', sender, method: 'GET', path: '/graphql', body, ...common };
}

/** Sends the messages and reads for a moment; resolves to what was wrong with the answers. */
export async function runSession(
  url: string,
  session: Session,
  secrets: Secrets,
): Promise<{ readonly received: number; readonly problems: readonly Problem[] }> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  const heard: string[] = [];
  socket.on('error', () => undefined);
  socket.on('message', (data: Buffer) => heard.push(data.toString()));
  const closed = once(socket, 'close');
  const heardFirst = new Promise((resolve) => void socket.once('message', resolve));
  await Promise.race([once(socket, 'open'), closed]);
  for (const [index, message] of session.messages.entries()) {
    if (socket.readyState === WebSocket.OPEN) socket.send(message);
    // An operation before the acknowledgement ends the connection.
    if (index === 0 && session.isPatient) await Promise.race([heardFirst, closed]);
  }
  await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, LISTEN_MS))]);
  socket.terminate();
  const sent = session.messages.map((message) => message.toString()).join('\n');
  const problems = heard.flatMap((text) => [
    ...leaks(session, text, sent, secrets),
    ...messageProblems(text),
  ]);
  return { received: heard.length, problems };
}

function messageProblems(text: string): readonly Problem[] {
  if (text.includes('INTERNAL_SERVER_ERROR'))
    return [{ kind: 'an internal error', detail: text.slice(0, 400) }];
  const { type, payload } = JSON.parse(text) as { type?: unknown; payload?: unknown };
  return type === 'next' ? responseProblems(payload) : [];
}
