import { sql } from 'kysely';

import { ddl } from '../ddl.js';
import { index, references, required, type Db, type Table } from '../table-builders.js';

const ALL_SCOPES = '["read","write","admin","ingest","terminals"]';

/** Deletes the unknown terminal with the serial number of a new device. */
const KNOWN = `create trigger devices_known after insert on devices begin
    delete from unknown_terminals where company_id = new.company_id and serial_number = new.serial_number;
  end`;

/**
 * Adds tokens of devices, unknown terminals, and the reasons of the last refusals of terminals. Tokens of the
 * token endpoint have every scope, so existing ones get the new scope.
 */
export async function up(db: Db): Promise<void> {
  const tokens = required(ofDevice(db, 'device_tokens'), ddl.text, 'token_hash', 'last_four');
  await required(tokens, ddl.integer, 'issued_by', 'issued_at')
    .addUniqueConstraint('device_tokens_hash', ['token_hash'])
    .execute();
  const refusals = required(ofDevice(db, 'terminal_refusals'), ddl.text, 'code');
  await required(refusals, ddl.instant, 'refused_at').execute();
  await createUnknownTerminals(db);
  await sql`update access_tokens set scopes = ${sql.lit(ALL_SCOPES)} where kind = 'derived'`.execute(db);
}

/** A table with at most one row for each device, which is deleted with the device. */
function ofDevice(db: Db, name: string): Table {
  const table = required(db.schema.createTable(name), ddl.integer, 'company_id', 'device_id')
    .addPrimaryKeyConstraint(`${name}_pk`, ['company_id', 'device_id'])
    .modifyEnd(ddl.keyed);
  return references(table, 'device_id', 'devices', 'cascade');
}

async function createUnknownTerminals(db: Db): Promise<void> {
  let table = required(db.schema.createTable('unknown_terminals'), ddl.integer, 'id')
    .addColumn('company_id', ddl.integer, (c) => c.notNull().references('companies.id'))
    .addPrimaryKeyConstraint('unknown_terminals_of_company', ['company_id', 'id']);
  table = required(table, ddl.text, 'serial_number');
  await required(table, ddl.instant, 'first_seen_at', 'last_seen_at', 'count')
    .addUniqueConstraint('unknown_terminals_serial_number', ['company_id', 'serial_number'])
    .execute();
  await index(db, 'unknown_terminals', 'last_seen_at', 'id');
  for (const trigger of [...ddl.counted('unknown_terminals', 'unknown_terminals'), KNOWN]) {
    await sql.raw(trigger).execute(db);
  }
}
