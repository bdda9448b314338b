import { sql, type Kysely } from 'kysely';

import { companyTable, inCompany, index, TEXT } from '../schema/builders.js';
import { counted } from '../schema/counters.js';
import { companyPolicies } from '../schema/policies.js';
import { SYSTEM_ROLE } from '../schema/roles.js';

const ALL_SCOPES = '["read","write","admin","ingest","terminals"]';

/** A table with at most one row for each device, which is deleted with the device. */
function ofDevice(name: string, ...columns: string[]): readonly string[] {
  const creation = `create table ${name} (
    company_id bigint not null,
    device_id bigint not null,
    ${columns.map((column) => `${column},`).join('\n')}
    constraint ${name}_pk primary key (company_id, device_id),
    ${inCompany('device_id', 'devices', 'cascade')})`;
  return [creation, ...companyPolicies(name)];
}

const UNKNOWN_TERMINALS: readonly string[] = [
  companyTable(
    'unknown_terminals',
    `serial_number ${TEXT} not null`,
    'first_seen_at timestamptz not null',
    'last_seen_at timestamptz not null',
    'count bigint not null',
    'constraint unknown_terminals_serial_number unique (company_id, serial_number)',
  ),
  index('unknown_terminals', 'last_seen_at', 'id'),
  ...companyPolicies('unknown_terminals'),
  ...counted('unknown_terminals'),
];

/** Deletes the unknown terminal with the serial number of a new device. */
const KNOWN: readonly string[] = [
  `create function forget_unknown_terminals() returns trigger language plpgsql set search_path from current as $$
    begin
      delete from unknown_terminals as unknown using new_rows as device
        where unknown.company_id = device.company_id and unknown.serial_number = device.serial_number;
      return null;
    end $$`,
  `create trigger devices_known after insert on devices referencing new table as new_rows
    for each statement execute function forget_unknown_terminals()`,
];

/** Counterpart of the SQLite migration 0016. */
export async function addTerminals<T>(db: Kysely<T>): Promise<void> {
  const statements = [
    ...ofDevice(
      'device_tokens',
      `token_hash ${TEXT} not null`,
      `last_four ${TEXT} not null`,
      'issued_by bigint not null',
      'issued_at timestamptz not null',
      'constraint device_tokens_hash unique (token_hash)',
    ),
    ...ofDevice('terminal_refusals', `code ${TEXT} not null`, 'refused_at timestamptz not null'),
    ...UNKNOWN_TERMINALS,
    ...KNOWN,
    // Row-level security hides all rows from the owner of the tables.
    `set local role ${SYSTEM_ROLE}`,
    `update access_tokens set scopes = '${ALL_SCOPES}' where kind = 'derived'`,
    'reset role',
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
