import {
  execute,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type FormattedExecutionResult,
  type GraphQLError,
  type GraphQLFormattedError,
  type OperationDefinitionNode,
} from 'graphql';

import type { WatchedOperation } from '../../../http/monitoring/operation-watch.js';
import type { GraphqlContext } from '../../execution/context.js';
import { executeQuery } from '../../execution/executor.js';
import { firstCode, maskErrors, type MaskingOptions } from '../../execution/mask.js';
import { coerceLongLists, type Executed } from '../../execution/variables/long-variables.js';
import { shareArguments } from '../../execution/variables/shared-arguments.js';
import { executeRepeatable } from '../../idempotency/repeatable-mutation.js';
import type { Price } from '../../limits/admission.js';
import type { Variables } from '../../limits/cost.js';
import { approximateJsonBytes } from '../../limits/json-bytes.js';
import { LIMITS, tooLarge } from '../../limits/limits.js';

/** An operation that may be executed. */
export interface AdmittedOperation {
  readonly args: ExecutionArgs & { readonly document: DocumentNode };
  readonly definition: OperationDefinitionNode;
  readonly variables: Variables;
  readonly price: Price;
}

/** Executes an operation, for an event or as a whole. */
export class OperationExecution {
  /** Of the latest response, about. */
  bytes = 0;
  /** The same for all events of a subscription. */
  #coerced: Promise<Executed> | null = null;

  constructor(
    private readonly masking: MaskingOptions,
    private readonly requestId: string,
    private readonly admitted: AdmittedOperation,
  ) {}

  /** The response, with masked errors. */
  async response(
    context: GraphqlContext,
    watched: WatchedOperation,
    event?: unknown,
  ): Promise<FormattedExecutionResult> {
    return this.#rendered(await this.#execute(context, event), watched);
  }

  /** The response to an event as JSON, if it is the same for all callers with the rights of this one; otherwise null. */
  async shared(renewed: GraphqlContext, event: unknown): Promise<string | null> {
    const { context, isPersonal } = renewed.forRights();
    const { data, errors } = await this.#execute(context, event);
    if (data == null || errors !== undefined || isPersonal()) return null;
    return approximateJsonBytes(data) > LIMITS.answerBytes ? null : JSON.stringify({ data });
  }

  async #execute(context: GraphqlContext, event: unknown): Promise<ExecutionResult> {
    const result = await this.#executed(context, event);
    if (result.data == null) return result;
    // After `finish`: contents are read over a database connection of their own.
    return { ...result, data: await context.contents.inline(result.data) };
  }

  async #executed(context: GraphqlContext, event: unknown): Promise<ExecutionResult> {
    const { args, definition: operation, variables, price } = this.admitted;
    try {
      const mask = this.#mask;
      await context.examine(price, operation.operation);
      const repeatable = await executeRepeatable({ ...args, operation, variables, context, mask });
      if (repeatable !== null) return repeatable;
      const data = await executeQuery({ ...args, operation, variables, context });
      if (data !== null) return { data };
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

  #rendered({ data, errors }: ExecutionResult, watched: WatchedOperation): FormattedExecutionResult {
    const size = approximateJsonBytes(data);
    this.bytes = size;
    if (size > LIMITS.answerBytes) {
      return this.#rendered({ data: null, errors: [tooLarge('answerBytes', size)] }, watched);
    }
    const response = data === undefined ? {} : { data };
    if (errors === undefined) return response;
    const shown = this.#mask(errors);
    watched.failed(firstCode(shown));
    return { ...response, errors: shown };
  }
}
