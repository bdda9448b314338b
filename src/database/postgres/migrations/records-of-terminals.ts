import { sql, type Kysely } from 'kysely';

import { inCompany, index, TEXT } from '../schema/builders.js';
import { companyPolicies } from '../schema/policies.js';

const TABLE = 'device_numbers';

const noting = (name: string, rows: string): string =>
  `create function ${name}() returns trigger language plpgsql set search_path from current as $$
  begin
    insert into ${TABLE} (company_id, device_id, ended_at, number) ${rows} on conflict do nothing;
    return null;
  end $$`;

const NOTED: readonly string[] = [
  noting(
    'note_numbers_of_devices',
    `select after.company_id, after.id, after.updated_at, number.number from new_rows as after
      join old_rows as before on before.company_id = after.company_id and before.id = after.id
      left join logical_numbers as number
        on number.company_id = before.company_id and number.id = before.logical_number_id
      where before.logical_number_id is distinct from after.logical_number_id`,
  ),
  noting(
    'note_renamed_numbers',
    `select device.company_id, device.id, after.updated_at, before.number from new_rows as after
      join old_rows as before on before.company_id = after.company_id and before.id = after.id
      join devices as device on device.company_id = after.company_id and device.logical_number_id = after.id
      where before.number <> after.number`,
  ),
  `create trigger devices_numbered after update on devices
    referencing old table as old_rows new table as new_rows
    for each statement execute function note_numbers_of_devices()`,
  `create trigger logical_numbers_renamed after update on logical_numbers
    referencing old table as old_rows new table as new_rows
    for each statement execute function note_renamed_numbers()`,
];

const STATEMENTS: readonly string[] = [
  `create table ${TABLE} (
    company_id bigint not null,
    device_id bigint not null,
    ended_at timestamptz not null,
    number ${TEXT},
    constraint ${TABLE}_pk primary key (company_id, device_id, ended_at),
    ${inCompany('device_id', 'devices', 'cascade')})`,
  ...companyPolicies(TABLE),
  ...NOTED,
  `alter table notification_deliveries add column serial_number ${TEXT}, add column confirmed_at timestamptz`,
  index('notification_deliveries', 'serial_number', 'id'),
];

/** Counterpart of the SQLite migration 0028. */
export async function addRecordsOfTerminals<T>(db: Kysely<T>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
