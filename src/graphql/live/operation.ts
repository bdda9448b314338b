import {
  createSourceEventStream,
  execute,
  getOperationAST,
  Kind,
  OperationTypeNode,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type FormattedExecutionResult,
  type GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';

import type { LiveObserver, Transport } from '../../http/monitoring/operation-log.js';
import type { WatchedOperation } from '../../http/monitoring/operation-watch.js';
import { enterEventLoop } from '../../platform/concurrency/event-loop.js';
import type { Clock } from '../../platform/clock.js';
import type { GraphqlContext } from '../execution/context.js';
import { executeQuery } from '../execution/executor.js';
import { coerceLongLists, type Executed } from '../execution/variables/long-variables.js';
import { firstCode, maskErrors, renderError, type MaskingOptions } from '../execution/mask.js';
import { shareArguments } from '../execution/variables/shared-arguments.js';
import { costShown, type SubscriptionRequest } from '../execution/request.js';
import type { OperationText } from '../http/operation-text.js';
import { executeRepeatable } from '../idempotency/repeatable-mutation.js';
import type { Admission, Price } from '../limits/admission.js';
import { approximateJsonBytes } from '../limits/json-bytes.js';
import { LIMITS, OperationRefused, operationRefused, tooLarge } from '../limits/limits.js';

/** The client of an operation and its transport. */
export interface Client {
  readonly transport: Transport;
  readonly requestId: string;
  /** Authenticates again and makes a context for the execution. Errors: `unauthenticated`. */
  readonly context: (subscription: SubscriptionRequest | null) => Promise<GraphqlContext>;
  /** The last event that the client received; null where its transport does not say. */
  readonly lastSeen: number | null;
}

/** The response of a query or mutation, or one event of a subscription. */
export interface Outcome {
  /** The sequence number of the event; null for a response. */
  readonly id: number | null;
  readonly payload: FormattedExecutionResult;
}

export interface OperationControl {
  /** Ends a subscription at once; a query or mutation is finished. */
  readonly stop: AbortController;
  /**
   * Resolves when a query or mutation may be executed, to the function that ends its turn: called with the
   * bytes of the response when it was taken. Rejects when the signal is aborted.
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
  readonly args: ExecutionArgs & { readonly document: DocumentNode };
  readonly #definition: OperationDefinitionNode;
  readonly #price: Price;
  readonly #startedAt: number;
  /** The same for all events of a subscription. */
  #coerced: Promise<Executed> | null = null;
  #context: GraphqlContext | null = null;
  #events = 0;
  /** Of the latest response. */
  #bytes = 0;
  #hasEnded = false;
  #watching: WatchedOperation | null = null;

  /** Throws `OperationRefused`. */
  constructor(
    private readonly parts: OperationParts,
    private readonly client: Client,
    private readonly text: OperationText,
    private readonly control: OperationControl = { stop: new AbortController(), onEnd: () => undefined },
  ) {
    const { schema, admission, clock } = parts;
    const { query, variables, operationName } = text;
    const admitted = admission.admit(query);
    const { document } = admitted;
    const definition = getOperationAST(document, operationName);
    if (definition == null) throw noSuchOperation(operationName);
    this.#price = admission.price(admitted, variables, operationName);
    this.#definition = definition;
    this.kind = definition.operation;
    this.args = {
      ...{ schema, document, operationName, variableValues: variables },
      options: { maxCoercionErrors: LIMITS.errors - 1 },
    };
    this.#startedAt = clock.elapsed();
  }

  get isSubscription(): boolean {
    return this.kind === OperationTypeNode.SUBSCRIPTION;
  }

  /**
   * The response, or the events one by one: each is made when the transport asks for it, after it has sent the one
   * before. Rejects with `RenderedErrors`. To be iterated once; `return` ends the operation at once.
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
      yield { id: null, payload: await this.#watched(() => this.#response()) };
    } catch (error) {
      // Its client left while it waited for its turn.
      if (!stop.signal.aborted || error !== stop.signal.reason) throw error;
    } finally {
      endTurn?.(this.#bytes);
    }
  }

  /** An operation has a trace of its own: sockets and streams last longer than a trace should. */
  #watched<T>(use: () => Promise<T>): Promise<T> {
    return this.parts.observer.watch(async (operation) => {
      operation.known({ type: this.kind, name: this.#definition.name?.value ?? null });
      this.#watching = operation;
      return await use();
    }, true);
  }

  async #response(): Promise<FormattedExecutionResult> {
    const context = await this.client.context(null);
    this.#context = context;
    const result = await this.#execute(context);
    const { counters } = context;
    const extensions = {
      cost: costShown(this.#price.nodes, counters),
      ...(counters.replayed ? { idempotentReplayed: true } : {}),
    };
    return { ...this.#rendered(result), extensions };
  }

  async *#eventOutcomes(): AsyncGenerator<Outcome> {
    const { transport } = this.client;
    const source = await this.#watched(() => this.#subscribe());
    this.parts.observer.streamOpened(transport);
    try {
      for await (const record of source) {
        // One commit can have events for many subscribers.
        await enterEventLoop();
        const payload = await this.#watched(async () =>
          this.#rendered(await this.#execute(this.#renewed(), record)),
        );
        yield { id: (record as { id: number }).id, payload };
        this.#events += 1;
        this.parts.observer.eventSent(transport);
      }
    } finally {
      this.parts.observer.streamClosed(transport);
    }
  }

  /** The context that was made for this event. */
  #renewed(): GraphqlContext {
    if (this.#context === null) throw new Error('An event came without a check of its caller.');
    return this.#context;
  }

  /** The records of a subscription. It asks for its caller before each event, which gets a new context then. */
  async #subscribe(): Promise<AsyncIterable<unknown>> {
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
      await context.examine(this.#price, this.kind);
      const source = await createSourceEventStream({ ...this.args, contextValue: context });
      if (!(Symbol.asyncIterator in source)) throw refused(source);
      return source;
    } finally {
      // While it waits for records, a subscription holds no read unit.
      this.#context?.finish();
    }
  }

  async #execute(context: GraphqlContext, event?: unknown): Promise<ExecutionResult> {
    const result = await this.#executed(context, event);
    if (result.data == null) return result;
    // After `finish`: contents are read over a database connection of their own.
    return { ...result, data: await context.contents.inline(result.data) };
  }

  async #executed(context: GraphqlContext, event: unknown): Promise<ExecutionResult> {
    try {
      const operation = this.#definition;
      const { variables } = this.text;
      const mask = this.#mask;
      await context.examine(this.#price, operation.operation);
      const repeatable = await executeRepeatable({ ...this.args, operation, variables, context, mask });
      if (repeatable !== null) return repeatable;
      const data = await executeQuery({ ...this.args, operation, variables, context });
      if (data !== null) return { data };
      this.#coerced ??= coerceLongLists({ ...this.args, operation, variables }).then(shareArguments);
      const { document, variables: variableValues } = await this.#coerced;
      return await execute({
        ...this.args,
        ...{ document, variableValues, rootValue: event, contextValue: context },
      });
    } finally {
      context.finish();
    }
  }

  readonly #mask = (errors: readonly GraphQLError[]): readonly GraphQLFormattedError[] =>
    maskErrors(this.parts, this.client.requestId, errors);

  #rendered({ data, errors }: ExecutionResult): FormattedExecutionResult {
    const size = approximateJsonBytes(data);
    this.#bytes = size;
    if (size > LIMITS.answerBytes) {
      return this.#rendered({ data: null, errors: [tooLarge('answerBytes', size)] });
    }
    const response = data === undefined ? {} : { data };
    if (errors === undefined) return response;
    const shown = this.#mask(errors);
    this.#watching?.failed(firstCode(shown));
    return { ...response, errors: shown };
  }

  #end(code: string | null): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const [selection] = this.#definition.selectionSet.selections;
    this.parts.observer.operationEnded({
      ...{ requestId: this.client.requestId, transport: this.client.transport, operation: this.kind },
      field: this.isSubscription && selection?.kind === Kind.FIELD ? selection.name.value : null,
      ...{ events: this.#events, milliseconds: this.parts.clock.elapsed() - this.#startedAt, code },
      caller: this.#context?.caller ?? null,
    });
    this.control.onEnd();
  }
}

/** The resolver refused the subscription: it never started. */
function refused({ errors = [] }: ExecutionResult): OperationRefused {
  const [first, ...others] = errors;
  if (first === undefined) throw new Error('A subscription was refused without an error.');
  return new OperationRefused([first, ...others]);
}

/** The same messages as over HTTP, where Apollo makes them. */
function noSuchOperation(operationName: string | null): OperationRefused {
  const message =
    operationName === null
      ? 'Must provide operation name if query contains multiple operations.'
      : `Unknown operation named "${operationName}".`;
  return operationRefused('OPERATION_RESOLUTION_FAILURE', message);
}
