import { Kind, OperationTypeNode } from 'graphql';

import type { LiveObserver, Transport, WatchedOperation } from '../../http/monitoring/operations.js';
import type { ClientLimits } from '../../http/request.js';
import { PIECE_BYTES } from '../../http/send.js';
import type { CountRequest } from '../../http/server/admission.js';
import type { Clock } from '../../platform/clock.js';
import { gather } from '../../platform/concurrency/event-loop.js';
import { rightsKey } from '../../platform/requests.js';
import type { GraphqlContext } from '../execution/context.js';
import type { Events, SubscriptionRequest } from '../execution/following/follow.js';
import type { Identified, SharedTexts } from '../execution/following/page.js';
import { renderError } from '../execution/mask.js';
import type { OperationText } from '../http/operation-text.js';
import type { Authenticate } from '../http/request.js';
import { Operation, selectionKey, type AnswerOptions, type OperationParts } from '../operation.js';

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

/** Sends messages. Resolves when the client has taken them, or is gone. */
export type Send = (messages: readonly Message[]) => Promise<void>;

export interface Client {
  readonly transport: Transport;
  readonly requestId: string;
  /** Authenticates again and makes a context for the execution. Errors: `unauthenticated`. */
  readonly context: (subscription: SubscriptionRequest | null) => Promise<GraphqlContext>;
  /** The last event that the client received; null if its transport does not report it. */
  readonly lastSeen: number | null;
  /** Aborted when the client leaves. That ends a subscription; a query or mutation runs to its end. */
  readonly signal: AbortSignal;
  /** Waits until a query or mutation may be executed. Call the result when the client has taken the response. */
  readonly turn?: () => Promise<() => void>;
}

/** An operation over a socket or an event stream: one response, or the events of a subscription. */
export class LiveOperation {
  readonly #operation: Operation;
  readonly #startedAt: number;
  #context: GraphqlContext | null = null;
  #events = 0;

  /** Throws `OperationRefused`. */
  constructor(
    private readonly parts: LiveParts,
    private readonly client: Client,
    text: OperationText,
  ) {
    this.#operation = new Operation(parts, text);
    this.#operation.price();
    this.#startedAt = parts.clock.elapsed();
  }

  get isSubscription(): boolean {
    return this.#operation.isSubscription;
  }

  get isChange(): boolean {
    return this.#operation.kind === OperationTypeNode.MUTATION;
  }

  /** Makes each message when the client has taken the one before. Rejects with `RenderedErrors`. */
  async run(send: Send): Promise<void> {
    let code: string | null = null;
    try {
      if (this.isSubscription) await this.#sendEvents(send);
      else await this.#sendResponse(send);
    } catch (error) {
      const rendered = renderError(this.parts, this.client.requestId, error);
      code = rendered.code;
      throw rendered;
    } finally {
      this.#report(code);
    }
  }

  async #sendResponse(send: Send): Promise<void> {
    const { turn, signal } = this.client;
    let endTurn: (() => void) | undefined;
    try {
      endTurn = await turn?.();
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    try {
      await send([{ id: null, payload: await this.#watch((watched) => this.#response(watched)) }]);
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
    return await this.#answer(watched, context, { extensions });
  }

  async #sendEvents(send: Send): Promise<void> {
    const { transport, signal } = this.client;
    const { observer } = this.parts;
    const pages = await this.#watch((watched) => this.#subscribe(watched));
    const selection = selectionKey(this.#operation);
    observer.streamOpened(transport);
    try {
      for await (const { records, texts, permitted } of pages) {
        for (let rest = records; rest.length > 0 && !signal.aborted;) {
          const key = `${selection} ${rightsKey(await permitted())}`;
          const events = await this.#eventsOf(rest, texts, key);
          await send(events);
          rest = rest.slice(events.length);
          this.#events += events.length;
          observer.eventsSent(transport, events.length);
        }
      }
    } finally {
      observer.streamClosed(transport);
    }
  }

  /** As many of the first events as fit into one message. One whose text is not shared with other clients comes alone. */
  async #eventsOf(records: readonly Identified[], texts: SharedTexts, key: string) {
    const events: Message[] = [];
    let length = 0;
    for (const record of records) {
      const payload = await texts.of(key, record.id, () => this.#sharedText(record));
      length += payload?.length ?? 0;
      if (events.length > 0 && (payload === null || length > PIECE_BYTES)) break;
      events.push({ id: placeOf(record), payload: payload ?? (await this.#ownText(record)) });
      if (payload === null) break;
    }
    return events;
  }

  /** Null if the text is not shared: then each subscriber executes the event for itself, and this is not counted. */
  async #sharedText(record: Identified): Promise<string | null> {
    await gather();
    return await this.#watch(async (watched) => {
      const text = await this.#operation.sharedText(this.#renewed(), record);
      if (text !== null) watched.known(this.#operation.label);
      return text;
    });
  }

  async #ownText(record: Identified): Promise<string> {
    await gather();
    return await this.#watch(async (watched) => {
      watched.known(this.#operation.label);
      return await this.#answer(watched, this.#renewed(), { event: record });
    });
  }

  async #answer(watched: WatchedOperation, context: GraphqlContext, options: AnswerOptions): Promise<string> {
    try {
      const { text, code } = await this.#operation.answer(context, options);
      if (code !== null) watched.failed(code);
      return text;
    } finally {
      context.finish();
    }
  }

  /** In a trace of its own: sockets and streams last longer than a trace should. */
  async #watch<T>(run: (watched: WatchedOperation) => Promise<T>): Promise<T> {
    return await this.parts.observer.watch(run, true);
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
      signal: this.client.signal,
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

  #report(code: string | null): void {
    const { requestId, transport } = this.client;
    const { kind, definition } = this.#operation;
    const [selection] = definition.selectionSet.selections;
    this.parts.observer.operationEnded({
      requestId,
      transport,
      operation: kind,
      field: this.isSubscription && selection?.kind === Kind.FIELD ? selection.name.value : null,
      events: this.#events,
      milliseconds: this.parts.clock.elapsed() - this.#startedAt,
      code,
      caller: this.#context?.caller ?? null,
    });
  }
}

/** The id after which a client resumes; null for an event without a place in the order. */
const placeOf = ({ id }: Identified): number | null => (id < 0 ? null : id);
