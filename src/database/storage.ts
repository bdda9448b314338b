/**
 * Codecs between values and columns, and SQL that differs between databases: the only file that knows such differences,
 * besides `sqlite/` and `postgres/`. Repositories read and write columns through these codecs only.
 */
import { sql, type ColumnType, type RawBuilder } from 'kysely';

import { portable } from './portable.js';

export interface Codec<Value, Read, Written = Read> {
  toColumn(value: Value): Written;
  fromColumn(column: Read): Value;
}

/** Read as milliseconds since 1970, UTC; written as a `Date`. */
export type InstantColumn = ColumnType<number, Date, Date>;
/** The same, written by statements of its own only: in new rows it has the default of its table. */
export type SeparateInstantColumn = ColumnType<number, never, never>;
/** Read as 0 or 1 (SQLite), or as true or false (PostgreSQL). */
export type FlagColumn = ColumnType<number | boolean, boolean, boolean>;
/** JSON text. */
export type JsonColumn = string;
export type BytesColumn = Uint8Array;

export const instant: Codec<Date, number, Date> = {
  toColumn: (value) => value,
  fromColumn: (column) => new Date(column),
};

export const flag: Codec<boolean, number | boolean, boolean> = {
  toColumn: (value) => value,
  fromColumn: Boolean,
};

/** The type of `fromColumn` is trusted: only `toColumn` writes such a column. */
export function json<Value>(): Codec<Value, JsonColumn> {
  return {
    toColumn: (value) => JSON.stringify(value),
    fromColumn: (column) => JSON.parse(column) as Value,
  };
}

/** The same codec for a column that may be null. */
export function nullable<Value, Read, Written>(
  codec: Codec<Value, Read, Written>,
): Codec<Value | null, Read | null, Written | null> {
  return {
    toColumn: (value) => (value === null ? null : codec.toColumn(value)),
    fromColumn: (column) => (column === null ? null : codec.fromColumn(column)),
  };
}

/** Whether two values are written to a column as the same one. */
export function areSame(one: unknown, other: unknown): boolean {
  return one instanceof Date && other instanceof Date
    ? one.getTime() === other.getTime()
    : Object.is(one, other);
}

/** Years 1 and 10000: every stored instant is between them, and both databases can compare with them. */
const [FIRST_INSTANT, LAST_INSTANT] = [-62_135_596_800_000, 253_402_300_800_000];

/** A value of a column of instants as it is compared with the column; other numbers and texts lie beyond all instants. */
export function comparableInstant(read: number | string): Date {
  const at = typeof read === 'number' ? read : LAST_INSTANT;
  return new Date(Math.min(Math.max(at, FIRST_INSTANT), LAST_INSTANT));
}

/** An instant that is compared with a column in a query of Kysely, for which the column is what is read of it. */
export function comparedInstant(at: Date): RawBuilder<number> {
  return steady<unknown>(at) as RawBuilder<number>;
}

/** The type of an SQL value, where PostgreSQL cannot tell it from the text of a statement. */
export type SqlType = 'integer' | 'text' | 'instant' | 'flag';

const TYPES: Readonly<Record<SqlType, RawBuilder<unknown>>> = {
  integer: sql`bigint`,
  text: sql`text`,
  instant: sql`timestamptz`,
  flag: sql`boolean`,
};

/** A bound value with its type: for values that are selected, and so compared with nothing that has a type. */
export function typed<T>(type: SqlType, value: T): RawBuilder<T> {
  return portable(sql<T>`${value}`, sql<T>`${value}::${TYPES[type]}`);
}

/**
 * For an INSERT that draws the id of its one row: what stands before it, and the value of the id. Nothing but these may
 * bind values before those of the row. On SQLite, a trigger of the table keeps the id as the last one that was drawn.
 */
export function drawingInsert(
  table: string,
  companyId: number,
): { readonly before: RawBuilder<unknown>; readonly id: RawBuilder<number> } {
  const name = sql.lit(table);
  return {
    before: portable(
      sql``,
      sql`with drawn as (insert into counters (company_id, name, total, last_drawn) values (${companyId}, ${name}, 0, 1)
        on conflict (company_id, name) do update set last_drawn = counters.last_drawn + 1 returning last_drawn) `,
    ),
    id: portable(
      sql<number>`coalesce((select last_drawn from counters where company_id = ${companyId} and name = ${name}), 0) + 1`,
      sql<number>`(select last_drawn from drawn)`,
    ),
  };
}

/**
 * A bound value that SQLite's planner does not look at. It looks at others in statements with several tables or a limit,
 * and then plans the statement anew for each execution, which takes 10 to 200 µs and finds the same.
 */
export function steady<T>(value: T): RawBuilder<T> {
  return portable(sql<T>`(select ${value})`, sql<T>`${value}`);
}

/** What PostgreSQL makes of an element of a JSON list, which is `value`. */
const ELEMENTS: Readonly<Record<SqlType, RawBuilder<unknown>>> = {
  integer: sql`value::bigint`,
  text: sql`value`,
  instant: sql`timestamptz 'epoch' + value::bigint * interval '1 millisecond'`,
  flag: sql`value::integer::boolean`,
};

/** A list of values of one type as it is bound: instants as milliseconds, flags as 0 or 1. */
export function boundList(values: readonly unknown[]): string {
  return JSON.stringify(
    values.map((value) => (value instanceof Date || typeof value === 'boolean' ? Number(value) : value)),
  );
}

/** The elements of a bound JSON list as an array of PostgreSQL, for whose length its planner assumes 10. */
const arrayOf = (type: SqlType, list: string): RawBuilder<unknown> =>
  sql`array(select ${ELEMENTS[type]} from json_array_elements_text(${list}::json) as item (value))`;

/**
 * `in …`, to follow a column: whether its value is in a list, which is one bound parameter, so that the text of the
 * statement does not depend on its length.
 */
export function inList(type: SqlType, values: readonly unknown[]): RawBuilder<unknown> {
  const list = boundList(values);
  return portable(sql`in (select value from json_each(${list}))`, sql`= any (${arrayOf(type, list)})`);
}

/** The same for ids. */
export function inIds(ids: readonly number[]): RawBuilder<unknown> {
  return inList('integer', ids);
}

/** The elements of a bound JSON list of pairs, as rows with the column `value`. */
const pairsOf = (list: string): RawBuilder<unknown> =>
  sql`unnest(array(select pair from json_array_elements(${list}::json) as pair)) as item (value)`;

/** The same for two columns and a list of pairs, for example `[[1, 17]]` for the id 17 of company 1. */
export function inPairs(pairs: readonly (readonly [number, number])[]): RawBuilder<unknown> {
  const list = JSON.stringify(pairs);
  return portable(
    sql`in (select json_extract(value, '$[0]'), json_extract(value, '$[1]')
    from json_each(${list}))`,
    sql`in (select (value ->> 0)::bigint, (value ->> 1)::bigint from ${pairsOf(list)})`,
  );
}

/** A table with an alias, and the index that the query planner of SQLite must use; PostgreSQL chooses by statistics. */
export function indexedBy(table: string, alias: string, index: string): RawBuilder<unknown> {
  const aliased = sql`${sql.table(table)} as ${sql.ref(alias)}`;
  return portable(sql`${aliased} indexed by ${sql.ref(index)}`, aliased);
}

/** The values of a column in a form for which SQLite's query planner uses no index; PostgreSQL chooses by statistics. */
export function unindexed<T>(column: RawBuilder<T>): RawBuilder<T> {
  return portable(sql<T>`+${column}`, column);
}

/** Joins two tables. SQLite reads the left one first; PostgreSQL chooses by statistics. A condition follows, with ON. */
export const crossJoin: RawBuilder<unknown> = portable(sql`cross join`, sql`join`);

/** A list of ids as a table `p` with the column `value`, for joins. */
export function idTable(ids: readonly unknown[]): RawBuilder<unknown> {
  return listTable('integer', ids);
}

/** The same for names. */
export function nameTable(names: readonly unknown[]): RawBuilder<unknown> {
  return listTable('text', names);
}

function listTable(type: SqlType, values: readonly unknown[]): RawBuilder<unknown> {
  const list = JSON.stringify(values);
  return portable(sql`json_each(${list}) as p`, sql`unnest(${arrayOf(type, list)}) as p (value)`);
}

/**
 * Joins to each row of what stands before it the ids of a query, which may refer to that row, as a table with the column
 * `value`. The query has one column, `id`.
 */
export function joinIds(query: RawBuilder<unknown>, alias: string): RawBuilder<unknown> {
  const name = sql.ref(alias);
  return portable(
    sql`cross join json_each((select json_group_array(found.id) from (${query}) as found)) as ${name}`,
    sql`cross join lateral (${query}) as ${name} (value)`,
  );
}

/** The column `id` of a query as the text of a JSON list, in no certain order. */
export function idsOf(query: RawBuilder<unknown>): RawBuilder<string> {
  const list = portable(sql`json_group_array(found.id)`, sql`coalesce(json_agg(found.id), '[]')::text`);
  return sql<string>`(select ${list} from (${query}) as found)`;
}

/** A query of the ids in such lists, in a column of a table. */
export function idsIn(table: string, column: string): RawBuilder<unknown> {
  const lists = sql.ref(`${table}.${column}`);
  return portable(
    sql`select item.value from ${sql.table(table)} cross join json_each(${lists}) as item`,
    sql`select item.value::bigint from ${sql.table(table)} cross join json_array_elements_text(${lists}::json) as item (value)`,
  );
}

/** An instant from a column of milliseconds since 1970, as it is written to a column. */
export function instantIn(column: string): RawBuilder<Date> {
  const milliseconds = sql.ref(column);
  return portable(
    sql<Date>`${milliseconds}`,
    sql<Date>`(timestamptz 'epoch' + ${milliseconds} * interval '1 millisecond')`,
  );
}

/** Ids with ids, or with names, as a table `pair` with the columns `id` and `other`, for joins. */
export function pairTable<Other extends number | string>(
  type: Other extends number ? 'integer' : 'text',
  pairs: readonly (readonly [id: number, other: Other])[],
): RawBuilder<unknown> {
  const list = JSON.stringify(pairs);
  return portable(
    sql`(select json_extract(value, '$[0]') as id, json_extract(value, '$[1]') as other
    from json_each(${list})) as pair`,
    sql`(select (value ->> 0)::bigint as id, (value ->> 1)::${TYPES[type]} as other from ${pairsOf(list)}) as pair`,
  );
}

/** Pairs of texts as a table `pair` with the columns `first` and `second`, for joins. */
export function textPairs(pairs: readonly (readonly [first: string, second: string])[]): RawBuilder<unknown> {
  const list = JSON.stringify(pairs);
  return portable(
    sql`(select json_extract(value, '$[0]') as first, json_extract(value, '$[1]') as second
    from json_each(${list})) as pair`,
    sql`(select value ->> 0 as first, value ->> 1 as second from ${pairsOf(list)}) as pair`,
  );
}

export interface Children {
  /** The table `p` of parents. */
  readonly parents: RawBuilder<unknown>;
  readonly table: RawBuilder<unknown>;
  /** Columns of `table` with the company and the id, and the company whose rows alone are read. */
  readonly company: string;
  readonly id: string;
  readonly companyId: number;
  /** SQL after FROM, with an order and a limit, for the children `t` of the parent `p`. */
  readonly ofParent: RawBuilder<unknown>;
  /** The id of a child there. */
  readonly childId: string;
}

/**
 * The FROM clause that joins each parent `p` with its children as `r`. SQLite looks up the children that a limited list
 * of ids has; PostgreSQL reads the list itself for each parent.
 */
export function childrenOfEach(children: Children): RawBuilder<unknown> {
  const { parents, table, company, id, companyId, ofParent, childId } = children;
  const ownCompany = sql.ref(`r.${company}`);
  return sql`${parents} cross join ${portable(
    sql`${table} as r
        where ${ownCompany} = ${steady(companyId)} and ${sql.ref(`r.${id}`)} in (
          select ${sql.ref(childId)} from`,
    sql`(select ${companyId}::bigint as id) as own cross join lateral (select t.* from`,
  )} ${ofParent}${portable(sql`)`, sql`) as r where ${ownCompany} = own.id`)}`;
}

/** The text under `key` in a column of JSON objects; null if absent. `key` is not escaped: never user input. */
export function jsonText(column: string, key: string): RawBuilder<string | null> {
  return portable(
    sql<string | null>`json_extract(${sql.ref(column)}, ${sql.lit(`$.${key}`)})`,
    sql<string | null>`${sql.ref(column)} ->> ${sql.lit(key)}`,
  );
}

/** Ends a query whose rows others must not change before this unit has: on SQLite, no other unit writes meanwhile. */
export const forUpdate: RawBuilder<unknown> = portable(sql``, sql`for update`);

/** The text of a column that may hold JSON. */
export function textOf(column: string): RawBuilder<string> {
  return portable(sql<string>`${sql.ref(column)}`, sql<string>`${sql.ref(column)}::text`);
}

/** Whether a text column contains `part`, case-sensitively. */
export function holdsText(column: RawBuilder<unknown>, part: string): RawBuilder<boolean> {
  return portable(sql<boolean>`instr(${column}, ${part}) > 0`, sql<boolean>`strpos(${column}, ${part}) > 0`);
}

/**
 * Whole units of so many milliseconds between 1970 and the instant in a column plus `shift`, which is not before 1970. The
 * number stays whole on both databases where it is divided.
 */
export function shiftedUnits(
  column: string,
  shift: RawBuilder<number>,
  milliseconds: number,
): RawBuilder<number> {
  const [at, unit] = [sql.ref(column), sql.lit(milliseconds)];
  return portable(
    sql<number>`(${at} + ${shift}) / ${unit}`,
    sql<number>`div(extract(epoch from ${at}) * 1000 + ${shift}, ${unit})::bigint`,
  );
}

/** The instant, as columns have it, at which a unit of so many milliseconds begins, by its number since 1970. */
export function startOfUnit(number: RawBuilder<number>, milliseconds: number): RawBuilder<unknown> {
  const unit = sql.lit(milliseconds);
  return portable(
    sql`(${number}) * ${unit}`,
    sql`timestamptz 'epoch' + (${number}) * ${unit} * interval '1 millisecond'`,
  );
}

/** A number, or `most` if it is greater. */
export function lesserOf(number: RawBuilder<number>, most: number): RawBuilder<number> {
  return portable(sql<number>`min(${number}, ${most})`, sql<number>`least(${number}, ${most})`);
}

/** The greater one of two numbers. */
export function greaterOf(one: RawBuilder<number>, other: RawBuilder<number>): RawBuilder<number> {
  return portable(sql<number>`max(${one}, ${other})`, sql<number>`greatest(${one}, ${other})`);
}

/** A text that no client can send, unique in its table: frees the name of a record that is only hidden yet. */
export const freedText: RawBuilder<string> = portable(
  sql<string>`char(1) || id`,
  sql<string>`chr(1) || id::text`,
);
