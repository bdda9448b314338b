import {
  createSourceEventStream,
  execute,
  getOperationAST,
  Kind,
  OperationTypeNode,
  type ExecutionArgs,
  type ExecutionResult,
  type FormattedExecutionResult,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';

import type { LiveObserver, Transport } from '../../http/monitoring/operation-log.js';
import type { Clock } from '../../platform/clock.js';
import type { GraphqlContext } from '../execution/context.js';
import type { Gate } from '../limits/gate.js';
import { LIMITS, OperationRefused, operationRefused, tooLarge } from '../limits/limits.js';
import type { OperationText } from '../http/operation-text.js';
import type { SubscriptionRequest } from '../execution/request.js';
import { approximateJsonBytes } from '../limits/json-bytes.js';
import { masked, tell, type Telling } from './rendered-errors.js';

/** Who asks, over which transport. */
export interface Asker {
  readonly transport: Transport;
  readonly requestId: string;
  /** What resolvers are given, for the caller as of now. Errors: `unauthenticated`. */
  readonly context: (lasting: SubscriptionRequest | null) => Promise<GraphqlContext>;
  /** The last event that the client has, where it says so. */
  readonly lastSeen: number | null;
}

/** One answer, or one event. */
export interface Outcome {
  /** The event's place in the order of events; null for an answer. */
  readonly id: number | null;
  readonly payload: FormattedExecutionResult;
}

/** What an operation has to do with whoever runs it. */
export interface Running {
  /** Ends it from outside: a stream at once, while an answer is finished. */
  readonly stop: AbortController;
  /** Told once, when nothing of it runs any more. */
  readonly onOver: () => void;
}

export interface OperationParts extends Telling {
  readonly schema: GraphQLSchema;
  readonly gate: Gate;
  readonly clock: Clock;
  readonly observer: LiveObserver;
}

/** An operation that has passed every wall, and what comes of it. */
export class Operation {
  readonly kind: OperationTypeNode;
  readonly #definition: OperationDefinitionNode;
  readonly args: ExecutionArgs;
  readonly #cost: number;
  readonly #started: number;
  #context: GraphqlContext | null = null;
  #events = 0;
  #over = false;

  /** Throws a `Refusal`. */
  constructor(
    private readonly parts: OperationParts,
    private readonly asker: Asker,
    { query, variables, operationName }: OperationText,
    private readonly running: Running = { stop: new AbortController(), onOver: () => undefined },
  ) {
    const { schema, gate, clock } = parts;
    const admitted = gate.admit(query);
    const { document } = admitted;
    const definition = getOperationAST(document, operationName);
    if (definition == null) throw notThere(operationName);
    this.#cost = gate.price(admitted, variables, operationName);
    this.#definition = definition;
    this.kind = definition.operation;
    this.args = {
      ...{ schema, document, operationName, variableValues: variables },
      options: { maxCoercionErrors: LIMITS.errors - 1 },
    };
    this.#started = clock.elapsed();
  }

  get isStream(): boolean {
    return this.kind === OperationTypeNode.SUBSCRIPTION;
  }

  /**
   * One answer, or event after event, each made when it is asked for: whoever sends them asks for the next when the
   * one before is on its way. Rejects with `Told`. To be taken once; `return` ends it at once.
   */
  outcomes(): AsyncGenerator<Outcome> {
    const generator = this.#outcomes();
    const end = generator.return.bind(generator);
    generator.return = async (value) => {
      this.running.stop.abort();
      const result = await end(value);
      this.#finish(null);
      return result;
    };
    return generator;
  }

  async *#outcomes(): AsyncGenerator<Outcome> {
    try {
      if (this.isStream) yield* this.#follow();
      else yield { id: null, payload: await this.#answer() };
      this.#finish(null);
    } catch (error) {
      const told = tell(this.parts, this.asker.requestId, error);
      this.#finish(told.code);
      throw told;
    }
  }

  async #answer(): Promise<FormattedExecutionResult> {
    const context = await this.asker.context(null);
    this.#context = context;
    const result = await this.#executed(context);
    const { nodes, replayed } = context.counters;
    const extensions = {
      cost: { requested: this.#cost, actual: nodes },
      ...(replayed ? { idempotentReplayed: true } : {}),
    };
    return { ...this.#shown(result), extensions };
  }

  async *#follow(): AsyncGenerator<Outcome> {
    const { transport, lastSeen } = this.asker;
    const renew = async (): Promise<GraphqlContext> => (this.#context = await this.asker.context(lasting));
    const caller = async () => (await renew()).caller;
    const lasting: SubscriptionRequest = { caller, signal: this.running.stop.signal, lastSeen };
    const source = await createSourceEventStream({ ...this.args, contextValue: await renew() });
    if (!(Symbol.asyncIterator in source)) throw refused(source);
    this.parts.observer.streamOpened(transport);
    try {
      for await (const record of source) {
        // Renewed for each event: nothing is remembered from one to the next, neither records nor rights.
        const result = await this.#executed(this.#context, record);
        yield { id: (record as { id: number }).id, payload: this.#shown(result) };
        this.#events += 1;
        this.parts.observer.eventSent(transport);
      }
    } finally {
      this.parts.observer.streamClosed(transport);
    }
  }

  async #executed(context: GraphqlContext | null, event?: unknown): Promise<ExecutionResult> {
    try {
      return await execute({ ...this.args, rootValue: event, contextValue: context });
    } finally {
      context?.finish();
    }
  }

  #shown({ data, errors }: ExecutionResult): FormattedExecutionResult {
    const size = approximateJsonBytes(data);
    if (size > LIMITS.answerBytes) {
      return this.#shown({ data: null, errors: [tooLarge('answerBytes', size)] });
    }
    const answer = data === undefined ? {} : { data };
    return errors === undefined
      ? answer
      : { ...answer, errors: masked(this.parts, this.asker.requestId, errors) };
  }

  #finish(code: string | null): void {
    if (this.#over) return;
    this.#over = true;
    const [selection] = this.#definition.selectionSet.selections;
    this.parts.observer.operationEnded({
      ...{ requestId: this.asker.requestId, transport: this.asker.transport, operation: this.kind },
      field: this.isStream && selection?.kind === Kind.FIELD ? selection.name.value : null,
      ...{ events: this.#events, milliseconds: this.parts.clock.elapsed() - this.#started, code },
      caller: this.#context?.caller ?? null,
    });
    this.running.onOver();
  }
}

/** What is refused by the resolver is no answer: the stream never was. */
function refused({ errors = [] }: ExecutionResult): OperationRefused {
  const [first, ...others] = errors;
  if (first === undefined) throw new Error('A stream was refused without a reason');
  return new OperationRefused([first, ...others]);
}

/** In the words of HTTP. */
function notThere(operationName: string | null): OperationRefused {
  const words =
    operationName === null
      ? 'Must provide operation name if query contains multiple operations.'
      : `Unknown operation named "${operationName}".`;
  return operationRefused('OPERATION_RESOLUTION_FAILURE', words);
}
