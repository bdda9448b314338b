/**
 * Codecs between values and columns, by which repositories read and write, and SQL that differs between the
 * databases; only `bound-lists.ts`, `counters.ts` and the folders of both have more of it
 * (decisions.md#two-databases).
 */
import { sql, type RawBuilder, RawNode } from 'kysely';

import type { JsonColumn } from '../schema/table.js';

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

/** Codec of a column that may be null. */
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

/** An instant for a comparison with a column in a Kysely query. Its type is that of a value read from the column. */
export function comparedInstant(at: Date): RawBuilder<number> {
  return hiddenFromPlanner<unknown>(at) as RawBuilder<number>;
}

/** Type of an SQL value, for statements from whose text PostgreSQL cannot infer it. */
export type SqlType = 'integer' | 'text' | 'instant' | 'flag';

/** Names of the types in PostgreSQL. */
export const POSTGRES_TYPES: Readonly<Record<SqlType, RawBuilder<unknown>>> = {
  integer: sql`bigint`,
  text: sql`text`,
  instant: sql`timestamptz`,
  flag: sql`boolean`,
};

/** A bound value with its type, for a value that is selected, and so is not compared with anything that has a type. */
export function typed<T>(type: SqlType, value: T): RawBuilder<T> {
  return portable(sql<T>`${value}`, sql<T>`${value}::${POSTGRES_TYPES[type]}`);
}

/**
 * A bound value that SQLite's planner does not examine. Otherwise it plans statements with several tables or a limit
 * anew for each execution, which takes 10 to 200 µs and gives the same plan.
 */
export function hiddenFromPlanner<T>(value: T): RawBuilder<T> {
  return portable(sql<T>`(select ${value})`, sql<T>`${value}`);
}

/** A table with an alias, and the index that the query planner of SQLite must use; PostgreSQL chooses by statistics. */
export function indexedBy(table: string, alias: string, index: string): RawBuilder<unknown> {
  const aliased = sql`${sql.table(table)} as ${sql.ref(alias)}`;
  return portable(sql`${aliased} indexed by ${sql.ref(index)}`, aliased);
}

/** A column in a form for which SQLite's query planner uses no index; PostgreSQL chooses by statistics. */
export function unindexed<T>(column: RawBuilder<T>): RawBuilder<T> {
  return portable(sql<T>`+${column}`, column);
}

/** Joins two tables; a condition with ON follows. SQLite reads the left one first; PostgreSQL chooses by statistics. */
export const crossJoin: RawBuilder<unknown> = portable(sql`cross join`, sql`join`);

/** An instant from a column of milliseconds since 1970, in the form of a column of instants. */
export function instantIn(column: string): RawBuilder<Date> {
  const milliseconds = sql.ref(column);
  return portable(
    sql<Date>`${milliseconds}`,
    sql<Date>`(timestamptz 'epoch' + ${milliseconds} * interval '1 millisecond')`,
  );
}

export interface Children {
  /** The table `p` of parents. */
  readonly parents: RawBuilder<unknown>;
  readonly table: RawBuilder<unknown>;
  /** Columns of `table` with the company and the id, and the only company whose rows are read. */
  readonly company: string;
  readonly id: string;
  readonly companyId: number;
  /** SQL after FROM, with an order and a limit, for the children `t` of the parent `p`. */
  readonly ofParent: RawBuilder<unknown>;
  /** Id of a child in `ofParent`. */
  readonly childId: string;
}

/** FROM clause that joins each parent `p` with its children `r`: SQLite by a limited list of ids, others laterally. */
export function childrenOfEach(children: Children): RawBuilder<unknown> {
  const { parents, table, company, id, companyId, ofParent, childId } = children;
  const ownCompany = sql.ref(`r.${company}`);
  return sql`${parents} cross join ${portable(
    sql`${table} as r
        where ${ownCompany} = ${hiddenFromPlanner(companyId)} and ${sql.ref(`r.${id}`)} in (
          select ${sql.ref(childId)} from`,
    sql`(select ${companyId}::bigint as id) as own cross join lateral (select t.* from`,
  )} ${ofParent}${portable(sql`)`, sql`) as r where ${ownCompany} = own.id`)}`;
}

export interface PageQuery {
  /** Columns of the table `t`, which has the columns `company_id` and `id`. */
  readonly columns: RawBuilder<unknown>;
  readonly table: RawBuilder<unknown>;
  readonly where: RawBuilder<unknown>;
  /** An order that an index has. */
  readonly order: RawBuilder<unknown>;
  readonly limit: number;
}

export function firstPage({ columns, table, where, order, limit }: PageQuery): RawBuilder<unknown> {
  return sql`select ${columns} from ${table} as t where ${where} order by ${order} limit ${hiddenFromPlanner(limit)}`;
}

/** The rows after the first `skip` ones. PostgreSQL would read those, so it finds the ids of the page first. */
export function laterPage(page: PageQuery, skip: number): RawBuilder<unknown> {
  const { columns, table, where, order, limit } = page;
  return sql`${portable(sql`select ${columns} from`, sql`select ${columns} from (select t.company_id, t.id from`)}
    ${table} as t where ${where} order by ${order} limit ${hiddenFromPlanner(limit)} offset ${hiddenFromPlanner(skip)}
    ${portable(
      sql``,
      sql`) as found join ${table} as t on t.company_id = found.company_id and t.id = found.id order by ${order}`,
    )}`;
}

/** The text under `key` in a column of JSON objects; null if absent. `key` is not escaped: never user input. */
export function jsonText(column: string, key: string): RawBuilder<string | null> {
  return portable(
    sql<string | null>`json_extract(${sql.ref(column)}, ${sql.lit(`$.${key}`)})`,
    sql<string | null>`${sql.ref(column)} ->> ${sql.lit(key)}`,
  );
}

/** End of a query whose rows others must not change before this unit has ended; on SQLite, no other unit writes. */
export const forUpdate: RawBuilder<unknown> = portable(sql``, sql`for update`);

/** The text of a column that may hold JSON. */
export function textOf(column: string): RawBuilder<string> {
  return portable(sql<string>`${sql.ref(column)}`, sql<string>`${sql.ref(column)}::text`);
}

/** Whether a text column contains `part`, case-sensitively. */
export function holdsText(column: RawBuilder<unknown>, part: string): RawBuilder<boolean> {
  return portable(sql<boolean>`instr(${column}, ${part}) > 0`, sql<boolean>`strpos(${column}, ${part}) > 0`);
}

/** SQL with one text for SQLite and another for PostgreSQL. */
interface PortableNode extends RawNode {
  readonly postgres: RawNode;
}

/**
 * Two SQL expressions with the same meaning, one for each database, that bind the same values in the same order. Only
 * the SQL of `database/` and the declarations of the schema call this.
 */
export function portable<T>(sqlite: RawBuilder<T>, postgres: RawBuilder<T>): RawBuilder<T> {
  const expression = {
    isRawBuilder: true,
    toOperationNode: (): PortableNode => ({
      ...sqlite.toOperationNode(),
      postgres: postgres.toOperationNode(),
    }),
  };
  return sql<T>`${expression}`;
}

/** The node that PostgreSQL runs. */
export function postgresNode(node: RawNode): RawNode {
  return 'postgres' in node ? (node as PortableNode).postgres : node;
}
