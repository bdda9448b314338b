import { sql, type Kysely } from 'kysely';

import { BOOKKEEPING_TABLES } from './tables/bookkeeping.js';
import { COUNTER_TRIGGERS } from './counters.js';
import { FLEET_TABLES } from './tables/fleet.js';
import { NOTIFICATION_TABLES } from './tables/notifications.js';
import { POLICIES } from './policies.js';
import { SOFTWARE_TABLES } from './tables/software.js';
import { TOTAL_TRIGGERS } from './totals.js';
import { TRANSACTION_TABLES } from './tables/transactions.js';
import { USER_TABLES } from './tables/users.js';

const STATEMENTS: readonly string[] = [
  ...USER_TABLES,
  ...FLEET_TABLES,
  ...SOFTWARE_TABLES,
  ...NOTIFICATION_TABLES,
  ...TRANSACTION_TABLES,
  ...BOOKKEEPING_TABLES,
  ...COUNTER_TRIGGERS,
  ...TOTAL_TRIGGERS,
  ...POLICIES,
];

/**
 * Creates all tables, triggers and policies in an empty PostgreSQL database (15 or later), like the SQLite
 * migrations up to 0013 together. Must be called in a transaction.
 */
export async function createSchema<T>(db: Kysely<T>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
