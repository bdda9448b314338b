import type { GraphQLError } from 'graphql';

/**
 * Sorts errors of fields by the position of the field in the document, then by index in a list: statements
 * are answered in a different order in each execution. Errors without a path stay first, in their order.
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

/** Character position of the field in the text of the operation. */
const placeOf = (error: unknown): number => (error as Partial<GraphQLError>).positions?.[0] ?? 0;

function comparePaths(path: Path, other: Path): number {
  const index = path.findIndex((key, at) => key !== other[at]);
  const [key, otherKey] = [path[index], other[index]];
  if (key === undefined || otherKey === undefined) return path.length - other.length;
  if (typeof key === 'number' && typeof otherKey === 'number') return key - otherKey;
  return key < otherKey ? -1 : 1;
}
