import { unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';

import { DomainError } from '../../platform/errors.js';
import { LIMITS, OperationRefused } from '../limits/limits.js';
import { topLevelError } from '../schema/errors.js';

export interface MaskingOptions {
  /** Shows suggestions ("Did you mean …?"), which contain names of the schema. */
  readonly development: boolean;
  /** Called for faults of the server. The client gets only the request id. */
  readonly onError: (error: unknown, requestId: string | null) => void;
}

/** Errors for the client, in document order. Faults of the server become INTERNAL_SERVER_ERROR. */
export function maskErrors(options: MaskingOptions, requestId: string | null, errors: readonly unknown[]) {
  return inDocumentOrder(errors)
    .slice(0, LIMITS.errors)
    .map((error) => maskError(options, requestId, error));
}

/** Ends an operation over a socket or stream, with errors that are masked already. */
export class RenderedErrors extends Error {
  override readonly name = 'RenderedErrors';

  constructor(readonly errors: readonly GraphQLFormattedError[]) {
    super(errors[0]?.message);
  }

  get code(): string {
    return firstCode(this.errors);
  }
}

export function firstCode([first]: readonly GraphQLFormattedError[]): string {
  return String(first?.extensions?.code);
}

export function renderError(options: MaskingOptions, requestId: string, error: unknown): RenderedErrors {
  const errors = error instanceof OperationRefused ? error.errors : [error];
  return new RenderedErrors(maskErrors(options, requestId, errors));
}

function maskError({ development, onError }: MaskingOptions, requestId: string | null, error: unknown) {
  const visible = visibleError(error);
  const position = error instanceof GraphQLError ? positionOf(error) : {};
  if (visible === undefined) {
    onError(unwrapResolverError(error), requestId);
    return {
      message: 'Something went wrong on the server.',
      ...position,
      extensions: { code: 'INTERNAL_SERVER_ERROR', requestId },
    };
  }
  const extensions = Object.fromEntries(
    Object.entries(visible.extensions).filter(([name]) => name !== 'http'),
  );
  const message = development ? visible.message : visible.message.replace(/ ?Did you mean .+\?$/s, '');
  return { message: shortened(message), ...position, extensions };
}

function positionOf(error: GraphQLError): Pick<GraphQLFormattedError, 'locations' | 'path'> {
  const { locations, path } = error.toJSON();
  return { ...(locations === undefined ? {} : { locations }), ...(path === undefined ? {} : { path }) };
}

/** Errors of the domain, with a code, or of graphql-js about the request; undefined for faults. */
function visibleError(error: unknown): Pick<GraphQLError, 'message' | 'extensions'> | undefined {
  const original = unwrapResolverError(error);
  if (original instanceof DomainError) return topLevelError(original);
  if (!(original instanceof GraphQLError)) return undefined;
  if (original.extensions.code !== undefined) return original;
  return isAboutRequest(original)
    ? { message: original.message, extensions: { code: 'BAD_USER_INPUT' } }
    : undefined;
}

/** True if it precedes execution or concerns an argument. Else graphql-js could not render a value: a fault. */
function isAboutRequest(error: GraphQLError): boolean {
  return error.path === undefined || error.message.startsWith('Argument "');
}

/** Limits the length: messages may quote text of any length from the request. */
function shortened(message: string): string {
  return message.length > LIMITS.message ? `${message.slice(0, LIMITS.message)}...` : message;
}

/** Sorts errors by place in the document, then by list index: statements are answered in another order each time. */
export function inDocumentOrder(errors: readonly unknown[]): readonly unknown[] {
  return errors.toSorted(compare);
}

const BY_INDEX = new Intl.Collator('en', { numeric: true });

function compare(one: unknown, other: unknown): number {
  const [path, otherPath] = [pathOf(one), pathOf(other)];
  if (path.length === 0 || otherPath.length === 0) return path.length - otherPath.length;
  return placeOf(one) - placeOf(other) || BY_INDEX.compare(path.join('.'), otherPath.join('.'));
}

const pathOf = (error: unknown) => (error as Partial<GraphQLError> | null)?.path ?? [];

const placeOf = (error: unknown): number => (error as Partial<GraphQLError>).positions?.[0] ?? 0;
