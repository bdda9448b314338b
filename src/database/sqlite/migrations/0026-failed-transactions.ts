import { sql } from 'kysely';

import type { Db } from '../table-builders.js';

/**
 * Failed transactions, newest first, with all that lists show of them. They are few among others: each would be read from
 * a page of its own.
 */
export async function up(db: Db): Promise<void> {
  await sql`create index transactions_failed on transactions (company_id, started_at desc, id desc, transaction_type,
      serial_number, logical_number, app_name, detail, framework_version, sent, received, parsed, finished_at, reference)
    where status = 'fail'`.execute(db);
}
