import type { Row, Tables } from '../../schema/schema.js';
import type { CounterName } from '../totals.js';
import type { ListColumn } from './companions.js';
import type { FilterColumn } from './condition.js';

/** The declaration of a list: its table, its orders and its filters. */
export interface Listing<Name extends keyof Tables, T> {
  /** Name of the record type, for example `LogicalNumber`. */
  readonly name: string;
  readonly table: Name;
  /** Column of the unique id. */
  readonly id: string & keyof Row<Name>;
  /** Columns to order by, by public name. Each has an index and is never null. */
  readonly orders: Readonly<Record<string, ListColumn<Name>>>;
  /** Columns to filter by, by public name. */
  readonly filters: Readonly<Record<string, FilterColumn>>;
  readonly recordOf: (row: Row<Name>) => T;
  /** Records may hold long texts, so the bytes that one request reads of them are limited. */
  readonly isLarge?: true;
  /** Column with the id of the company; `company_id` unless set. */
  readonly company?: string;
  /** Counter of the company's rows; a fixed number if there is no counter. */
  readonly rows: CounterName | number;
  /** Records are added all the time, so a parent may have very many of them. */
  readonly isEndless?: true;
  /**
   * Columns by the property of a record that shows their value. Other properties need the record of
   * `recordOf`.
   */
  readonly columns?: { readonly [P in keyof T]?: string & keyof Row<Name> };
  /** Columns, by name, that are not a property of a record: fields are computed from them. */
  readonly others?: Readonly<Record<string, ListColumn<Name>>>;
}

/** Some columns of a row, by name. */
export type ListRow = Readonly<Record<string, unknown>>;
