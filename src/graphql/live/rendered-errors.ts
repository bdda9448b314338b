import { GraphQLError, type GraphQLFormattedError } from 'graphql';

import { OperationRefused } from '../limits/limits.js';
import { maskErrors } from '../execution/mask.js';

/** Why an operation ends, as its client may see it. */
export class Told extends Error {
  override readonly name = 'Told';

  constructor(readonly errors: readonly GraphQLFormattedError[]) {
    super(errors[0]?.message);
  }

  get code(): string {
    return String(this.errors[0]?.extensions?.code);
  }
}

export interface Telling {
  readonly development: boolean;
  readonly onError: (error: unknown, requestId: string | null) => void;
}

export function masked(
  { development, onError }: Telling,
  requestId: string,
  errors: readonly unknown[],
): GraphQLFormattedError[] {
  const report = (error: unknown): void => onError(error, requestId);
  return maskErrors(errors, { requestId, hideSuggestions: !development, report });
}

export function tell(telling: Telling, requestId: string, error: unknown): Told {
  return new Told(masked(telling, requestId, error instanceof OperationRefused ? error.errors : [error]));
}

export function rateLimited(retryAfter: number, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'RATE_LIMITED', retryAfter } });
}
