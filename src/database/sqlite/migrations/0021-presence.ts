import { ddl } from '../ddl.js';
import { index, type Db } from '../table-builders.js';

/** Adds the time when the terminal of a device last sent a request; 0 if it never did. */
export async function up(db: Db): Promise<void> {
  await db.schema
    .alterTable('devices')
    .addColumn('last_seen_at', ddl.instant, (column) => column.notNull().defaultTo(0))
    .execute();
  await index(db, 'devices', 'last_seen_at', 'id');
}
