import { sql } from 'kysely';

import type { Db } from '../table-builders.js';

/**
 * Makes the reference of a transaction unique for its serial number only: terminals number their transactions
 * themselves.
 */
export async function up(db: Db): Promise<void> {
  await sql`drop index transactions_reference`.execute(db);
  await sql`create unique index transactions_reference on transactions (company_id, reference, serial_number)
    where reference is not null`.execute(db);
  // Statistics as ANALYZE would store them: how many rows have the same values in the first columns.
  await sql`insert into sqlite_stat1 (tbl, idx, stat)
    values ('transactions', 'transactions_reference', '1000000 1000000 2 1')`.execute(db);
}
