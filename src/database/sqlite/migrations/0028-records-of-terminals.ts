import { sql } from 'kysely';

import { ddl } from '../ddl.js';
import { index, references, required, type Db } from '../table-builders.js';

const TRIGGERS = [
  `create trigger devices_numbered after update of logical_number_id on devices
    when old.logical_number_id is not new.logical_number_id begin
    insert into device_numbers (company_id, device_id, ended_at, number) values (new.company_id, new.id, new.updated_at,
      (select number from logical_numbers where company_id = old.company_id and id = old.logical_number_id))
      on conflict do nothing;
  end`,
  `create trigger logical_numbers_renamed after update of number on logical_numbers when old.number <> new.number begin
    insert into device_numbers (company_id, device_id, ended_at, number)
      select company_id, id, new.updated_at, old.number from devices
      where company_id = new.company_id and logical_number_id = new.id
      on conflict do nothing;
  end`,
];

/** Adds the logical numbers that devices had before, and the terminal that each delivery was given to. */
export async function up(db: Db): Promise<void> {
  let table = required(db.schema.createTable('device_numbers'), ddl.integer, 'company_id', 'device_id');
  table = required(table, ddl.instant, 'ended_at')
    .addColumn('number', ddl.text)
    .addPrimaryKeyConstraint('device_numbers_pk', ['company_id', 'device_id', 'ended_at'])
    .modifyEnd(ddl.keyed);
  await references(table, 'device_id', 'devices', 'cascade').execute();
  for (const statement of TRIGGERS) await sql.raw(statement).execute(db);
  await sql`alter table notification_deliveries add column serial_number text`.execute(db);
  await sql`alter table notification_deliveries add column confirmed_at integer`.execute(db);
  await index(db, 'notification_deliveries', 'serial_number', 'id');
}
