/**
 * All tables, for SQLite and for PostgreSQL (decisions.md#two-databases). The order is that in which they are
 * created and copied: each after those that it refers to.
 */
import type { Selectable, UpdateType } from 'kysely';

import { base } from './base.js';
import type { Columns, TableType } from './columns.js';
import { fleet } from './fleet.js';
import { messages } from './messages.js';
import { payments } from './payments.js';
import { members, people } from './people.js';
import { rollups } from './rollups.js';
import { software } from './software.js';
import { named, type Table } from './table.js';

const tables = named({ ...people, ...fleet, ...software, ...messages, ...payments, ...rollups, ...base });

export const TABLES: readonly Table[] = Object.values(tables);
export const TABLE_NAMES: readonly string[] = TABLES.map(({ name }) => name);

export type Tables = { [Name in keyof typeof tables]: TableType<(typeof tables)[Name]['columns']> } & {
  members: TableType<typeof members>;
};

/** Columns of a table, or of the view `members`. */
export const columnsOf = (table: keyof Tables): Columns =>
  table === 'members' ? members : tables[table].columns;

export const columnNames = (table: keyof Tables): readonly string[] => Object.keys(columnsOf(table));

export type Row<Name extends keyof Tables> = Selectable<Tables[Name]>;

/** Values of all columns in the form in which they are written. */
export type Written<Of> = { [Column in keyof Of]: UpdateType<Of[Column]> };

/**
 * Tables whose rows of each company are counted in `counters` (decisions.md#exact-totals). Those of `memberships`
 * are counted as `users`.
 */
export const COUNTED = [
  'memberships',
  'access_tokens',
  'groups',
  'logical_numbers',
  'devices',
  'unknown_terminals',
  'apps',
  'files',
  'app_versions',
  'app_version_groups',
  'group_default_versions',
  'app_version_modules',
  'app_version_files',
  'logical_number_app_versions',
  'parameters',
  'metacontents',
  'notifications',
  'transactions',
  'ledger',
] as const satisfies readonly (keyof Tables)[];

/** Name in `counters` of the number of rows of a table. */
export const counterOf = (table: (typeof COUNTED)[number]): string =>
  table === 'memberships' ? 'users' : table;

/** Column with the number of a row in its company, which an insert stores as the last one drawn. */
export function drawnColumn(table: (typeof COUNTED)[number]): string | null {
  if (table === 'ledger') return 'sequence';
  return 'id' in tables[table].columns ? 'id' : null;
}
