import { Kind, OperationTypeNode, type ExecutionArgs } from 'graphql';
import { setImmediate } from 'node:timers/promises';

import type { LiveObserver, Transport, WatchedOperation } from '../../http/monitoring/operations.js';
import type { ClientLimits } from '../../http/request.js';
import { PIECE_BYTES } from '../../http/send.js';
import type { CountRequest } from '../../http/server/admission.js';
import type { Clock } from '../../platform/clock.js';
import { gather } from '../../platform/concurrency/event-loop.js';
import { rightsKey } from '../../platform/requests.js';
import type { GraphqlContext } from '../execution/context.js';
import type { Events, SubscriptionRequest } from '../execution/following/follow.js';
import type { Identified } from '../execution/following/page.js';
import type { SharedTexts } from '../execution/following/shared-feed.js';
import { renderError } from '../execution/mask.js';
import type { OperationText } from '../http/operation-text.js';
import type { Authenticate } from '../http/request.js';
import { Operation, selectionKey, type OperationParts } from '../operation.js';

export interface LiveParts extends OperationParts {
  readonly clock: Clock;
  readonly observer: LiveObserver;
  readonly authenticate: Authenticate;
  /** Counts operations over sockets in the client's request budget. */
  readonly count: CountRequest;
  readonly limits: ClientLimits;
}

/** The response of a query or mutation, or an event of a subscription, as it is sent. */
export interface Message {
  /** Sequence number of the event; null for a response, and for an event without one. */
  readonly id: number | null;
  /** JSON. */
  readonly payload: string;
}

export interface Client {
  readonly transport: Transport;
  readonly requestId: string;
  /** Authenticates again and makes a context for the execution. Errors: `unauthenticated`. */
  readonly context: (subscription: SubscriptionRequest | null) => Promise<GraphqlContext>;
  /** The last event that the client received; null if its transport does not report it. */
  readonly lastSeen: number | null;
  /** Aborts a subscription. A query or mutation runs to its end. */
  readonly stop: AbortController;
  /** Waits until it may be executed. Call the result when the client has taken the response. */
  readonly turn?: (signal: AbortSignal) => Promise<() => void>;
  readonly onEnd?: () => void;
}

/** The response of a query or mutation, or the events of a subscription, several at a time. */
export type Messages = AsyncGenerator<readonly Message[]>;

export class LiveOperation {
  readonly #operation: Operation;
  readonly #startedAt: number;
  #context: GraphqlContext | null = null;
  #events = 0;
  #hasEnded = false;

  /** Throws `OperationRefused`. */
  constructor(
    private readonly parts: Pick<LiveParts, keyof OperationParts | 'clock' | 'observer'>,
    private readonly client: Client,
    text: OperationText,
  ) {
    this.#operation = new Operation(parts, text);
    this.#operation.price();
    this.#startedAt = parts.clock.elapsed();
  }

  get kind(): OperationTypeNode {
    return this.#operation.kind;
  }

  get isSubscription(): boolean {
    return this.kind === OperationTypeNode.SUBSCRIPTION;
  }

  get isChange(): boolean {
    return this.kind === OperationTypeNode.MUTATION;
  }

  /** Arguments from which graphql-ws reads the kind of the operation. */
  get args(): ExecutionArgs {
    const { document, text } = this.#operation;
    return { schema: this.parts.schema, document, operationName: text.operationName };
  }

  /** The response, or events, each made when asked for. Rejects with `RenderedErrors`. `return` ends it. */
  messages(): Messages {
    const generator = this.#messages();
    const end = generator.return.bind(generator);
    generator.return = async (value) => {
      this.client.stop.abort();
      const result = await end(value);
      this.#end(null);
      return result;
    };
    return generator;
  }

  async *#messages(): Messages {
    try {
      if (this.isSubscription) yield* this.#subscription();
      else yield* this.#responseInTurn();
      this.#end(null);
    } catch (error) {
      const rendered = renderError(this.parts, this.client.requestId, error);
      this.#end(rendered.code);
      throw rendered;
    }
  }

  async *#responseInTurn(): Messages {
    const { turn, stop } = this.client;
    let endTurn: (() => void) | undefined;
    try {
      endTurn = await turn?.(stop.signal);
      // A trace of its own: sockets and streams last longer than a trace should.
      const payload = await this.parts.observer.watch((watched) => this.#response(watched), true);
      yield [{ id: null, payload }];
    } catch (error) {
      // The client left before the execution started.
      if (!stop.signal.aborted || error !== stop.signal.reason) throw error;
    } finally {
      endTurn?.();
    }
  }

  async #response(watched: WatchedOperation): Promise<string> {
    watched.known(this.#operation.label);
    const context = (this.#context = await this.client.context(null));
    const { counters } = context;
    const extensions = (): object => ({
      cost: { requested: this.#operation.price().nodes, actual: counters.nodes },
      ...(counters.replayed ? { idempotentReplayed: true } : {}),
    });
    try {
      const { text, code } = await this.#operation.answer(context, { extensions });
      if (code !== null) watched.failed(code);
      return text;
    } finally {
      context.finish();
    }
  }

  async *#subscription(): Messages {
    const { transport } = this.client;
    const { observer } = this.parts;
    const pages = await observer.watch((watched) => this.#subscribe(watched), true);
    const selection = selectionKey(this.#operation);
    observer.streamOpened(transport);
    try {
      for await (const page of pages) {
        let rest = page.records;
        for (let [next] = rest; next !== undefined; [next] = rest) {
          const key = `${selection} ${rightsKey(await page.permitted())}`;
          const shared = page.texts === null ? [] : await this.#shared(page.texts, rest, key);
          const events = shared.length > 0 ? shared : [await this.#own(next)];
          yield events;
          rest = rest.slice(events.length);
          this.#events += events.length;
          observer.eventsSent(transport, events.length);
          // Lets other work run, also between events that the client takes at once.
          if (page.texts === null) await setImmediate();
        }
      }
    } finally {
      observer.streamClosed(transport);
    }
  }

  /** The first events with shared texts that fit into one message; empty if the first has no shared text. */
  async #shared(texts: SharedTexts, records: readonly Identified[], key: string) {
    const events: Message[] = [];
    let length = 0;
    for (const record of records) {
      const text = texts.of(key, record.id, () => this.#made(record));
      const payload = typeof text === 'string' ? text : await inTurn(text);
      if (payload === null) return events;
      length += payload.length;
      if (events.length > 0 && length > PIECE_BYTES) return events;
      events.push({ id: placeOf(record), payload });
    }
    return events;
  }

  /** An attempt that fails is not counted: each subscriber executes the event for itself then. */
  async #made(record: Identified): Promise<string | null> {
    await gather();
    return await this.parts.observer.watch(async (watched) => {
      const text = await this.#operation.sharedText(this.#renewed(), record);
      if (text !== null) watched.known(this.#operation.label);
      return text;
    }, true);
  }

  async #own(record: Identified): Promise<Message> {
    await gather();
    return await this.parts.observer.watch(async (watched) => {
      watched.known(this.#operation.label);
      const context = this.#renewed();
      try {
        const { text, code } = await this.#operation.answer(context, { event: record });
        if (code !== null) watched.failed(code);
        return { id: placeOf(record), payload: text };
      } finally {
        context.finish();
      }
    }, true);
  }

  #renewed(): GraphqlContext {
    if (this.#context === null) throw new Error('An event came without a check of its caller.');
    return this.#context;
  }

  /** The records of a subscription. It authenticates again, with a new context, before it sends events. */
  async #subscribe(watched: WatchedOperation): Promise<AsyncIterable<Events<Identified>>> {
    watched.known(this.#operation.label);
    const renew = async (): Promise<GraphqlContext> => {
      this.#context?.finish();
      return (this.#context = await this.client.context(subscription));
    };
    const subscription: SubscriptionRequest = {
      caller: async () => (await renew()).caller,
      signal: this.client.stop.signal,
      lastSeen: this.client.lastSeen,
      track: this.parts.observer.follow,
    };
    try {
      return (await this.#operation.subscribe(await renew())) as AsyncIterable<Events<Identified>>;
    } finally {
      // A subscription that waits for records holds no read unit.
      this.#context?.finish();
    }
  }

  #end(code: string | null): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const { requestId, transport } = this.client;
    const [selection] = this.#operation.definition.selectionSet.selections;
    this.parts.observer.operationEnded({
      requestId,
      transport,
      operation: this.kind,
      field: this.isSubscription && selection?.kind === Kind.FIELD ? selection.name.value : null,
      events: this.#events,
      milliseconds: this.parts.clock.elapsed() - this.#startedAt,
      code,
      caller: this.#context?.caller ?? null,
    });
    this.client.onEnd?.();
  }
}

/** The id after which a client resumes; null for an event without a place in the order. */
const placeOf = ({ id }: Identified): number | null => (id < 0 ? null : id);

/** Continues in a turn of its own: many subscribers wait for the same text. */
async function inTurn<T>(awaited: T | Promise<T>): Promise<T> {
  const result = await awaited;
  await gather();
  return result;
}
