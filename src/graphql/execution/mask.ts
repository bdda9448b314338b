/** Errors of a response: which ones it has, in which order, and what clients see of them. */
import { unwrapResolverError } from '@apollo/server/errors';
import {
  GraphQLError,
  isListType,
  isNonNullType,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type FieldNode,
  type GraphQLFormattedError,
  type GraphQLOutputType,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql';

import { DomainError } from '../../platform/errors.js';
import { LIMITS, OperationRefused } from '../limits/limits.js';
import { fragmentsOf, spreadFragment, type Fragments } from '../limits/structure.js';
import { topLevelError } from '../schema/errors.js';
import type { Executable } from './long-input.js';

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
  if (error instanceof RenderedErrors) return error;
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

/**
 * The errors of a response, without those below a value that another error has made null. graphql-js answers while
 * the fields below such a value still run, so whether their errors are in the list is a matter of time.
 */
export function errorsShown(
  { schema, document, operation }: Executable,
  errors: readonly GraphQLError[],
): readonly GraphQLError[] {
  if (errors.length < 2) return [...errors];
  const types = typesOfFields(schema, document);
  const fragments = fragmentsOf(document);

  /** How many keys of the path lead to the value that is null: the nearest one that may be. */
  function nullAt(path: NonNullable<GraphQLError['path']>): number {
    let selections: readonly SelectionSetNode[] = [operation.selectionSet];
    let type: GraphQLOutputType | undefined;
    let length = 0;
    for (const [index, key] of path.entries()) {
      if (typeof key === 'number') {
        const list = isNonNullType(type) ? (type.ofType as GraphQLOutputType) : type;
        type = isListType(list) ? (list.ofType as GraphQLOutputType) : undefined;
      } else {
        const nodes = selections.flatMap((each) => fieldsNamed(key, each, fragments));
        type = nodes[0] && types.get(nodes[0]);
        selections = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
      }
      if (!isNonNullType(type)) length = index + 1;
    }
    return length;
  }

  const nulled = errors.map(({ path = [] }) => path.slice(0, nullAt(path)));
  return errors.filter((_error, own) => {
    const path = nulled[own] ?? [];
    return !nulled.some(
      (other) => other.length < path.length && other.every((key, index) => key === path[index]),
    );
  });
}

function typesOfFields(
  schema: GraphQLSchema,
  document: DocumentNode,
): ReadonlyMap<FieldNode, GraphQLOutputType> {
  const types = new Map<FieldNode, GraphQLOutputType>();
  const typeInfo = new TypeInfo(schema);
  const Field = (node: FieldNode): void => {
    const type = typeInfo.getType();
    if (type != null) types.set(node, type);
  };
  visit(document, visitWithTypeInfo(typeInfo, { Field }));
  return types;
}

/** Fields with a name in the response. Validation has made sure that they all have types of one shape. */
function fieldsNamed(key: string, { selections }: SelectionSetNode, fragments: Fragments): FieldNode[] {
  return selections.flatMap((selection) => {
    if (selection.kind !== Kind.FIELD) {
      const fragment = spreadFragment(fragments, selection);
      return fragment === undefined ? [] : fieldsNamed(key, fragment.selectionSet, fragments);
    }
    return (selection.alias ?? selection.name).value === key ? selection : [];
  });
}
