import type { IncomingMessage } from 'node:http';

import { SECOND } from '../../platform/clock.js';
import { parsed } from '../downloads.js';
import { Pushed, PushedList } from '../messages.js';
import { RunIsOver, type TerminalParts } from '../terminal-http.js';
import type { Confirmations } from './confirmations.js';

/** The longest wait, in seconds. */
const WAIT = 30;
/** Share of answers that are lost on their way. */
const LOST = 0.02;

/** Waits with requests that the server holds, until the run ends. Errors: `RunIsOver`. */
export async function waitByPolling(parts: TerminalParts, confirmations: Confirmations): Promise<never> {
  const { http, random, shared } = parts;
  const path = `/terminal/v1/notifications?wait=${WAIT}`;
  for (;;) {
    const isLost = shared.hasFaults && !shared.work.hasEnded() && random.chance(LOST);
    const reply = await http.ask({ method: 'GET', path, isWait: true, ...(isLost ? { cutAfter: 0 } : {}) });
    if (reply.isCut) {
      shared.figures.count('connections_lost');
      await shared.work.pause(random.whole(0, 5) * SECOND);
      continue;
    }
    for (const message of parsed(PushedList, reply).notifications) {
      confirmations.take(message, { at: shared.clock.elapsed(), connection: null });
    }
  }
}

/** Waits with event streams. Errors: `RunIsOver`. */
export async function waitByStream(parts: TerminalParts, confirmations: Confirmations): Promise<never> {
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
  shared.figures.count('connections_lost');
  stream.destroy();
}

/** The data of each event, until the response ends or its connection breaks. */
async function* eventsOf(stream: IncomingMessage): AsyncGenerator<string> {
  let rest = '';
  try {
    for await (const piece of stream.setEncoding('utf8') as AsyncIterable<string>) {
      const events = (rest + piece).split(/\r?\n\r?\n/);
      rest = events.pop() ?? '';
      for (const event of events) {
        const data = event.split(/\r?\n/).filter((line) => line.startsWith('data:'));
        if (data.length > 0) yield data.map((line) => line.slice(5).trimStart()).join('\n');
      }
    }
  } catch {
    // The connection is broken: the terminal opens another one.
  }
}
