import { sql } from 'kysely';

import { ddl } from '../ddl.js';
import type { Db } from '../table-builders.js';

const TABLES = [
  ...['groups', 'logical_numbers', 'devices', 'apps', 'app_versions', 'files', 'parameters', 'metacontents'],
  ...['notifications', 'transactions', 'access_tokens', 'unknown_terminals'],
];

/**
 * Makes the triggers that count new rows also store the id as the last one drawn, so that an INSERT can draw
 * the id itself.
 */
export async function up(db: Db): Promise<void> {
  for (const table of TABLES) await replace(db, table, ddl.countedAndDrawn(table, 'id'));
  await replace(db, 'ledger', ddl.countedAndDrawn('ledger', 'sequence'));
}

async function replace(db: Db, table: string, trigger: string): Promise<void> {
  await sql.raw(`drop trigger ${table}_counted_in`).execute(db);
  await sql.raw(trigger).execute(db);
}
