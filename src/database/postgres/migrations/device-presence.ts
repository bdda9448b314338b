import { sql, type Kysely } from 'kysely';

import { inCompany } from '../schema/builders.js';
import { companyPolicies } from '../schema/policies.js';
import { SYSTEM_ROLE } from '../schema/roles.js';

const TABLE = 'device_presence';

/**
 * Counterpart of the SQLite migration 0035, without an index on the time: an update that changes no indexed
 * column and finds room on its page writes no index entry (HOT). A fillfactor of 50 keeps that room free.
 */
export async function addDevicePresence<T>(db: Kysely<T>): Promise<void> {
  const statements = [
    'alter table devices drop column last_seen_at',
    `create table ${TABLE} (
      company_id bigint not null,
      device_id bigint not null,
      last_seen_at timestamptz not null default 'epoch',
      constraint ${TABLE}_pk primary key (company_id, device_id),
      ${inCompany('device_id', 'devices', 'cascade')}) with (fillfactor = 50)`,
    ...companyPolicies(TABLE),
    // Row-level security hides all rows from the owner of the tables.
    `set local role ${SYSTEM_ROLE}`,
    `insert into ${TABLE} (company_id, device_id) select company_id, id from devices`,
    'reset role',
    `create function add_device_presence() returns trigger language plpgsql set search_path from current as $$
      begin
        insert into ${TABLE} (company_id, device_id) select company_id, id from new_rows;
        return null;
      end $$`,
    `create trigger devices_have_presence after insert on devices referencing new table as new_rows
      for each statement execute function add_device_presence()`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
