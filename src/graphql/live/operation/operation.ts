import {
  createSourceEventStream,
  getOperationAST,
  Kind,
  OperationTypeNode,
  type ExecutionResult,
  type GraphQLSchema,
} from 'graphql';

import type { LiveObserver, Transport } from '../../../http/monitoring/operation-log.js';
import type { WatchedOperation } from '../../../http/monitoring/operation-watch.js';
import type { Clock } from '../../../platform/clock.js';
import type { GraphqlContext } from '../../execution/context.js';
import type { Events } from '../../execution/following/feed.js';
import type { Identified } from '../../execution/following/page.js';
import { renderError, type MaskingOptions } from '../../execution/mask.js';
import { costShown, type SubscriptionRequest } from '../../execution/request.js';
import type { OperationText } from '../../http/operation-text.js';
import type { Admission } from '../../limits/admission.js';
import { LIMITS, OperationRefused, operationRefused } from '../../limits/limits.js';
import { EventTexts, type EventParts, type SentEvent } from './events.js';
import { OperationExecution, type AdmittedOperation } from './execution.js';
import { selectionKey } from './selection.js';

/** The client of an operation and its transport. */
export interface Client {
  readonly transport: Transport;
  readonly requestId: string;
  /** Authenticates again and makes a context for the execution. Errors: `unauthenticated`. */
  readonly context: (subscription: SubscriptionRequest | null) => Promise<GraphqlContext>;
  /** The last event that the client received; null if its transport does not report it. */
  readonly lastSeen: number | null;
}

/** The response of a query or mutation as JSON, or the next events of a subscription. */
export type Outcome = { readonly response: string } | { readonly events: readonly SentEvent[] };

export interface OperationControl {
  /** Aborts a subscription. A query or mutation runs to its end. */
  readonly stop: AbortController;
  /**
   * Waits until a query or mutation may be executed. Resolves with a function to call when the client has
   * taken the response, with its bytes. Rejects if the signal is aborted.
   */
  readonly turn?: (signal: AbortSignal) => Promise<(bytes: number) => void>;
  /** Called once, after the operation has ended. */
  readonly onEnd: () => void;
}

export interface OperationParts extends MaskingOptions {
  readonly schema: GraphQLSchema;
  readonly admission: Admission;
  readonly clock: Clock;
  readonly observer: LiveObserver;
}

/** An operation over a socket or an event stream. */
export class Operation {
  readonly kind: OperationTypeNode;
  readonly args: AdmittedOperation['args'];
  readonly #admitted: AdmittedOperation;
  readonly #execution: OperationExecution;
  readonly #startedAt: number;
  #context: GraphqlContext | null = null;
  #events = 0;
  #hasEnded = false;

  /** Throws `OperationRefused`. */
  constructor(
    private readonly parts: OperationParts,
    private readonly client: Client,
    private readonly text: OperationText,
    private readonly control: OperationControl = { stop: new AbortController(), onEnd: () => undefined },
  ) {
    const { schema, admission, clock } = parts;
    const { query, variables, operationName } = text;
    const document = admission.admit(query);
    const definition = getOperationAST(document.document, operationName);
    if (definition == null) throw noSuchOperation(operationName);
    const price = admission.price(document, variables, operationName);
    this.kind = definition.operation;
    this.args = {
      ...{ schema, document: document.document, operationName, variableValues: variables },
      options: { maxCoercionErrors: LIMITS.errors - 1 },
    };
    this.#admitted = { args: this.args, definition, variables, price };
    this.#execution = new OperationExecution(parts, client.requestId, this.#admitted);
    this.#startedAt = clock.elapsed();
  }

  get isSubscription(): boolean {
    return this.kind === OperationTypeNode.SUBSCRIPTION;
  }

  /**
   * The response of a query or mutation, or the events of a subscription. The next events are made when the
   * transport asks for them, after it has sent the events before. Rejects with `RenderedErrors`. Iterate
   * once; `return` ends the operation.
   */
  outcomes(): AsyncGenerator<Outcome> {
    const generator = this.#outcomes();
    const end = generator.return.bind(generator);
    generator.return = async (value) => {
      this.control.stop.abort();
      const result = await end(value);
      this.#end(null);
      return result;
    };
    return generator;
  }

  async *#outcomes(): AsyncGenerator<Outcome> {
    try {
      if (this.isSubscription) yield* this.#eventOutcomes();
      else yield* this.#responseInTurn();
      this.#end(null);
    } catch (error) {
      const rendered = renderError(this.parts, this.client.requestId, error);
      this.#end(rendered.code);
      throw rendered;
    }
  }

  async *#responseInTurn(): AsyncGenerator<Outcome> {
    const { turn, stop } = this.control;
    let endTurn: ((bytes: number) => void) | undefined;
    try {
      endTurn = await turn?.(stop.signal);
      yield { response: await this.#watched((watched, known) => (known(), this.#response(watched))) };
    } catch (error) {
      // The client left before the execution started.
      if (!stop.signal.aborted || error !== stop.signal.reason) throw error;
    } finally {
      endTurn?.(this.#execution.bytes);
    }
  }

  /** Each operation has its own trace: sockets and streams last longer than a trace should. */
  readonly #watched: EventParts['watched'] = (use) => {
    const name = this.#admitted.definition.name?.value ?? null;
    return this.parts.observer.watch(
      (watched) => use(watched, () => watched.known({ type: this.kind, name })),
      true,
    );
  };

  async #response(watched: WatchedOperation): Promise<string> {
    const context = await this.client.context(null);
    this.#context = context;
    const { counters } = context;
    const extensions = (): object => ({
      cost: costShown(this.#admitted.price.nodes, counters),
      ...(counters.replayed ? { idempotentReplayed: true } : {}),
    });
    return await this.#execution.response(context, watched, { extensions });
  }

  async *#eventOutcomes(): AsyncGenerator<Outcome> {
    const { transport } = this.client;
    const { observer } = this.parts;
    const source = await this.#watched((_watched, known) => (known(), this.#subscribe()));
    const selection = selectionKey(this.args.document, this.#admitted.definition, this.text);
    const execution = this.#execution;
    const texts = new EventTexts({
      ...{ execution, selection, watched: this.#watched, context: () => this.#renewed() },
    });
    observer.streamOpened(transport);
    try {
      for await (const events of texts.of(source)) {
        yield { events };
        this.#events += events.length;
        observer.eventsSent(transport, events.length);
      }
    } finally {
      observer.streamClosed(transport);
    }
  }

  /** The context that was made for the next events. */
  #renewed(): GraphqlContext {
    if (this.#context === null) throw new Error('An event came without a check of its caller.');
    return this.#context;
  }

  /** The records of a subscription. It authenticates again, with a new context, before it sends events. */
  async #subscribe(): Promise<AsyncIterable<Events<Identified>>> {
    const renew = async (): Promise<GraphqlContext> => {
      this.#context?.finish();
      return (this.#context = await this.client.context(subscription));
    };
    const subscription: SubscriptionRequest = {
      caller: async () => (await renew()).caller,
      signal: this.control.stop.signal,
      lastSeen: this.client.lastSeen,
      track: this.parts.observer.follow,
    };
    try {
      const context = await renew();
      await context.classify(this.#admitted.price, this.kind);
      const source = await createSourceEventStream({ ...this.args, contextValue: context });
      if (!(Symbol.asyncIterator in source)) throw refused(source);
      return source as AsyncIterable<Events<Identified>>;
    } finally {
      // A subscription that waits for records holds no read unit.
      this.#context?.finish();
    }
  }

  #end(code: string | null): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const [selection] = this.#admitted.definition.selectionSet.selections;
    this.parts.observer.operationEnded({
      ...{ requestId: this.client.requestId, transport: this.client.transport, operation: this.kind },
      field: this.isSubscription && selection?.kind === Kind.FIELD ? selection.name.value : null,
      ...{ events: this.#events, milliseconds: this.parts.clock.elapsed() - this.#startedAt, code },
      caller: this.#context?.caller ?? null,
    });
    this.control.onEnd();
  }
}

/** Error of the resolver: the subscription never started. */
function refused({ errors = [] }: ExecutionResult): OperationRefused {
  const [first, ...others] = errors;
  if (first === undefined) throw new Error('A subscription was refused without an error.');
  return new OperationRefused([first, ...others]);
}

/** The messages are equal to those of Apollo over HTTP. */
function noSuchOperation(operationName: string | null): OperationRefused {
  const message =
    operationName === null
      ? 'Must provide operation name if query contains multiple operations.'
      : `Unknown operation named "${operationName}".`;
  return operationRefused('OPERATION_RESOLUTION_FAILURE', message);
}
