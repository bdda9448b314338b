import { Kind, visit } from 'graphql';
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';

import type { WatchOperation } from '../../http/monitoring/operations.js';
import { rightsKey, type Caller } from '../../platform/caller.js';
import { enterEventLoop } from '../../platform/concurrency/event-loop.js';
import { PIECE_BYTES } from '../../platform/encoding/text.js';
import type { GraphqlContext } from '../execution/context.js';
import type { Events } from '../execution/following/follow.js';
import type { Identified } from '../execution/following/page.js';
import type { SharedTexts } from '../execution/following/shared-feed.js';
import type { Operation } from '../operation.js';

/** The response of a query or mutation, or an event of a subscription, as it is sent. */
export interface Message {
  /** Sequence number of the event; null for a response. */
  readonly id: number | null;
  /** JSON. */
  readonly payload: string;
}

/** Makes the events of a subscription, several at once if their texts exist already. */
export class EventTexts {
  readonly #selection: string;

  constructor(
    private readonly operation: Operation,
    private readonly watch: WatchOperation,
    /** The context that was made when the caller was checked last. */
    private readonly context: () => GraphqlContext,
  ) {
    this.#selection = selectionKey(operation);
  }

  async *of(pages: AsyncIterable<Events<Identified>>): AsyncGenerator<readonly Message[]> {
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
  ): Promise<readonly Message[]> {
    const key = `${this.#selection} ${rightsKey(caller)}`;
    const events: Message[] = [];
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
    return await this.watch(async (watched) => {
      const text = await this.operation.sharedText(this.context(), record);
      if (text !== null) watched.known(this.operation.label);
      return text;
    }, true);
  }

  async #own(record: Identified): Promise<Message> {
    await enterEventLoop();
    return await this.watch(async (watched) => {
      watched.known(this.operation.label);
      const context = this.context();
      try {
        const { text, code } = await this.operation.answer(context, { event: record });
        if (code !== null) watched.failed(code);
        return { id: record.id, payload: text };
      } finally {
        context.finish();
      }
    }, true);
  }
}

/** Continues in a turn of its own: many subscribers wait for the same text. */
async function inTurn<T>(awaited: T | Promise<T>): Promise<T> {
  const result = await awaited;
  await enterEventLoop();
  return result;
}

/**
 * Key of a subscription. Subscriptions have the same key if their events are equal for callers with the same
 * rights: it contains the operation and its variables, without the variable of `after`.
 */
function selectionKey(operation: Operation): string {
  const { query, operationName, variables } = operation.text;
  const cursor = cursorVariable(operation);
  const others = Object.entries(variables).filter(([name]) => name !== cursor);
  const text = JSON.stringify([query, operationName, others]);
  return createHash('sha256').update(text).digest('base64');
}

/** The name of the variable that is the argument `after` of the subscribed field, and nothing else. */
function cursorVariable({ document, definition }: Operation): string | null {
  const [field] = definition.selectionSet.selections;
  if (field?.kind !== Kind.FIELD) return null;
  const value = field.arguments?.find(({ name }) => name.value === 'after')?.value;
  if (value?.kind !== Kind.VARIABLE) return null;
  const name = value.name.value;
  let uses = 0;
  visit(document, {
    Variable: (node) => void (uses += node.name.value === name ? 1 : 0),
    VariableDefinition: ({ variable }) => void (uses -= variable.name.value === name ? 1 : 0),
  });
  return uses === 1 ? name : null;
}
