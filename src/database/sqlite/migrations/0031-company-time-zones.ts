import type { Db } from '../table-builders.js';

/** Adds the time zone in which terminals of a company show times. */
export async function up(db: Db): Promise<void> {
  await db.schema
    .alterTable('companies')
    .addColumn('time_zone', 'text', (column) => column.notNull().defaultTo('UTC'))
    .execute();
}
