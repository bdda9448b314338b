/** Codecs of columns for repositories, and SQL that differs between the databases (decisions.md#two-databases). */
import { sql, type RawBuilder, RawNode } from 'kysely';

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

/** Whether a column stores two values as the same one. */
export function areSame(one: unknown, other: unknown): boolean {
  return one instanceof Date && other instanceof Date
    ? one.getTime() === other.getTime()
    : Object.is(one, other);
}

/** Start of the years 1 and 10000, in milliseconds since 1970: every stored instant is between them. */
const [FIRST_INSTANT, LAST_INSTANT] = [-62_135_596_800_000, 253_402_300_800_000];

/** A key as an instant, to be compared with its column. Other numbers and texts are beyond all instants. */
export function comparableInstant(read: number | string): Date {
  const at = typeof read === 'number' ? read : LAST_INSTANT;
  return new Date(Math.min(Math.max(at, FIRST_INSTANT), LAST_INSTANT));
}

/** Type of an SQL value, for statements from whose text PostgreSQL cannot infer it. */
export type SqlType = 'integer' | 'text' | 'instant' | 'flag';

export const POSTGRES_TYPES: Readonly<Record<SqlType, Sql>> = {
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
export function unindexed<T>(column: Sql<T>): Sql<T> {
  return portable(sql<T>`+${column}`, column);
}

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

/**
 * FROM clause that joins each parent `p` with its children `r`: SQLite by a limited list of ids, others laterally.
 * `company` and `id` are columns of `table`; `ofParent` is SQL after FROM for children `t`, whose ids are in `childId`.
 */
export function childrenOfEach(
  parents: Sql,
  { table, company, id }: { table: Sql; company: string; id: string },
  companyId: number,
  childId: string,
  ofParent: Sql,
): Sql {
  const ownCompany = sql.ref(`r.${company}`);
  return sql`${parents} cross join ${portable(
    sql`${table} as r
        where ${ownCompany} = ${hiddenFromPlanner(companyId)} and ${sql.ref(`r.${id}`)} in (
          select ${sql.ref(childId)} from`,
    sql`(select ${companyId}::bigint as id) as own cross join lateral (select t.* from`,
  )} ${ofParent}${portable(sql`)`, sql`) as r where ${ownCompany} = own.id`)}`;
}

interface PageQuery {
  /** Columns of the table `t`, which has the columns `company_id` and `id`. */
  readonly columns: Sql;
  readonly table: Sql;
  readonly where: Sql;
  readonly order: Sql;
  readonly limit: number;
}

/** The rows after the first `skip` ones. PostgreSQL would read those, so it finds the ids of the page first. */
export function pageOf({ columns, table, where, order, limit }: PageQuery, skip: number): Sql {
  const rest = sql`${table} as t where ${where} order by ${order} limit ${hiddenFromPlanner(limit)}`;
  if (skip === 0) return sql`select ${columns} from ${rest}`;
  return sql`${portable(sql`select ${columns} from`, sql`select ${columns} from (select t.company_id, t.id from`)}
    ${rest} offset ${hiddenFromPlanner(skip)}
    ${portable(
      sql``,
      sql`) as found join ${table} as t on t.company_id = found.company_id and t.id = found.id order by ${order}`,
    )}`;
}

/** The text under `key` in a column of JSON objects; null if absent. `key` is not escaped: never user input. */
export function jsonText(column: string, key: string): Sql<string | null> {
  return portable(
    sql<string | null>`json_extract(${sql.ref(column)}, ${sql.lit(`$.${key}`)})`,
    sql<string | null>`${sql.ref(column)} ->> ${sql.lit(key)}`,
  );
}

/** End of a query whose rows others must not change before this unit has ended; on SQLite, no other unit writes. */
export const forUpdate: Sql = portable(sql``, sql`for update`);

/** The text of a column that may hold JSON. */
export function textOf(column: string): Sql<string> {
  return portable(sql<string>`${sql.ref(column)}`, sql<string>`${sql.ref(column)}::text`);
}

/** Whether a text column contains `part`, case-sensitively. */
export function holdsText(column: Sql, part: string): Sql<boolean> {
  return portable(sql<boolean>`instr(${column}, ${part}) > 0`, sql<boolean>`strpos(${column}, ${part}) > 0`);
}

interface PortableNode extends RawNode {
  readonly postgres: RawNode;
}

/** Two SQL expressions with the same meaning and the same bound values, one for each database. */
export function portable<T>(sqlite: Sql<T>, postgres: Sql<T>): Sql<T> {
  const expression = {
    isRawBuilder: true,
    toOperationNode: (): PortableNode => ({
      ...sqlite.toOperationNode(),
      postgres: postgres.toOperationNode(),
    }),
  };
  return sql<T>`${expression}`;
}

export function postgresNode(node: RawNode): RawNode {
  return 'postgres' in node ? (node as PortableNode).postgres : node;
}
