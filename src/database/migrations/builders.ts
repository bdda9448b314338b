import type { CreateTableBuilder, Kysely } from 'kysely';

import { ddl } from '../storage.js';
import type { Tables } from '../tables.js';

export type Table = CreateTableBuilder<string, string>;
export type Db = Kysely<Tables>;

export const identified = (db: Db, name: string): Table =>
  db.schema
    .createTable(name)
    .addColumn('id', ddl.id)
    .addColumn('company_id', ddl.integer, (c) => c.notNull().references('companies.id'))
    .addUniqueConstraint(`${name}_of_company`, ['company_id', 'id']);

export const audited = (table: Table): Table =>
  table
    .addColumn('revision', ddl.integer, (c) => c.notNull())
    .addColumn('created_at', ddl.instant, (c) => c.notNull())
    .addColumn('updated_at', ddl.instant, (c) => c.notNull())
    .addColumn('created_by', ddl.integer, (c) => c.references('users.id'))
    .addColumn('created_via', ddl.text, (c) => c.notNull());

export const required = (table: Table, type: typeof ddl.text, ...names: string[]): Table =>
  names.reduce((built, name) => built.addColumn(name, type, (c) => c.notNull()), table);

export const optional = (table: Table, type: typeof ddl.text, ...names: string[]): Table =>
  names.reduce((built, name) => built.addColumn(name, type), table);

/** A foreign key on (company_id, column), so that a row cannot refer to another company's record. */
export const refers = (
  table: Table,
  column: string,
  target: string,
  onDelete: 'cascade' | 'no action' = 'no action',
) =>
  table.addForeignKeyConstraint(
    `${column}_in_company`,
    ['company_id', column],
    target,
    ['company_id', 'id'],
    (key) => key.onDelete(onDelete),
  );

/** An index on `company_id` and the columns, for lists within a company. */
export async function index(db: Db, table: string, ...columns: string[]): Promise<void> {
  await db.schema
    .createIndex(`${table}_by_${columns.join('_')}`)
    .on(table)
    .columns(['company_id', ...columns])
    .execute();
}
