import { sql } from 'kysely';

import { ddl } from '../ddl.js';
import { required, type Db } from '../table-builders.js';

/** Adds hashes of ledger entries, and the head of each company's chain; see `database/ledger/chain.ts`. */
export async function up(db: Db): Promise<void> {
  await sql`alter table ledger add column hash ${ddl.text}`.execute(db);
  const table = db.schema
    .createTable('ledger_chains')
    .addColumn('company_id', ddl.integer, (c) => c.notNull().primaryKey());
  await required(
    required(table, ddl.integer, 'first_sequence', 'before_sequence', 'sequence'),
    ddl.text,
    ...['before_hash', 'hash', 'key_fingerprint', 'seal'],
  ).execute();
}
