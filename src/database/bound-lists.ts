/** Lists bound as JSON texts: one parameter each, so that the text of a statement does not depend on the length. */
import { sql } from 'kysely';

import { portable, type Sql, POSTGRES_TYPES, type SqlType } from './storage.js';

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

export function inIds(ids: readonly number[]): Sql {
  return inList('integer', ids);
}

/** The elements of a bound JSON list of lists, as rows with the column `value`. */
const pairsOf = (list: string): Sql =>
  sql`unnest(array(select pair from json_array_elements(${list}::json) as pair)) as item (value)`;

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
  pairs: readonly (readonly [id: number | string, other: Other])[],
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

/** Joins the ids of a query with one column, `id`, for each preceding row, as a table with the column `value`. */
export function joinIds(query: Sql, alias: string): Sql {
  const name = sql.ref(alias);
  return portable(
    sql`cross join json_each((select json_group_array(found.id) from (${query}) as found)) as ${name}`,
    sql`cross join lateral (${query}) as ${name} (value)`,
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

/** A query of the ids in JSON lists, which are in a column of a table. */
export function idsIn(table: string, column: string): Sql {
  const lists = sql.ref(`${table}.${column}`);
  return portable(
    sql`select item.value from ${sql.table(table)} cross join json_each(${lists}) as item`,
    sql`select item.value::bigint from ${sql.table(table)} cross join json_array_elements_text(${lists}::json) as item (value)`,
  );
}
