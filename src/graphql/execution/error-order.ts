import type { GraphQLError } from 'graphql';

/**
 * Errors of fields in the order of the fields in the document, and of one field in the order of the list. They come in the
 * order in which their statements were answered, which differs from one execution to the next. Others stay first, as they
 * are.
 */
export function inDocumentOrder(errors: readonly unknown[]): readonly unknown[] {
  return errors.length < 2 ? errors : errors.toSorted(compare);
}

type Path = readonly (string | number)[];

function compare(one: unknown, other: unknown): number {
  const [path, otherPath] = [pathOf(one), pathOf(other)];
  if (path.length === 0 || otherPath.length === 0) return path.length - otherPath.length;
  return placeOf(one) - placeOf(other) || comparePaths(path, otherPath);
}

const pathOf = (error: unknown): Path => (error as Partial<GraphQLError> | null)?.path ?? [];

/** Of the field in the text of the operation. */
const placeOf = (error: unknown): number => (error as Partial<GraphQLError>).positions?.[0] ?? 0;

function comparePaths(path: Path, other: Path): number {
  const index = path.findIndex((key, at) => key !== other[at]);
  const [key, otherKey] = [path[index], other[index]];
  if (key === undefined || otherKey === undefined) return path.length - other.length;
  if (typeof key === 'number' && typeof otherKey === 'number') return key - otherKey;
  return key < otherKey ? -1 : 1;
}
