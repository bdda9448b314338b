import type { CreateTableBuilder, Kysely } from 'kysely';

import { ddl } from './ddl.js';
import type { Tables } from '../tables/tables.js';

export type Table = CreateTableBuilder<string, string>;
export type Db = Kysely<Tables>;

/** A table with `id`, `company_id` and UNIQUE(company_id, id), which references from other tables need. */
export const companyTable = (db: Db, name: string): Table =>
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

/** A foreign key on (company_id, column), so that a row cannot refer to a record of another company. */
export const references = (
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

/** Creates an index on (company_id, ...columns) for lists of a company. */
export async function index(db: Db, table: string, ...columns: string[]): Promise<void> {
  await db.schema
    .createIndex(`${table}_by_${columns.join('_')}`)
    .on(table)
    .columns(['company_id', ...columns])
    .execute();
}
