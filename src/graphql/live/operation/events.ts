import { setImmediate } from 'node:timers/promises';

import type { WatchedOperation } from '../../../http/monitoring/operation-watch.js';
import { PIECE_BYTES } from '../../../http/pieces.js';
import { rightsKey, type Caller } from '../../../platform/caller.js';
import { enterEventLoop } from '../../../platform/concurrency/event-loop.js';
import type { GraphqlContext } from '../../execution/context.js';
import type { Events } from '../../execution/following/feed.js';
import type { OperationExecution } from './execution.js';

/** An event as it is sent. */
export interface SentEvent {
  /** Its sequence number. */
  readonly id: number;
  /** JSON. */
  readonly payload: string;
}

type Page = Events<{ readonly id: number }>;

export interface EventParts {
  readonly execution: OperationExecution;
  /** See `selectionKey`. */
  readonly selection: string;
  /** The context that was made when the caller was checked last. */
  readonly context: () => GraphqlContext;
  readonly watched: <T>(use: (operation: WatchedOperation, known: () => void) => Promise<T>) => Promise<T>;
}

/** The events of a subscription, several at once where their texts exist already. */
export class EventTexts {
  constructor(private readonly parts: EventParts) {}

  async *of(pages: AsyncIterable<Page>): AsyncGenerator<readonly SentEvent[]> {
    for await (const page of pages) {
      for (let sent = 0; sent < page.records.length;) {
        const events = await this.#next(page, sent);
        yield events;
        sent += events.length;
        // Lets other work run, also between events that the client takes at once.
        if (page.texts === null) await setImmediate();
      }
    }
  }

  async #next(page: Page, first: number): Promise<readonly SentEvent[]> {
    const caller = await page.permitted();
    const shared = await this.#shared(page, first, caller);
    if (shared.length > 0) return shared;
    return [await this.#own(page.records[first] as Page['records'][number])];
  }

  /** As many as one message may have bytes, from the first one on; none where that has no text for several subscribers. */
  async #shared({ records, texts }: Page, first: number, caller: Caller): Promise<readonly SentEvent[]> {
    const events: SentEvent[] = [];
    if (texts === null) return events;
    const key = `${this.parts.selection} ${rightsKey(caller)}`;
    for (let [index, length] = [first, 0]; index < records.length; index += 1) {
      const record = records[index] as Page['records'][number];
      const text = texts.of(key, record.id, () => this.#made(record));
      const payload = typeof text === 'string' ? text : await text;
      if (payload === null) return events;
      length += payload.length;
      if (events.length > 0 && length > PIECE_BYTES) return events;
      events.push({ id: record.id, payload });
    }
    return events;
  }

  /** An attempt that fails is not counted: each subscriber executes the event for itself then. */
  async #made(record: object): Promise<string | null> {
    await enterEventLoop();
    return await this.parts.watched(async (_operation, known) => {
      const text = await this.parts.execution.shared(this.parts.context(), record);
      if (text !== null) known();
      return text;
    });
  }

  async #own(record: { readonly id: number }): Promise<SentEvent> {
    await enterEventLoop();
    const { context, execution } = this.parts;
    return await this.parts.watched(async (operation, known) => {
      known();
      const payload = await execution.response(context(), operation, record);
      return { id: record.id, payload: JSON.stringify(payload) };
    });
  }
}
