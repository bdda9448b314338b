import { sql } from 'kysely';

import { ddl } from '../ddl.js';
import type { Db } from '../table-builders.js';

const TABLES = [
  ...['groups', 'logical_numbers', 'devices', 'apps', 'app_versions', 'files', 'parameters', 'metacontents'],
  ...['notifications', 'transactions', 'access_tokens', 'unknown_terminals'],
];

/** What counts a new row also keeps its id as the last one that was drawn, so the statement that inserts it can draw the id. */
export async function up(db: Db): Promise<void> {
  for (const table of TABLES) await replace(db, table, ddl.countedAndDrawn(table, 'id'));
  await replace(db, 'ledger', ddl.countedAndDrawn('ledger', 'sequence'));
}

async function replace(db: Db, table: string, trigger: string): Promise<void> {
  await sql.raw(`drop trigger ${table}_counted_in`).execute(db);
  await sql.raw(trigger).execute(db);
}
