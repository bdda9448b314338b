/** Conversions between rows and records: a record has a field for each column, under its name in camel case. */
import type { UpdateType } from 'kysely';

import { camelCase, type CamelCase } from '../../platform/encoding/text.js';
import type { ColumnKind } from '../../schema/columns.js';
import { columnsOf, type Row, type Tables } from '../../schema/schema.js';
import { flag, instant, json, nullable, type Codec } from '../storage.js';

/** Columns that a record shows. */
type Shown<Name extends keyof Tables, Hidden> = Exclude<string & keyof Tables[Name], Hidden>;

/**
 * Whether a field can have the values of a column. Columns of text also hold JSON and names of choices, so their
 * fields may have any type, but with null if the column may be null.
 */
type Fits<Column, Field> =
  string extends NonNullable<Column>
    ? null extends Column
      ? null extends Field
        ? true
        : false
      : true
    : [Column, Field] extends [Field, Column]
      ? true
      : false;

/** Columns without a field that fits, and fields without a column. */
type Mismatch<Name extends keyof Tables, T, Hidden> =
  | {
      [Column in Shown<Name, Hidden>]: CamelCase<Column> extends keyof T
        ? Fits<UpdateType<Tables[Name][Column]>, T[CamelCase<Column>]> extends true
          ? never
          : Column
        : Column;
    }[Shown<Name, Hidden>]
  | Exclude<keyof T, CamelCase<Shown<Name, Hidden>>>;

/** The name of a table whose columns, but the hidden ones, are the fields of `T`; others do not compile. */
export type TableOf<Name extends keyof Tables, T, Hidden = 'company_id'> = [
  Mismatch<Name, T, Hidden>,
] extends [never]
  ? Name
  : { readonly mismatch: Mismatch<Name, T, Hidden> };

interface Field {
  readonly column: string;
  readonly field: string;
  readonly codec: Codec<unknown, unknown>;
}

const same: Codec<unknown, unknown> = { toColumn: (value) => value, fromColumn: (column) => column };
const codecs = {
  integer: same,
  text: same,
  bytes: same,
  instant: nullable(instant),
  flag: nullable(flag),
  json: json(),
  jsonb: json(),
} as Readonly<Record<ColumnKind, Codec<unknown, unknown>>>;

export interface RecordMapping<Name extends keyof Tables, T> {
  /** Columns by field. */
  readonly columns: { readonly [Field in keyof T]: string & keyof Row<Name> };
  readonly recordOf: (row: Row<Name>) => T;
  /** Values of the columns of those fields that `values` has. */
  readonly columnsOf: (values: object) => Readonly<Record<string, unknown>>;
}

/** `hidden` names the columns that records do not show; by default, the company. */
export function recordMapping<Name extends keyof Tables, T, Hidden extends string = 'company_id'>(
  table: TableOf<Name, T, Hidden>,
  hidden: readonly Hidden[] = ['company_id' as Hidden],
): RecordMapping<Name, T> {
  const isHidden = new Set<string>(hidden);
  const fields = Object.entries(columnsOf(table as Name)).flatMap(
    ([column, { kind, isOptional }]): Field[] => {
      // The value of other columns of JSON may be null.
      const codec = kind === 'json' && isOptional ? nullable(codecs.json) : codecs[kind];
      return isHidden.has(column) ? [] : [{ column, field: camelCase(column), codec }];
    },
  );
  return {
    columns: Object.fromEntries(fields.map(({ column, field }) => [field, column])) as RecordMapping<
      Name,
      T
    >['columns'],
    recordOf: (row) => {
      const columns = row as Readonly<Record<string, unknown>>;
      const record: Record<string, unknown> = {};
      for (const { column, field, codec } of fields) record[field] = codec.fromColumn(columns[column]);
      return record as T;
    },
    columnsOf: (values) => {
      const given = new Map<string, unknown>(Object.entries(values));
      const known = fields.filter(({ field }) => given.has(field));
      return Object.fromEntries(
        known.map(({ column, field, codec }) => [column, codec.toColumn(given.get(field))]),
      );
    },
  };
}
