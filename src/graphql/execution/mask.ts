import { unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';

import { DomainError } from '../../platform/errors.js';
import { topLevelError } from '../schema/errors.js';
import { LIMITS } from '../limits/limits.js';

export interface Masking {
  readonly requestId: string | null;
  /** Leaves out what would tell of the schema. */
  readonly hideSuggestions: boolean;
  /** Told of what is nobody's business but ours. */
  readonly report: (error: unknown) => void;
}

/** Errors as callers may see them: a few at most, and of what is not meant for them nothing but the request's id. */
export function maskErrors(errors: readonly unknown[], masking: Masking): GraphQLFormattedError[] {
  return errors.slice(0, LIMITS.errors).map((error) => maskError(error, masking));
}

function maskError(error: unknown, { requestId, hideSuggestions, report }: Masking): GraphQLFormattedError {
  const shown = meantForCallers(error);
  const place = error instanceof GraphQLError ? placeOf(error) : {};
  if (shown === undefined) {
    report(unwrapResolverError(error));
    return {
      message: 'Something went wrong on the server.',
      ...place,
      extensions: { code: 'INTERNAL_SERVER_ERROR', requestId },
    };
  }
  const extensions = Object.fromEntries(Object.entries(shown.extensions).filter(([name]) => name !== 'http'));
  const message = hideSuggestions ? shown.message.replace(/ ?Did you mean .+\?$/s, '') : shown.message;
  return { message: shortened(message), ...place, extensions };
}

function placeOf(error: GraphQLError): Pick<GraphQLFormattedError, 'locations' | 'path'> {
  const { locations, path } = error.toJSON();
  return { ...(locations === undefined ? {} : { locations }), ...(path === undefined ? {} : { path }) };
}

/** Our own errors and those of the language; undefined for the rest. */
function meantForCallers(error: unknown): Pick<GraphQLError, 'message' | 'extensions'> | undefined {
  const original = unwrapResolverError(error);
  if (original instanceof DomainError) return topLevelError(original);
  if (!(original instanceof GraphQLError)) return undefined;
  if (original.extensions.code !== undefined) return original;
  return isOfRequest(original)
    ? { message: original.message, extensions: { code: 'BAD_USER_INPUT' } }
    : undefined;
}

/** Before execution, or about an argument: what is wrong then is the request. Otherwise it is an answer of ours. */
function isOfRequest(error: GraphQLError): boolean {
  return error.path === undefined || error.message.startsWith('Argument "');
}

/** What was sent is quoted in part only. */
function shortened(message: string): string {
  return message.length > LIMITS.message ? `${message.slice(0, LIMITS.message)}...` : message;
}
