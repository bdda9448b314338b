import { setImmediate } from 'node:timers/promises';

import type { WatchedOperation } from '../../../http/monitoring/operation-watch.js';
import { rightsKey, type Caller } from '../../../platform/caller.js';
import { enterEventLoop } from '../../../platform/concurrency/event-loop.js';
import { PIECE_BYTES } from '../../../platform/encoding/long-text.js';
import type { GraphqlContext } from '../../execution/context.js';
import type { Events } from '../../execution/following/feed.js';
import type { Identified } from '../../execution/following/page.js';
import type { SharedTexts } from '../../execution/following/shared-texts.js';
import type { OperationExecution } from './execution.js';

/** An event as it is sent. */
export interface SentEvent {
  /** Sequence number of the event. */
  readonly id: number;
  /** JSON. */
  readonly payload: string;
}

export interface EventParts {
  readonly execution: OperationExecution;
  /** See `selectionKey`. */
  readonly selection: string;
  /** The context that was made when the caller was checked last. */
  readonly context: () => GraphqlContext;
  readonly watched: <T>(use: (operation: WatchedOperation, known: () => void) => Promise<T>) => Promise<T>;
}

/** Makes the events of a subscription, several at once if their texts exist already. */
export class EventTexts {
  constructor(private readonly parts: EventParts) {}

  async *of(pages: AsyncIterable<Events<Identified>>): AsyncGenerator<readonly SentEvent[]> {
    for await (const page of pages) {
      let rest = page.records;
      for (let [next] = rest; next !== undefined; [next] = rest) {
        const caller = await page.permitted();
        const shared = page.texts === null ? [] : await this.#shared(page.texts, rest, caller);
        const events = shared.length > 0 ? shared : [await this.#own(next)];
        yield events;
        rest = rest.slice(events.length);
        // Lets other work run, also between events that the client takes at once.
        if (page.texts === null) await setImmediate();
      }
    }
  }

  /** The first events with shared texts that fit into one message; empty if the first has no shared text. */
  async #shared(
    texts: SharedTexts,
    records: readonly Identified[],
    caller: Caller,
  ): Promise<readonly SentEvent[]> {
    const key = `${this.parts.selection} ${rightsKey(caller)}`;
    const events: SentEvent[] = [];
    let length = 0;
    for (const record of records) {
      const text = texts.of(key, record.id, () => this.#made(record));
      const payload = typeof text === 'string' ? text : await inTurn(text);
      if (payload === null) return events;
      length += payload.length;
      if (events.length > 0 && length > PIECE_BYTES) return events;
      events.push({ id: record.id, payload });
    }
    return events;
  }

  /** An attempt that fails is not counted: each subscriber executes the event for itself then. */
  async #made(record: Identified): Promise<string | null> {
    await enterEventLoop();
    return await this.parts.watched(async (_operation, known) => {
      const text = await this.parts.execution.shared(this.parts.context(), record);
      if (text !== null) known();
      return text;
    });
  }

  async #own(record: Identified): Promise<SentEvent> {
    await enterEventLoop();
    const { context, execution } = this.parts;
    return await this.parts.watched(async (operation, known) => {
      known();
      const payload = await execution.response(context(), operation, { event: record });
      return { id: record.id, payload };
    });
  }
}

/** Continues in a turn of its own: many subscribers wait for the same text. */
async function inTurn<T>(awaited: T | Promise<T>): Promise<T> {
  const result = await awaited;
  await enterEventLoop();
  return result;
}
