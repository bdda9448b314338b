/** Kinds of columns, and the types that their values have in Kysely. */
import type { ColumnType, Generated } from 'kysely';

/** Read as milliseconds since 1970, UTC; written as a `Date`. */
export type InstantColumn = ColumnType<number, Date, Date>;
/** Read as 0 or 1 (SQLite), or as true or false (PostgreSQL). */
type FlagColumn = ColumnType<number | boolean, boolean, boolean>;
/** JSON text. */
export type JsonColumn = string;
type BytesColumn = Uint8Array;

/** `json` keeps the text as it was written; `jsonb` is for lists and objects of the program itself. */
export type ColumnKind = 'integer' | 'instant' | 'flag' | 'text' | 'json' | 'jsonb' | 'bytes';

export interface Column<Value = unknown> {
  readonly kind: ColumnKind;
  /** Whether it may be null. */
  readonly isOptional: boolean;
  /** Value of rows that are inserted without one; null if each row must have one. */
  readonly fallback: number | string | null;
  /** Whether the database draws it, as the primary key of its table. */
  readonly isDrawn?: true;
  /** Only for the compiler: the type of the values in Kysely. */
  readonly values?: () => Value;
}

export type Columns = Readonly<Record<string, Column>>;

const column = <Value>(kind: ColumnKind): Column<Value> => ({ kind, isOptional: false, fallback: null });

/** 64 bits on both databases. */
export const integer = column<number>('integer');
/** The primary key of a table whose rows the database numbers. */
export const drawnId: Column<Generated<number>> = {
  kind: 'integer',
  isOptional: false,
  fallback: null,
  isDrawn: true,
};
export const instant = column<InstantColumn>('instant');
/** 1970-01-01 for rows that are inserted without one. */
export const sinceEpoch: Column<InstantColumn> = { ...instant, fallback: 'epoch' };
export const flag = column<FlagColumn>('flag');
/** Compared and ordered by its bytes on both databases. */
export const text = column<string>('text');
export const json = column<JsonColumn>('json');
export const jsonb = column<JsonColumn>('jsonb');
export const bytes = column<BytesColumn>('bytes');

/** A column that may be null. */
export function optional<Value>({ kind }: Column<Value>): Column<Value | null> {
  return { kind, isOptional: true, fallback: null };
}

/** A column with a value for rows that are inserted without one. */
export function withFallback<Value>(
  { kind }: Column<Value>,
  fallback: number | string,
): Column<Generated<Value>> {
  return { kind, isOptional: false, fallback };
}

type ValueOf<Of> = Of extends { readonly values?: () => infer Value } ? Value : never;

/** The type of a table in Kysely. */
export type TableType<Of extends Columns> = { [Name in keyof Of]: ValueOf<Of[Name]> };
