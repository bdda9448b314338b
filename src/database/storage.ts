/**
 * Codecs between values and columns, and SQL that differs between databases: the only file that knows such differences,
 * besides `sqlite/`. Repositories read and write columns through these codecs only.
 */
import { sql, type RawBuilder } from 'kysely';

export interface Codec<Value, Column> {
  toColumn(value: Value): Column;
  fromColumn(column: Column): Value;
}

/** Milliseconds since 1970, UTC. */
export type InstantColumn = number;
/** 0 or 1. */
export type FlagColumn = number;
/** JSON text. */
export type JsonColumn = string;
export type BytesColumn = Uint8Array;

export const instant: Codec<Date, InstantColumn> = {
  toColumn: (value) => value.getTime(),
  fromColumn: (column) => new Date(column),
};

export const flag: Codec<boolean, FlagColumn> = {
  toColumn: (value) => (value ? 1 : 0),
  fromColumn: (column) => column !== 0,
};

/** The type of `fromColumn` is trusted: only `toColumn` writes such a column. */
export function json<Value>(): Codec<Value, JsonColumn> {
  return {
    toColumn: (value) => JSON.stringify(value),
    fromColumn: (column) => JSON.parse(column) as Value,
  };
}

/** The same codec for a column that may be null. */
export function nullable<Value, Column>(codec: Codec<Value, Column>): Codec<Value | null, Column | null> {
  return {
    toColumn: (value) => (value === null ? null : codec.toColumn(value)),
    fromColumn: (column) => (column === null ? null : codec.fromColumn(column)),
  };
}

/** A list of values as one bound parameter, so that the text of the statement does not depend on its length. */
export function among(values: readonly (string | number)[]): RawBuilder<string | number> {
  return sql`(select value from json_each(${JSON.stringify(values)}))`;
}

/** Like `among`, for ids. */
export function amongIds(ids: readonly number[]): RawBuilder<number> {
  return sql`(select value from json_each(${JSON.stringify(ids)}))`;
}

/** A list of pairs as one bound parameter, for example `[[1, 17]]` for the id 17 of company 1. */
export function amongPairs(pairs: readonly (readonly [number, number])[]): RawBuilder<unknown> {
  return sql`(select json_extract(value, '$[0]'), json_extract(value, '$[1]')
    from json_each(${JSON.stringify(pairs)}))`;
}

/** A table with an alias, and the index that the query planner must use. */
export function indexedBy(table: string, alias: string, index: string): RawBuilder<unknown> {
  return sql`${sql.table(table)} as ${sql.ref(alias)} indexed by ${sql.ref(index)}`;
}

/** The values of a column in a form for which the query planner uses no index. */
export function unindexed<T>(column: RawBuilder<T>): RawBuilder<T> {
  return sql<T>`+${column}`;
}

/** A list of ids or names as a table `p` with the column `value`, for joins. */
export function idTable(ids: readonly (string | number)[]): RawBuilder<unknown> {
  return sql`json_each(${JSON.stringify(ids)}) as p`;
}

/** The text under `key` in a column of JSON objects; null if absent. `key` is not escaped: never user input. */
export function jsonText(column: string, key: string): RawBuilder<string | null> {
  return sql<string | null>`json_extract(${sql.ref(column)}, ${sql.lit(`$.${key}`)})`;
}

/** Pairs as a table `pair` with the columns `id` and `other`, for joins. */
export function pairTable(
  pairs: readonly (readonly [id: number, other: string | number])[],
): RawBuilder<unknown> {
  return sql`(select json_extract(value, '$[0]') as id, json_extract(value, '$[1]') as other
    from json_each(${JSON.stringify(pairs)})) as pair`;
}

/** Whether a text column contains `part`, case-sensitively. */
export function holdsText(column: RawBuilder<unknown>, part: string): RawBuilder<boolean> {
  return sql<boolean>`instr(${column}, ${part}) > 0`;
}
