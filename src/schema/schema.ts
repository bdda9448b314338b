/** All tables (decisions.md#two-databases), in the order of creation and copying: after those that they refer to. */
import type { Selectable, UpdateType } from 'kysely';

import type { CamelCase } from '../platform/validate.js';
import { base } from './base.js';
import { exportSchedules } from './export-schedules.js';
import { fleet } from './fleet.js';
import { messages } from './messages.js';
import { payments } from './payments.js';
import { members, people } from './people.js';
import { rollups } from './rollups.js';
import { software } from './software.js';
import { named, type Columns, type Table, type TableType } from './table.js';

const declared = {
  ...people,
  ...fleet,
  ...software,
  ...messages,
  ...payments,
  ...rollups,
  ...base,
  ...exportSchedules,
};
const tables = named(declared);

export const TABLES: readonly Table[] = Object.values(tables);
export const TABLE_NAMES: readonly string[] = TABLES.map(({ name }) => name);

export type Tables = { [Name in keyof typeof tables]: TableType<(typeof tables)[Name]['columns']> } & {
  members: TableType<typeof members>;
};

export const columnsOf = (table: keyof Tables): Columns =>
  table === 'members' ? members : tables[table].columns;

export const columnNames = (table: keyof Tables): readonly string[] => Object.keys(columnsOf(table));

export type Row<Name extends keyof Tables> = Selectable<Tables[Name]>;

/** Values of all columns in the form in which they are written. */
export type Written<Of> = { [Column in keyof Of]: UpdateType<Of[Column]> };

type Shown<Name extends keyof Tables, Hidden> = {
  readonly [Column in Exclude<string & keyof Tables[Name], Hidden> as CamelCase<Column>]: UpdateType<
    Tables[Name][Column]
  >;
};

/** Any type fits a column of text, which may hold JSON or a name; null must fit if the column may be null. */
type Fitting<Fields, Columns> = {
  readonly [Field in keyof Fields]: Field extends keyof Columns
    ? null extends Exclude<Columns[Field], Fields[Field]>
      ? never
      : string extends NonNullable<Columns[Field]>
        ? unknown
        : Columns[Field]
    : never;
};

/** A row as a record: its columns, but hidden ones, as fields. `Fields` are those with a narrower type than the column. */
export type RecordOf<
  Name extends keyof Tables,
  Fields extends Fitting<Fields, Shown<Name, Hidden>> = object,
  Hidden = 'company_id',
> = Omit<Shown<Name, Hidden>, keyof Fields> & Readonly<Fields>;

type Options<Name extends keyof typeof declared> = (typeof declared)[Name]['options'];
type Counted = keyof {
  [Name in keyof typeof declared as Options<Name> extends { isCounted: true } ? Name : never]: true;
};

/** Name in `counters` of the number of rows of a table; memberships are counted as `users`. */
export type CounterName = Exclude<Counted, 'memberships'> | 'users';

/** Tables whose rows of each company are counted, with the names of their counters. */
export const COUNTED = TABLES.filter(({ isCounted }) => isCounted).map(({ name, columns }) => ({
  table: name,
  counter: (name === 'memberships' ? 'users' : name) as CounterName,
  /** Column with the number of a row in its company, which an insert stores as the last one drawn. */
  drawn: name === 'ledger' ? 'sequence' : 'id' in columns ? 'id' : null,
}));

/** Counted tables whose rows stay with their company; of the ledger, no row can be changed at all. */
export const RETAINED = COUNTED.filter(({ table }) => table !== 'ledger');
