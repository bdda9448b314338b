import { sql, type RawBuilder } from 'kysely';

import { among, flag, holdsText, instant } from './storage.js';

/** What a list can be narrowed to. */
export type Condition =
  | { readonly and: readonly Condition[] }
  | { readonly or: readonly Condition[] }
  | { readonly not: Condition }
  | Comparison;

/** One comparison of a column, which goes by its public name. */
export interface Comparison {
  readonly field: string;
  readonly operator: 'eq' | 'in' | 'startsWith' | 'contains' | 'gte' | 'lt' | 'isNull';
  readonly value: unknown;
}

export type FilterKind = 'text' | 'choice' | 'flag' | 'id' | 'instant';

export interface FilterColumn {
  readonly column: string;
  readonly kind: FilterKind;
}

/** As SQL over the table `t`. */
export function condition(
  columns: Readonly<Record<string, FilterColumn>>,
  where: Condition,
): RawBuilder<unknown> {
  if ('and' in where) return joined(columns, where.and, sql` and `, sql`1 = 1`);
  if ('or' in where) return joined(columns, where.or, sql` or `, sql`1 = 0`);
  if ('not' in where) return sql`not ${condition(columns, where.not)}`;
  return comparison(columns, where);
}

function joined(
  columns: Readonly<Record<string, FilterColumn>>,
  parts: readonly Condition[],
  by: RawBuilder<unknown>,
  none: RawBuilder<unknown>,
): RawBuilder<unknown> {
  if (parts.length === 0) return none;
  return sql`(${sql.join(
    parts.map((part) => condition(columns, part)),
    by,
  )})`;
}

/** After every text that begins with a given one. */
const LAST = '\u{10ffff}';

function toColumn(value: unknown): string | number {
  if (value instanceof Date) return instant.toColumn(value);
  if (typeof value === 'boolean') return flag.toColumn(value);
  if (typeof value === 'string' || typeof value === 'number') return value;
  throw new Error('No column holds such a value');
}

function comparison(columns: Readonly<Record<string, FilterColumn>>, where: Comparison): RawBuilder<unknown> {
  const known = columns[where.field];
  if (known === undefined) throw new Error(`No list can be filtered by ${where.field}`);
  const column = sql.ref(`t.${known.column}`);
  switch (where.operator) {
    case 'eq':
      return sql`${column} = ${toColumn(where.value)}`;
    case 'in':
      return sql`${column} in ${among((where.value as readonly unknown[]).map(toColumn))}`;
    case 'startsWith':
      return sql`(${column} >= ${where.value} and ${column} < ${String(where.value) + LAST})`;
    case 'contains':
      return holdsText(column, String(where.value));
    case 'gte':
      return sql`${column} >= ${toColumn(where.value)}`;
    case 'lt':
      return sql`${column} < ${toColumn(where.value)}`;
    case 'isNull':
      return where.value === true ? sql`${column} is null` : sql`${column} is not null`;
  }
}
