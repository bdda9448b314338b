/**
 * How an operation runs, over HTTP, sockets and event streams: it is admitted, answered from a plan or by the
 * resolvers, and its response becomes text. A transport reads an `OperationText`, makes an `Operation` of it, and
 * calls `answer`: once for a query or mutation, for each event of a subscription (decisions.md#one-pipeline).
 */
import {
  createSourceEventStream,
  execute,
  getOperationAST,
  OperationTypeNode,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';

import type { OperationKind } from '../http/monitoring/operations.js';
import type { GraphqlContext } from './execution/context.js';
import { coerceLongLists, shareArguments, type Executable } from './execution/long-input.js';
import { firstCode, maskErrors, type MaskingOptions } from './execution/mask.js';
import { executeRepeatable } from './execution/repeatable-mutation.js';
import type { Admission, AdmittedDocument, Price } from './limits/admission.js';
import type { Variables } from './limits/cost.js';
import { approximateJsonBytes, JsonMeasure } from './limits/json-bytes.js';
import { LIMITS, LONG_RESPONSE, OperationRefused, operationRefused, tooLarge } from './limits/limits.js';
import { plannedText } from './plan/plan.js';

/** An operation as a client sends it. */
export interface OperationText {
  readonly query: string;
  readonly variables: Variables;
  readonly operationName: string | null;
}

/** Services that all operations of a server share. */
export interface OperationParts extends MaskingOptions {
  readonly schema: GraphQLSchema;
  readonly admission: Admission;
}

/** The response to an operation, or to one event of a subscription. */
export interface Answer {
  /** JSON; over HTTP with placeholders for contents of files. */
  readonly text: string;
  /** Approximate bytes. */
  readonly bytes: number;
  /** False if the variables are invalid. */
  readonly isExecuted: boolean;
  /** Code of the first error; null without errors. */
  readonly code: string | null;
}

/** How `answer` executes: `event` for a subscription, `extensions` for other operations, called at the end. */
interface AnswerOptions {
  readonly event?: unknown;
  readonly extensions?: () => object;
}

/** The result of an execution; `planned` is the JSON text of the data of a planned query. */
type Result = ExecutionResult | { readonly planned: string };

/** An operation whose document is admitted. */
export class Operation {
  readonly definition: OperationDefinitionNode;
  readonly #admitted: AdmittedDocument;
  #price: Price | undefined;
  /** The operation as graphql-js gets it, for all events of a subscription. */
  #prepared: Promise<Executable> | undefined;

  /** Parses and validates the document, or finds it in a cache. Throws `OperationRefused`. */
  constructor(
    private readonly parts: OperationParts,
    readonly text: OperationText,
  ) {
    const { query, operationName } = text;
    this.#admitted = parts.admission.admit(query);
    const definition = getOperationAST(this.document, operationName);
    if (definition == null) throw noSuchOperation(operationName);
    this.definition = definition;
  }

  get document(): DocumentNode {
    return this.#admitted.document;
  }

  get kind(): OperationTypeNode {
    return this.definition.operation;
  }

  /** Type and name, for metrics and traces. */
  get label(): OperationKind {
    return { type: this.kind, name: this.definition.name?.value ?? null };
  }

  get isSubscription(): boolean {
    return this.kind === OperationTypeNode.SUBSCRIPTION;
  }

  /** The maximum cost of the operation with these variables. Throws `OperationRefused` if it is too high. */
  price(): Price {
    const { variables, operationName } = this.text;
    return (this.#price ??= this.parts.admission.price(this.#admitted, variables, operationName));
  }

  /**
   * Executes the operation. Errors: `OperationRefused`, before anything is executed. The transport ends the context
   * when it has taken the text: until then, the operation may have a permit that limits how many are in memory.
   */
  async answer(context: GraphqlContext, { event, extensions }: AnswerOptions): Promise<Answer> {
    const result = await this.#execute(context, event);
    if (!('planned' in result)) return await this.#rendered(result, context, extensions?.());
    const { planned } = result;
    const text = `{"data":${planned},"extensions":${JSON.stringify(extensions?.())}}`;
    return { text, bytes: planned.length, isExecuted: true, code: null };
  }

  /** Starts a subscription. Resolves to what its resolver returns, the source of its events. */
  async subscribe(context: GraphqlContext): Promise<AsyncIterable<unknown>> {
    await context.classify(this.price(), this.kind);
    const source = await createSourceEventStream(argumentsOf(this.#executable, context));
    if (Symbol.asyncIterator in source) return source;
    const [first, ...others] = source.errors ?? [];
    if (first === undefined) throw new Error('A subscription was refused without an error.');
    throw new OperationRefused([first, ...others]);
  }

  /** The response to an event as JSON; null if it may differ for other callers with the same rights. */
  async sharedText(renewed: GraphqlContext, event: unknown): Promise<string | null> {
    const { context, isPersonal } = renewed.forRights();
    try {
      const result = await this.#execute(context, event);
      if ('planned' in result) return null;
      const { data, errors } = result;
      if (data == null || errors !== undefined || isPersonal()) return null;
      return approximateJsonBytes(data) > LIMITS.answerBytes ? null : JSON.stringify({ data });
    } finally {
      context.finish();
    }
  }

  get #executable(): Executable {
    const { document, definition: operation, text } = this;
    return { schema: this.parts.schema, document, operation, variables: text.variables };
  }

  async #execute(context: GraphqlContext, event: unknown): Promise<Result> {
    const execution = { ...this.#executable, context };
    await context.classify(this.price(), this.kind);
    const planned = await plannedText(execution);
    if (planned !== null) return { planned };
    const mask = (errors: readonly GraphQLError[]) => this.#masked(context, errors);
    const result = (await executeRepeatable({ ...execution, mask })) ?? (await this.#resolve(context, event));
    if (result.data == null || !context.contents.areInMessage) return result;
    // Contents are read over another database connection than that of the read unit, which is closed first.
    context.finish();
    return { ...result, data: await context.contents.inline(result.data) };
  }

  /** Executes with the resolvers. */
  async #resolve(context: GraphqlContext, event: unknown): Promise<ExecutionResult> {
    this.#prepared ??= coerceLongLists(this.#executable).then(shareArguments);
    return await execute({ ...argumentsOf(await this.#prepared, context), rootValue: event });
  }

  async #rendered(
    { data, errors }: ExecutionResult,
    context: GraphqlContext,
    extensions: object | undefined,
  ): Promise<Answer> {
    const measure = new JsonMeasure();
    const bytes = await measure.inParts(data);
    if (bytes > LIMITS.answerBytes) {
      const refused = { data: null, errors: [tooLarge('answerBytes', bytes)] };
      return await this.#rendered(refused, context, extensions);
    }
    const shown = errors && this.#masked(context, errors);
    const response = { errors: shown, data, extensions };
    const text = bytes > LONG_RESPONSE ? await measure.text(response) : JSON.stringify(response);
    // graphql-js leaves `data` out if it could not coerce the variables.
    return { text, bytes, isExecuted: data !== undefined, code: shown ? firstCode(shown) : null };
  }

  #masked({ caller }: GraphqlContext, errors: readonly GraphQLError[]): readonly GraphQLFormattedError[] {
    return maskErrors(this.parts, caller.requestId, errors);
  }
}

/** The operation as graphql-js takes it. */
function argumentsOf(
  { schema, document, operation, variables }: Executable,
  context: GraphqlContext,
): ExecutionArgs {
  return {
    schema,
    document,
    operationName: operation.name?.value,
    variableValues: variables,
    contextValue: context,
    // One less than the limit, because graphql-js adds an entry that says there are more.
    options: { maxCoercionErrors: LIMITS.errors - 1 },
  };
}

function noSuchOperation(operationName: string | null): OperationRefused {
  const message =
    operationName === null
      ? 'Must provide operation name if query contains multiple operations.'
      : `Unknown operation named "${operationName}".`;
  return operationRefused('OPERATION_RESOLUTION_FAILURE', message);
}
