import {
  execute,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLFormattedError,
  type OperationDefinitionNode,
} from 'graphql';

import type { WatchedOperation } from '../../../http/monitoring/operation-watch.js';
import type { GraphqlContext } from '../../execution/context.js';
import { coerceLongLists, type Executed } from '../../execution/long-variables.js';
import { firstCode, maskErrors, type MaskingOptions } from '../../execution/mask.js';
import { shareArguments } from '../../execution/shared-arguments.js';
import { executeRepeatable } from '../../idempotency/repeatable-mutation.js';
import type { Price } from '../../limits/admission.js';
import type { Variables } from '../../limits/cost.js';
import { approximateJsonBytes, JsonMeasure } from '../../limits/json-bytes.js';
import { LIMITS, LONG_RESPONSE, tooLarge } from '../../limits/limits.js';
import { plannedText } from '../../plan/plan.js';

/** An operation that may be executed. */
export interface AdmittedOperation {
  readonly args: ExecutionArgs & { readonly document: DocumentNode };
  readonly definition: OperationDefinitionNode;
  readonly variables: Variables;
  readonly price: Price;
}

/** `event` is absent for queries and mutations. `extensions` is called after the execution. */
interface ResponseParts {
  readonly event?: unknown;
  readonly extensions?: () => object;
}

/** The data of a planned query as JSON text. */
interface Planned {
  readonly text: string;
}

/** Executes an operation: a query or mutation once, a subscription for each event. */
export class OperationExecution {
  /** Approximate bytes of the latest response. */
  bytes = 0;
  /** Operation with coerced variables, for all events of a subscription; null before the first execution. */
  #coerced: Promise<Executed> | null = null;

  constructor(
    private readonly masking: MaskingOptions,
    private readonly requestId: string,
    private readonly admitted: AdmittedOperation,
  ) {}

  /** The response as JSON, with masked errors. */
  async response(
    context: GraphqlContext,
    watched: WatchedOperation,
    { event, extensions }: ResponseParts,
  ): Promise<string> {
    const result = await this.#execute(context, event);
    if (!('text' in result)) return await this.#rendered(result, watched, extensions?.());
    this.bytes = result.text.length;
    return `{"data":${result.text},"extensions":${JSON.stringify(extensions?.())}}`;
  }

  /** The response to an event as JSON; null if it may differ for other callers with the same rights. */
  async shared(renewed: GraphqlContext, event: unknown): Promise<string | null> {
    const { context, isPersonal } = renewed.forRights();
    const result = await this.#execute(context, event);
    if ('text' in result) return null;
    const { data, errors } = result;
    if (data == null || errors !== undefined || isPersonal()) return null;
    return approximateJsonBytes(data) > LIMITS.answerBytes ? null : JSON.stringify({ data });
  }

  async #execute(context: GraphqlContext, event: unknown): Promise<ExecutionResult | Planned> {
    const result = await this.#executed(context, event);
    if ('text' in result || result.data == null) return result;
    // `finish` has closed the read unit: contents are read over another database connection.
    return { ...result, data: await context.contents.inline(result.data) };
  }

  async #executed(context: GraphqlContext, event: unknown): Promise<ExecutionResult | Planned> {
    const { args, definition: operation, variables, price } = this.admitted;
    try {
      const mask = this.#mask;
      await context.classify(price, operation.operation);
      const repeatable = await executeRepeatable({ ...args, operation, variables, context, mask });
      if (repeatable !== null) return repeatable;
      const text = await plannedText({ ...args, operation, variables, context });
      if (text !== null) return { text: String(text) };
      this.#coerced ??= coerceLongLists({ ...args, operation, variables }).then(shareArguments);
      const { document, variables: variableValues } = await this.#coerced;
      return await execute({
        ...args,
        ...{ document, variableValues, rootValue: event, contextValue: context },
      });
    } finally {
      context.finish();
    }
  }

  readonly #mask = (errors: readonly GraphQLError[]): readonly GraphQLFormattedError[] =>
    maskErrors(this.masking, this.requestId, errors);

  async #rendered(
    { data, errors }: ExecutionResult,
    watched: WatchedOperation,
    extensions: object | undefined,
  ): Promise<string> {
    const measure = new JsonMeasure();
    const size = await measure.inParts(data);
    this.bytes = size;
    if (size > LIMITS.answerBytes) {
      const refused = { data: null, errors: [tooLarge('answerBytes', size)] };
      return await this.#rendered(refused, watched, extensions);
    }
    const shown = errors && this.#mask(errors);
    if (shown !== undefined) watched.failed(firstCode(shown));
    const response = { data, errors: shown, extensions };
    return size > LONG_RESPONSE ? await measure.text(response) : JSON.stringify(response);
  }
}
