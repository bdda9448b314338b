import { sql } from 'kysely';

import type { Moment } from '../../platform/terminal.js';
import {
  inList,
  holdsEntry,
  holdsText,
  hiddenFromPlanner,
  unindexed,
  type SqlType,
  type Sql,
} from '../storage.js';
import { equalsIgnoringCase } from './letter-case.js';

export type Condition =
  | { readonly and: readonly Condition[] }
  | { readonly or: readonly Condition[] }
  | { readonly not: Condition }
  | Comparison;

/** Operators of comparisons that ignore the case of letters, for which no index is used, with what they compare. */
export const IN_ANY_CASE = {
  eqIgnoringCase: 'all',
  startsWithIgnoringCase: 'start',
  containsIgnoringCase: 'any',
} as const;
type CaseOperator = keyof typeof IN_ANY_CASE;

/** A comparison of one column, which is given by its public name. */
export interface Comparison {
  readonly field: string;
  readonly operator:
    | 'eq'
    | 'in'
    | 'startsWith'
    | 'contains'
    | 'gte'
    | 'lt'
    | 'isNull'
    | 'hasEntry'
    | CaseOperator;
  readonly value: unknown;
}

/**
 * `linked` compares the ids of the records that are linked with a record: one of them must match. `amount` is an
 * integer of up to 2^53, `optionalChoice` a choice that a record may not have, and `entry` a key with its text in an
 * object, for example `['brand', 'Verifone']`.
 */
export type FilterKind = keyof typeof TYPES;

const TYPES = {
  text: 'text',
  choice: 'text',
  optionalChoice: 'text',
  flag: 'flag',
  id: 'integer',
  instant: 'instant',
  integer: 'integer',
  amount: 'integer',
  linked: 'integer',
  entry: 'text',
} as const satisfies Readonly<Record<string, SqlType>>;

export interface FilterColumn {
  readonly column: string;
  readonly kind: FilterKind;
  readonly isUnique?: true;
  /** Order in which an index holds the records of one value: in this order, a page is read from the index. */
  readonly order?: string;
  /** True if few records of a large table have the same value: statements prefer this index to all others. */
  readonly narrows?: true;
  /** The condition on the row `t` that compares another value than that of `column`, which it is found by. Binds no values. */
  readonly where?: (compared: (value: Sql) => Sql) => Sql;
  /** Returns the condition that replaces a comparison; it may use other columns. Without it, the value is compared. */
  readonly meaning?: (comparison: Comparison, at: Moment) => Condition;
}

/**
 * `where` of a filter by the rows of another table that belong to a record, in the column `owner`: one must match. With
 * the limit, SQLite plans it alike in the threads that search.
 */
export const anyRowOf =
  (table: string, owner: string, column: string) =>
  (compared: (value: Sql) => Sql): Sql =>
    sql`exists (select 1 from ${sql.table(table)} as own
    where own.company_id = t.company_id and ${sql.ref(`own.${owner}`)} = t.id
      and ${compared(sql.ref(`own.${column}`))} limit 1)`;

/** Columns to filter by, by public name. */
export type Filters = Readonly<Record<string, FilterColumn>>;

/** The condition with each comparison replaced by its `meaning`, if it has one. */
export function meant(columns: Filters, where: Condition | null, at: Moment): Condition | null {
  const replaced = (part: Condition): Condition => {
    if ('and' in part) return { and: part.and.map(replaced) };
    if ('or' in part) return { or: part.or.map(replaced) };
    if ('not' in part) return { not: replaced(part.not) };
    return columns[part.field]?.meaning?.(part, at) ?? part;
  };
  const hasMeanings = Object.values(columns).some(({ meaning }) => meaning !== undefined);
  return where === null || !hasMeanings ? where : replaced(where);
}

/** The condition as SQL over the table `t`. The planner may use indexes of columns that `isIndexed` accepts. */
export function condition(
  columns: Filters,
  where: Condition,
  isIndexed: (column: string) => boolean = () => true,
): Sql {
  const joined = (parts: readonly Condition[], operator: Sql): Sql =>
    sql`(${sql.join(
      parts.map((part) => condition(columns, part, isIndexed)),
      operator,
    )})`;
  if ('and' in where) return where.and.length === 0 ? sql`1 = 1` : joined(where.and, sql` and `);
  if ('or' in where) return where.or.length === 0 ? sql`1 = 0` : joined(where.or, sql` or `);
  // `is not true`, since a comparison with null is null: `not (name = 'x')` must match rows without a name.
  if ('not' in where) return sql`(${condition(columns, where.not, isIndexed)}) is not true`;
  return comparison(columns, where, isIndexed);
}

/** Conditions that must all hold. */
export function conjuncts(where: Condition | null): readonly Condition[] {
  if (where === null) return [];
  return 'and' in where ? where.and.flatMap(conjuncts) : [where];
}

/** Interval in milliseconds since 1970, `to` excluded; null for an open end. */
export interface Interval {
  readonly from: number | null;
  readonly to: number | null;
}

/** Splits a condition into the interval of `field` that it demands, and its other parts. */
export function splitInterval(
  where: Condition,
  field: string,
): Interval & { readonly rest: readonly Condition[] } {
  if ('and' in where) {
    const parts = where.and.map((part) => splitInterval(part, field));
    return {
      from: extreme(Math.max, parts, 'from'),
      to: extreme(Math.min, parts, 'to'),
      rest: parts.flatMap(({ rest }) => rest),
    };
  }
  const open = { from: null, to: null, rest: [] };
  if ('field' in where && where.field === field && where.value instanceof Date) {
    const at = where.value.getTime();
    if (where.operator === 'gte') return { ...open, from: at };
    if (where.operator === 'lt') return { ...open, to: at };
  }
  return { ...open, rest: [where] };
}

function extreme(of: (...values: number[]) => number, parts: readonly Interval[], end: keyof Interval) {
  const ends = parts.flatMap((part) => part[end] ?? []);
  return ends.length === 0 ? null : of(...ends);
}

/** The value that a condition demands of a field; undefined if it demands none. */
export function valueDemanded(where: Condition, field: string): unknown {
  if (!('and' in where)) return undefined;
  const exact = where.and.filter((part) => 'field' in part && part.operator === 'eq') as Comparison[];
  return exact.find((part) => part.field === field)?.value;
}

/** The conditions that a condition is made of; none for a comparison. */
function partsOf(where: Condition): readonly Condition[] {
  if ('and' in where) return where.and;
  if ('or' in where) return where.or;
  return 'not' in where ? [where.not] : [];
}

/** Number of comparisons; an empty `and` or `or` counts as one. */
export function comparisonsIn(where: Condition): number {
  const sum = partsOf(where).reduce((total, part) => total + comparisonsIn(part), 0);
  return Math.max(sum, 1);
}

/** Maximum comparisons in `exactComparisons`. Three of seven fields have some 250 sequences, each with its own SQL. */
const MAX_EXACT = 3;

export const fieldsIn = (where: Condition): readonly string[] =>
  'field' in where ? [where.field] : partsOf(where).flatMap(fieldsIn);

export function columnsIn(filters: Filters, where: Condition | null): string[] {
  return where === null ? [] : fieldsIn(where).flatMap((field) => filters[field]?.column ?? []);
}

export const hasAlternatives = (where: Condition | null): boolean =>
  where !== null && ('or' in where || partsOf(where).some(hasAlternatives));

/** The comparisons if there are only a few `eq` on different fields: the SQL then depends on the fields only. */
export function exactComparisons(where: Condition): readonly Comparison[] | undefined {
  const parts = 'and' in where ? where.and : [where];
  const exact = parts.filter((part) => 'field' in part && part.operator === 'eq') as Comparison[];
  const fields = new Set(exact.map(({ field }) => field));
  return fields.size === parts.length && parts.length <= MAX_EXACT ? exact : undefined;
}

/** Appended to a prefix, gives a text that sorts after every text with that prefix. */
export const LAST = '\u{10ffff}';

/** The value as it is bound to a statement. */
export function toColumn(value: unknown): string | number | boolean | Date {
  if (value instanceof Date || typeof value === 'boolean') return value;
  if (typeof value === 'string' || typeof value === 'number') return value;
  throw new Error(`A column cannot be compared with a value of type ${typeof value}`);
}

function comparison(columns: Filters, where: Comparison, isIndexed: (column: string) => boolean): Sql {
  const known = columns[where.field];
  if (known === undefined) throw new Error(`The list has no filter ${where.field}`);
  const compared = (value: Sql): Sql => comparisonOf(value, TYPES[known.kind], where);
  if (known.where !== undefined) return known.where(compared);
  const named = sql.ref(`t.${known.column}`);
  return compared(isIndexed(known.column) ? named : unindexed(named));
}

function comparisonOf(column: Sql, type: SqlType, where: Comparison): Sql {
  switch (where.operator) {
    case 'eq':
      return sql`${column} = ${hiddenFromPlanner(toColumn(where.value))}`;
    case 'in':
      // A constant, so that no rows are read.
      if ((where.value as readonly unknown[]).length === 0) return sql`1 = 0`;
      return sql`${column} ${inList(type, (where.value as readonly unknown[]).map(toColumn))}`;
    case 'startsWith':
      return sql`(${column} >= ${hiddenFromPlanner(where.value)} and ${column} < ${hiddenFromPlanner(String(where.value) + LAST)})`;
    case 'contains':
      return holdsText(column, String(where.value));
    case 'gte':
      return sql`${column} >= ${hiddenFromPlanner(toColumn(where.value))}`;
    case 'lt':
      return sql`${column} < ${hiddenFromPlanner(toColumn(where.value))}`;
    case 'eqIgnoringCase':
    case 'startsWithIgnoringCase':
    case 'containsIgnoringCase':
      return equalsIgnoringCase(column, String(where.value), IN_ANY_CASE[where.operator]);
    case 'hasEntry':
      return holdsEntry(column, where.value as readonly [string, string]);
    case 'isNull':
      return where.value === true ? sql`${column} is null` : sql`${column} is not null`;
  }
}
