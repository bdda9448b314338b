import type { IncomingMessage } from 'node:http';
import { z } from 'zod';

import { SECOND } from '../platform/clock.js';
import { parsed } from './http-client.js';
import type { Confirmations, Wait } from './inbox.js';
import { RunIsOver, type TerminalParts } from './terminal-http.js';

/** A notification in the answer of a long poll or in an event. */
const Pushed = z.object({
  id: z.string(),
  message: z.string(),
  command: z.string().optional(),
  expires_at: z.string().optional(),
});
const PushedList = z.object({ notifications: z.array(Pushed) });

/** Share of terminals that use event streams; the others use long polls. */
const STREAMS = 0.3;
/** The longest wait, in seconds. */
const WAIT = 30;
const LOST = 0.02;

export class HttpWait implements Wait {
  readonly isConnected = true;

  constructor(private readonly parts: TerminalParts) {}

  async confirm(body: string): Promise<void> {
    await this.parts.http.post('/terminal/v1/notifications/confirm', body);
  }

  async receive(confirmations: Confirmations): Promise<never> {
    const receive = this.parts.random.chance(STREAMS) ? byStream : byPolling;
    return await receive(this.parts, confirmations);
  }

  end(): void {
    // The client closes all connections.
  }
}

async function byPolling(parts: TerminalParts, confirmations: Confirmations): Promise<never> {
  const { http, random, shared } = parts;
  const path = `/terminal/v1/notifications?wait=${WAIT}`;
  for (;;) {
    const isLost = shared.hasFaults && !shared.work.hasEnded() && random.chance(LOST);
    const reply = await http.ask({ method: 'GET', path, isWait: true, ...(isLost ? { cutAfter: 0 } : {}) });
    if (reply.isCut) {
      shared.stats.count('connections_lost');
      await shared.work.pause(random.whole(0, 5) * SECOND);
      continue;
    }
    for (const message of parsed(PushedList, reply).notifications) {
      confirmations.take(message, { at: shared.clock.elapsed(), connection: null });
    }
  }
}

async function byStream(parts: TerminalParts, confirmations: Confirmations): Promise<never> {
  const { http, random, shared } = parts;
  for (;;) {
    const path = '/terminal/v1/notifications/stream';
    const { stream } = await http.open({ method: 'GET', path, isWait: true });
    if (shared.hasFaults) void loseSometime(stream, parts);
    for await (const data of eventsOf(stream)) {
      const message = Pushed.parse(JSON.parse(data));
      confirmations.take(message, { at: shared.clock.elapsed(), connection: null });
    }
    if (shared.all.hasEnded()) throw new RunIsOver();
    await shared.all.pause(random.whole(100, 2_000));
  }
}

/** Breaks the connection after 5 to 120 s, as mobile networks do. */
async function loseSometime(stream: IncomingMessage, { shared, random }: TerminalParts): Promise<void> {
  await shared.work.pause(random.whole(5, 120) * SECOND);
  if (shared.work.hasEnded() || stream.destroyed) return;
  shared.stats.count('connections_lost');
  stream.destroy();
}

/** The data of each event, until the response ends or its connection breaks. */
async function* eventsOf(stream: IncomingMessage): AsyncGenerator<string> {
  let rest = '';
  try {
    for await (const piece of stream.setEncoding('utf8') as AsyncIterable<string>) {
      const events = (rest + piece).split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) {
        const [, data] = /^data: (.*)$/m.exec(event) ?? [];
        if (data !== undefined) yield data;
      }
    }
  } catch {
    // The connection is broken: the terminal opens another one.
  }
}
