import { sql } from 'kysely';

import type { Db } from '../table-builders.js';

/**
 * Adds an index of failed transactions, newest first, with all columns that lists show. They are few among
 * others: without it, each would be read from a different page.
 */
export async function up(db: Db): Promise<void> {
  await sql`create index transactions_failed on transactions (company_id, started_at desc, id desc, transaction_type,
      serial_number, logical_number, app_name, detail, framework_version, sent, received, parsed, finished_at, reference)
    where status = 'fail'`.execute(db);
}
