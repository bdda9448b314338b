import type { GraphQLError, GraphQLFormattedError } from 'graphql';

import type { LongText } from '../../platform/encoding/long-text.js';
import type { OperationContext } from '../execution/context.js';
import { firstCode, maskErrors, type MaskingOptions } from '../execution/mask.js';
import { costShown } from '../execution/request.js';
import { JsonMeasure } from '../limits/json-bytes.js';
import { LIMITS, LONG_RESPONSE, OperationRefused, tooLarge } from '../limits/limits.js';

/** Result of an execution: data, errors or both. */
export interface Executed {
  readonly data?: object | null | undefined;
  readonly errors?: readonly GraphQLError[] | undefined;
}

/** Members of a response. `measure` makes the text of long data; null if it is short or too large. */
interface Response {
  readonly data: object | null | undefined;
  readonly errors: readonly GraphQLFormattedError[] | undefined;
  readonly cost: object;
  readonly measure: JsonMeasure | null;
}

const BEFORE_DATA = '{"data":';

/** Checks an operation over HTTP before its execution, and makes its cost and response. */
export class CheckedOperation {
  /** Maximum number of records in the response. */
  requestedCost = 0;
  #refusal: OperationRefused | null = null;

  constructor(private readonly masking: MaskingOptions) {}

  get refusal(): OperationRefused | null {
    return this.#refusal;
  }

  /** Stores an `OperationRefused` that `use` throws, and returns undefined then. */
  async check<T>(use: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await use();
    } catch (error) {
      if (!(error instanceof OperationRefused)) throw error;
      this.#refusal = error;
      const { limit, actual } = error.errors[0].extensions;
      if (limit === 'cost') this.requestedCost = Number(actual);
      return undefined;
    }
  }

  async respond(context: OperationContext, { data, errors }: Executed): Promise<Response> {
    const measure = new JsonMeasure();
    const size = await measure.inParts(data);
    const isTooLarge = size > LIMITS.answerBytes;
    const found = isTooLarge ? [tooLarge('answerBytes', size)] : errors;
    return {
      data: isTooLarge ? null : data,
      errors: found && this.#failed(context, this.#refusal?.errors ?? found),
      cost: this.cost(context),
      measure: size > LONG_RESPONSE && !isTooLarge ? measure : null,
    };
  }

  /** The text of a response without errors; `data` is JSON. */
  textOf(context: OperationContext, data: string): string {
    return BEFORE_DATA + data + this.#afterData(context);
  }

  /** The bytes of a text as in `textOf`. */
  piecesOf(context: OperationContext, data: LongText): readonly Buffer[] {
    return [Buffer.from(BEFORE_DATA), ...data.pieces, Buffer.from(this.#afterData(context))];
  }

  cost({ counters }: OperationContext): object {
    return costShown(this.requestedCost, counters);
  }

  #afterData(context: OperationContext): string {
    return `,"extensions":${JSON.stringify({ cost: this.cost(context) })}}`;
  }

  masked({ caller }: OperationContext, errors: readonly GraphQLError[]): GraphQLFormattedError[] {
    return maskErrors(this.masking, caller.requestId, errors);
  }

  #failed(context: OperationContext, errors: readonly GraphQLError[]): readonly GraphQLFormattedError[] {
    const masked = this.masked(context, errors);
    context.watched?.failed(firstCode(masked));
    return masked;
  }
}
