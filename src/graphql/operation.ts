/**
 * How an operation runs, over HTTP, sockets and event streams: it is admitted, answered from a plan or by the
 * resolvers, and its response becomes text. A transport reads an `OperationText`, makes an `Operation` of it, and
 * calls `answer`: once for a query or mutation, for each event of a subscription (decisions.md#one-pipeline).
 */
import {
  createSourceEventStream,
  execute,
  getOperationAST,
  Kind,
  OperationTypeNode,
  visit,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { createHash } from 'node:crypto';

import type { OperationKind } from '../http/monitoring/operations.js';
import type { Execution, GraphqlContext } from './execution/context.js';
import { coerceLongLists, type Executable } from './execution/long-input.js';
import { errorsShown, firstCode, maskErrors, type MaskingOptions } from './execution/mask.js';
import { executeRepeatable } from './execution/repeatable.js';
import { onlySignsIn, type OperationText } from './http/operation-text.js';
import { COMPANY_NEEDED } from './http/request.js';
import type { Admission, AdmittedDocument, Price } from './limits/admission.js';
import * as limits from './limits/limits.js';
import { plannedResult, type PlannedFields, type PlannedResult, type PlanOptions } from './plan/plan.js';

export interface OperationParts extends MaskingOptions, PlanOptions {
  readonly schema: GraphQLSchema;
  readonly admission: Admission;
}

/** The response to an operation, or to one event of a subscription. */
export interface Answer {
  /** JSON; over HTTP with placeholders for contents of files. */
  readonly text: string;
  /** False if the variables are invalid. */
  readonly isExecuted: boolean;
  /** Code of the first error; null without errors. */
  readonly code: string | null;
}

/** How `answer` executes: `event` for a subscription, `extensions` for other operations, called at the end. */
export interface AnswerOptions {
  readonly event?: unknown;
  readonly extensions?: () => object;
}

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
   * when it has taken the text: until then, a heavy operation keeps its place.
   */
  async answer(context: GraphqlContext, { event, extensions }: AnswerOptions): Promise<Answer> {
    const result = await this.#execute(context, event);
    // Fields that still run after the error of a required one would count their records, or not, by chance.
    if (result.data == null) context.counters.nodes = 0;
    return await this.#rendered(result, context, extensions?.());
  }

  /** Starts a subscription. Resolves to what its resolver returns, the source of its events. */
  async subscribe(context: GraphqlContext): Promise<AsyncIterable<unknown>> {
    await context.loaders.classify(this.price().searches, false);
    const source = await createSourceEventStream(argumentsOf(this.#executable, context));
    if (Symbol.asyncIterator in source) return source;
    const [first, ...others] = source.errors ?? [];
    if (first === undefined) throw new Error('A subscription was refused without an error.');
    throw new limits.OperationRefused([first, ...others]);
  }

  /** The response to an event as JSON; null if it may differ for other callers with the same rights. */
  async sharedText(renewed: GraphqlContext, event: unknown): Promise<string | null> {
    const { context, isPersonal } = renewed.forRights();
    try {
      const { data, errors } = await this.#execute(context, event);
      if (data == null || errors !== undefined || isPersonal()) return null;
      if (limits.approximateJsonBytes(data) > limits.LIMITS.answerBytes) return null;
      return await withContents(JSON.stringify({ data }), context);
    } finally {
      context.finish();
    }
  }

  get #executable(): Executable {
    const { document, definition: operation, text } = this;
    return { schema: this.parts.schema, document, operation, variables: text.variables };
  }

  async #execute(context: GraphqlContext, event: unknown): Promise<PlannedResult> {
    const isChange = this.kind === OperationTypeNode.MUTATION && !onlySignsIn(this.definition);
    if (isChange && !context.request.mayChange)
      throw limits.operationRefused('COMPANY_NEEDED', COMPANY_NEEDED);
    const execution = { ...this.#executable, context };
    await context.prepare(this.price(), this.kind);
    const planned = await plannedResult(execution, (others) => this.#resolve(others, undefined), this.parts);
    if (planned !== null) return planned;
    const mask = (errors: readonly GraphQLError[]) => this.#masked(context, errors);
    return (await executeRepeatable({ ...execution, mask })) ?? (await this.#resolve(execution, event));
  }

  async #resolve(execution: Execution, event: unknown): Promise<ExecutionResult> {
    this.#prepared ??= coerceLongLists(execution);
    const { context } = execution;
    const prepared = await this.#prepared;
    const result = await execute({ ...argumentsOf(prepared, context), rootValue: event });
    return result.errors === undefined ? result : { ...result, errors: errorsShown(prepared, result.errors) };
  }

  async #rendered(
    { data, errors, planned }: PlannedResult,
    context: GraphqlContext,
    extensions: object | undefined,
  ): Promise<Answer> {
    const measure = new limits.JsonMeasure();
    const bytes = measure.of(data) + (planned?.length ?? 0);
    if (bytes > limits.LIMITS.answerBytes) {
      const refused = { data: null, errors: [limits.tooLarge('answerBytes', bytes)] };
      return await this.#rendered(refused, context, extensions);
    }
    const shown = errors && this.#masked(context, errors);
    const parts = [
      ['errors', shown && JSON.stringify(shown)],
      // graphql-js leaves `data` out if it could not coerce the variables.
      ['data', data === undefined ? undefined : await textOf(data, planned, measure)],
      ['extensions', extensions && JSON.stringify(extensions)],
    ] as const;
    let response = '';
    for (const [key, text] of parts) {
      if (text !== undefined) response += `${response === '' ? '{' : ','}"${key}":${text}`;
    }
    const text = await withContents(`${response}}`, context);
    return {
      text,
      isExecuted: data !== undefined,
      code: shown ? firstCode(shown) : null,
    };
  }

  #masked({ caller }: GraphqlContext, errors: readonly GraphQLError[]): readonly GraphQLFormattedError[] {
    return maskErrors(this.parts, caller.requestId, errors);
  }
}

async function textOf(
  data: ExecutionResult['data'],
  planned: PlannedFields | undefined,
  measure: limits.JsonMeasure,
): Promise<string> {
  if (data == null || planned === undefined) return await measure.text(data);
  let text = '{';
  for (const key of planned.keys) {
    if (text.length > 1) text += ',';
    text += `${JSON.stringify(key)}:${planned.texts.get(key) ?? (await measure.text(data[key]))}`;
  }
  return `${text}}`;
}

/** A text in which contents of files are in place of their placeholders, if the response is one message. */
async function withContents(text: string, context: GraphqlContext): Promise<string> {
  const { contents } = context;
  if (!contents.areInMessage) return text;
  // Contents are read over another database connection than that of the read unit, which is closed first.
  context.finish();
  let filled = '';
  for await (const piece of contents.fill(text)) filled += piece;
  return filled;
}

function argumentsOf({ schema, document, operation, variables }: Executable, context: GraphqlContext) {
  return {
    schema,
    document,
    operationName: operation.name?.value,
    variableValues: variables,
    contextValue: context,
    // One less than the limit, because graphql-js adds an entry that says there are more.
    options: { maxCoercionErrors: limits.LIMITS.errors - 1 },
  };
}

function noSuchOperation(operationName: string | null): limits.OperationRefused {
  const message =
    operationName === null
      ? 'Must provide operation name if query contains multiple operations.'
      : `Unknown operation named "${operationName}".`;
  return limits.operationRefused('OPERATION_RESOLUTION_FAILURE', message);
}

/** Equal for subscriptions with equal events for equal rights: operation and variables but that of `after`. */
export function selectionKey(operation: Operation): string {
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
