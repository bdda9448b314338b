import { sql } from 'kysely';

import { ddl } from '../ddl.js';
import { index, references, required, type Db } from '../table-builders.js';

const TABLE = 'device_presence';

/**
 * Moves `last_seen_at` from `devices` to a table that has one row for each device, which a trigger inserts.
 */
export async function up(db: Db): Promise<void> {
  await db.schema.dropIndex('devices_by_last_seen_at_id').execute();
  await db.schema.alterTable('devices').dropColumn('last_seen_at').execute();
  const table = required(db.schema.createTable(TABLE), ddl.integer, 'company_id', 'device_id')
    .addColumn('last_seen_at', ddl.instant, (column) => column.notNull().defaultTo(0))
    .addPrimaryKeyConstraint(`${TABLE}_pk`, ['company_id', 'device_id'])
    .modifyEnd(ddl.keyed);
  await references(table, 'device_id', 'devices', 'cascade').execute();
  await index(db, TABLE, 'last_seen_at', 'device_id');
  await sql`insert into device_presence (company_id, device_id) select company_id, id from devices`.execute(
    db,
  );
  await sql`create trigger devices_have_presence after insert on devices begin
    insert into device_presence (company_id, device_id) values (new.company_id, new.id);
  end`.execute(db);
}
