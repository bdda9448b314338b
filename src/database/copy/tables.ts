import type { ColumnKind } from '../../schema/columns.js';
import { TABLES } from '../../schema/schema.js';
import { DatabaseRefused } from '../refused.js';

export interface Column {
  readonly name: string;
  /** Kind of its values, which determines their form in a copy. */
  readonly kind: ColumnKind;
}

export interface TableShape {
  readonly name: string;
  readonly columns: readonly Column[];
  /** Columns of the primary key. */
  readonly key: readonly string[];
}

/** All tables that are copied, each after those that it refers to. */
export const SHAPES: readonly TableShape[] = TABLES.map(({ name, columns, key }) => ({
  ...{ name, key },
  columns: Object.entries(columns).map(([column, { kind }]) => ({ name: column, kind })),
}));
export const COPIED_TABLES: readonly string[] = SHAPES.map(({ name }) => name);

/** Tables that are not copied: applied migrations, rate limits, and the mark of a copy. */
const NOT_COPIED: readonly string[] = ['applied_migrations', 'rate_limits', 'unfinished_copy'];

/**
 * Errors: `DatabaseRefused` if the database `name` has other tables than those of the schema, which a copy
 * would lose.
 */
export function demandKnownTables(name: string, existing: readonly string[]): void {
  const unknown = existing.filter((each) => ![...COPIED_TABLES, ...NOT_COPIED].includes(each));
  if (unknown.length === 0) return;
  throw new DatabaseRefused('unusable', `${name}: db copy does not know ${unknown.join(', ')}.`);
}
