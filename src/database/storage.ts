/** Codecs of columns for repositories, and SQL that differs between the databases (decisions.md#two-databases). */
import { sql, type RawBuilder, RawNode } from 'kysely';

import { END_OF_TIME, FIRST_INSTANT } from '../platform/timestamps.js';
import type { JsonColumn } from '../schema/table.js';

/** SQL that a statement contains. */
export type Sql<T = unknown> = RawBuilder<T>;

export interface Codec<Value, Read, Written = Read> {
  toColumn(value: Value): Written;
  fromColumn(column: Read): Value;
}

export const instant: Codec<Date, number, Date> = {
  toColumn: (value) => value,
  fromColumn: (column) => new Date(column),
};

export const flag: Codec<boolean, number | boolean, boolean> = {
  toColumn: (value) => value,
  fromColumn: Boolean,
};

/** Codec of JSON. Values are not checked when they are read: only `toColumn` writes such a column. */
export function json<Value>(): Codec<Value, JsonColumn> {
  return {
    toColumn: (value) => JSON.stringify(value),
    fromColumn: (column) => JSON.parse(column) as Value,
  };
}

export function nullable<Value, Read, Written>(
  codec: Codec<Value, Read, Written>,
): Codec<Value | null, Read | null, Written | null> {
  return {
    toColumn: (value) => (value === null ? null : codec.toColumn(value)),
    fromColumn: (column) => (column === null ? null : codec.fromColumn(column)),
  };
}

export function areSame(one: unknown, other: unknown): boolean {
  return one instanceof Date && other instanceof Date
    ? one.getTime() === other.getTime()
    : Object.is(one, other);
}

/** A key as an instant, to be compared with its column. Other numbers and texts are beyond all instants. */
export function comparableInstant(read: number | string): Date {
  const at = typeof read === 'number' ? read : END_OF_TIME;
  return new Date(Math.min(Math.max(at, FIRST_INSTANT), END_OF_TIME));
}

/** Type of an SQL value, for statements from whose text PostgreSQL cannot infer it. */
export type SqlType = 'integer' | 'text' | 'instant' | 'flag';

const POSTGRES_TYPES: Readonly<Record<SqlType, Sql>> = {
  integer: sql`bigint`,
  text: sql`text`,
  instant: sql`timestamptz`,
  flag: sql`boolean`,
};

/** A bound value with its type, for a value that is selected, and so is not compared with anything that has a type. */
export function typed<T>(type: SqlType, value: T): Sql<T> {
  return portable(sql<T>`${value}`, sql<T>`${value}::${POSTGRES_TYPES[type]}`);
}

/** A bound value that SQLite's planner does not examine: it would plan anew for each execution, for 10 to 200 µs. */
export function hiddenFromPlanner<T>(value: T): Sql<T> {
  return portable(sql<T>`(select ${value})`, sql<T>`${value}`);
}

/** A table with an alias, and the index that the query planner of SQLite must use; PostgreSQL chooses by statistics. */
export function indexedBy(table: string, alias: string, index: string): Sql {
  const aliased = sql`${sql.table(table)} as ${sql.ref(alias)}`;
  return portable(sql`${aliased} indexed by ${sql.ref(index)}`, aliased);
}

/** A column in a form for which SQLite's query planner uses no index; PostgreSQL chooses by statistics. */
export const unindexed = <T>(column: Sql<T>): Sql<T> => portable(sql<T>`+${column}`, column);

/** Joins two tables; a condition with ON follows. SQLite reads the left one first; PostgreSQL chooses by statistics. */
export const crossJoin: Sql = portable(sql`cross join`, sql`join`);

/** An instant from a column of milliseconds since 1970, in the form of a column of instants. */
export function instantIn(column: string): Sql<Date> {
  const milliseconds = sql.ref(column);
  return portable(
    sql<Date>`${milliseconds}`,
    sql<Date>`(timestamptz 'epoch' + ${milliseconds} * interval '1 millisecond')`,
  );
}

/** The text under `key` in a column of JSON objects; null if absent. `key` is not escaped: never user input. */
export function jsonText(column: string, key: string): Sql<string | null> {
  return portable(
    sql<string | null>`json_extract(${sql.ref(column)}, ${sql.lit(`$.${key}`)})`,
    sql<string | null>`${sql.ref(column)} ->> ${sql.lit(key)}`,
  );
}

/** The number that such a text is: 1 to 3 digits; null for any other text. */
export function jsonNumber(column: string, key: string): Sql<number | null> {
  const text = jsonText(column, key);
  return portable(
    sql<number | null>`(case when length(${text}) between 1 and 3 and ${text} not glob '*[^0-9]*'
      then cast(${text} as integer) end)`,
    sql<number | null>`(case when (${text}) ~ '^[0-9]{1,3}$' then (${text})::bigint end)`,
  );
}

/** End of a query whose rows others must not change before this unit has ended; on SQLite, no other unit writes. */
export const forUpdate: Sql = portable(sql``, sql`for update`);

/** The text of a column that may hold JSON. */
export function textOf(column: string): Sql<string> {
  return portable(sql<string>`${sql.ref(column)}`, sql<string>`${sql.ref(column)}::text`);
}

/** True if a text column contains `part`, case-sensitively. */
export function holdsText(column: Sql, part: string): Sql<boolean> {
  return portable(sql<boolean>`instr(${column}, ${part}) > 0`, sql<boolean>`strpos(${column}, ${part}) > 0`);
}

/** True if a column of JSON objects, whose values are texts, has a text under a key. */
export function holdsEntry(column: Sql, [key, text]: readonly [string, string]): Sql<boolean> {
  return portable(
    sql<boolean>`(select value from json_each(${column}) where key = ${key}) = ${text}`,
    sql<boolean>`${column} ->> ${key}::text = ${text}`,
  );
}

/** Two SQL expressions with the same meaning, one for each database; in a cached statement with the same bound values. */
export function portable<T>(sqlite: Sql<T>, postgres: Sql<T>): Sql<T> {
  const expression = {
    isRawBuilder: true,
    toOperationNode: () => ({
      ...sqlite.toOperationNode(),
      postgres: postgres.toOperationNode(),
    }),
  };
  return sql<T>`${expression}`;
}

export function postgresNode(node: RawNode): RawNode {
  return 'postgres' in node ? (node.postgres as RawNode) : node;
}

// Lists are bound as JSON texts, one parameter each: the text of a statement does not depend on the length.
/** PostgreSQL expressions that convert `value`, an element of a JSON list, to a type. */
const ELEMENTS: Readonly<Record<SqlType, Sql>> = {
  integer: sql`value::bigint`,
  text: sql`value`,
  instant: sql`timestamptz 'epoch' + value::bigint * interval '1 millisecond'`,
  flag: sql`value::integer::boolean`,
};

/** Encodes a list of values of one type for binding: instants as milliseconds, flags as 0 or 1. */
export function boundList(values: readonly unknown[]): string {
  return JSON.stringify(
    values.map((value) => (value instanceof Date || typeof value === 'boolean' ? Number(value) : value)),
  );
}

/** The elements of a bound JSON list as a PostgreSQL array. The planner assumes that it has 10 elements. */
const arrayOf = (type: SqlType, list: string): Sql =>
  sql`array(select ${ELEMENTS[type]} from json_array_elements_text(${list}::json) as item (value))`;

/** `in …`, to follow a column: whether its value is in the list. */
export function inList(type: SqlType, values: readonly unknown[]): Sql {
  const list = boundList(values);
  return portable(sql`in (select value from json_each(${list}))`, sql`= any (${arrayOf(type, list)})`);
}

export const inIds = (ids: readonly number[]): Sql => inList('integer', ids);

/** The columns of a row's company and id, for example `t.company_id` and `t.id`. */
interface RowKey {
  readonly company: Sql;
  readonly id: Sql;
}

/**
 * Condition for rows of a company that have one of some ids; in a cached statement, the company is bound first. SQLite
 * compares both columns at once: it would otherwise read all rows of the company from an index with all columns used.
 */
export function haveIds({ company, id }: RowKey, companyId: number, ids: readonly number[]): Sql {
  const list = JSON.stringify(ids);
  return portable(
    sql`(${company}, ${id}) in (select ${hiddenFromPlanner(companyId)}, value from json_each(${list}))`,
    sql`${company} = ${companyId} and ${id} = any (${arrayOf('integer', list)})`,
  );
}

/**
 * The elements of a bound JSON list of lists, as rows with the column `value`, at the end of a query that converts them.
 * With the offset, PostgreSQL compares columns afterwards: under row-level security, no index is used for a conversion.
 */
const pairsOf = (list: string): Sql =>
  sql`unnest(array(select pair from json_array_elements(${list}::json) as pair)) as item (value) offset 0`;

/** `in …`, to follow two columns: whether their values are such a pair, `[1, 17]` for the id 17 of company 1. */
export function inPairs(pairs: readonly (readonly [number, number])[]): Sql {
  const list = JSON.stringify(pairs);
  return portable(
    sql`in (select json_extract(value, '$[0]'), json_extract(value, '$[1]')
    from json_each(${list}))`,
    sql`in (select (value ->> 0)::bigint, (value ->> 1)::bigint from ${pairsOf(list)})`,
  );
}

export const idTable = (ids: readonly unknown[]): Sql => listTable('integer', ids);

/** A list of ids or names as a table `p` with the column `value`, for joins. */
export function listTable(type: 'integer' | 'text', values: readonly unknown[]): Sql {
  const list = JSON.stringify(values);
  return portable(sql`json_each(${list}) as p`, sql`unnest(${arrayOf(type, list)}) as p (value)`);
}

/** Pairs of an id (or a name, with `idType`) and another id or name, as a table `pair (id, other)` for joins. */
export function pairTable<Other extends number | string>(
  type: Other extends number ? 'integer' : 'text',
  pairs: readonly (readonly [id: number | string, other: Other | null])[],
  idType: 'integer' | 'text' = 'integer',
): Sql {
  const list = JSON.stringify(pairs);
  return portable(
    sql`(select json_extract(value, '$[0]') as id, json_extract(value, '$[1]') as other
    from json_each(${list})) as pair`,
    sql`(select (value ->> 0)::${POSTGRES_TYPES[idType]} as id, (value ->> 1)::${POSTGRES_TYPES[type]} as other
    from ${pairsOf(list)}) as pair`,
  );
}

/** A subquery that looks up the new value of each row of `table` by its id. Values are texts, or JSON texts with `jsonb`. */
export const valueById = (
  table: string,
  kind: 'text' | 'jsonb',
  values: ReadonlyMap<number, string | null>,
): Sql<string> =>
  sql`(select ${kind === 'text' ? sql`pair.other` : portable(sql`pair.other`, sql`pair.other::jsonb`)}
    from ${pairTable('text', [...values])} where pair.id = ${sql.ref(`${table}.id`)})`;

export interface RangeSums {
  readonly ranges: readonly (readonly [bucket: number, first: number, last: number])[];
  /** Columns of `t` by which it is grouped, besides the bucket, and sums over it; neither binds values. */
  readonly columns: readonly Sql[];
  readonly sums: readonly Sql[];
  /** The table `t`. */
  readonly table: Sql;
  /** Condition on `t` and `ranges`, which has the columns `first` and `last`. */
  readonly where: Sql;
  readonly having: Sql;
}

/** A query for sums by `bucket` and columns. PostgreSQL looks up each range, or it would compare all rows with all ranges. */
export function sumsOfRanges({ ranges, columns, sums, table, where, having }: RangeSums): Sql {
  const list = JSON.stringify(ranges);
  const selected = sql.join([...columns, ...sums]);
  return portable(
    sql`select ranges.bucket, ${selected} from (select json_extract(value, '$[0]') as bucket,
        json_extract(value, '$[1]') as first, json_extract(value, '$[2]') as last from json_each(${list})) as ranges
      cross join ${table} where ${where}
      group by ${sql.join([sql`ranges.bucket`, ...columns])} having ${having}`,
    sql`select ranges.bucket, found.* from (select (value ->> 0)::bigint as bucket,
        (value ->> 1)::bigint as first, (value ->> 2)::bigint as last from ${pairsOf(list)}) as ranges
      cross join lateral (select ${selected} from ${table} where ${where}
        group by ${columns.length === 0 ? sql`()` : sql.join(columns)} having ${having}) as found`,
  );
}

export interface FirstRows {
  readonly table: string;
  readonly alias: string;
  /** Conditions on `alias` and the preceding tables: of the company, and others. */
  readonly own: Sql;
  readonly where: Sql;
  readonly limit: number;
}

/** Joins the rows of a table that are found for each preceding row: the first `limit`, by id. Each is looked up, whatever the statistics of the table. */
export function joinFirstRows({ table, alias, own, where, limit }: FirstRows): Sql {
  const [rows, name] = [sql`${sql.table(table)} as ${sql.ref(alias)}`, sql.ref(`${alias}.id`)];
  const found = sql`from ${rows} where ${own} and ${where} order by ${name} limit ${hiddenFromPlanner(limit)}`;
  return portable(
    sql`cross join json_each((select json_group_array(found.id) from (select ${name} ${found}) as found)) as first
      cross join ${rows} on ${own} and ${name} = first.value`,
    sql`cross join lateral (select * ${found}) as ${sql.ref(alias)}`,
  );
}

/** The column `id` of a query as the text of a JSON list, in undefined order. */
export function idsOf(query: Sql): Sql<string> {
  const list = portable(
    sql<string>`json_group_array(found.id)`,
    sql<string>`coalesce(json_agg(found.id), '[]')::text`,
  );
  return sql<string>`(select ${list} from (${query}) as found)`;
}
