import { anyRowOf, type Comparison, type Condition, type FilterColumn } from './condition.js';

/**
 * A filter by texts in lower case that a record has in rows of another table, such as its tags: one must match, in any
 * case of its letters.
 */
export const anyLowerCaseText = (table: string, owner: string, column: string): FilterColumn => ({
  column: 'id',
  kind: 'text',
  meaning: inLowerCase,
  where: anyRowOf(table, owner, column),
});

const lower = (value: unknown): unknown => (typeof value === 'string' ? value.toLowerCase() : value);

/** A record without a value is one that has no such row. */
function inLowerCase(given: Comparison): Condition {
  const { operator, value } = given;
  if (operator === 'isNull') {
    const hasRow: Condition = { ...given, value: false };
    return value === true ? { not: hasRow } : hasRow;
  }
  return { ...given, value: Array.isArray(value) ? value.map(lower) : lower(value) };
}
