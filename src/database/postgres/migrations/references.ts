import { sql, type Kysely } from 'kysely';

/** Counterpart of the SQLite migration 0017. */
export async function keepReferencesByTerminal<T>(db: Kysely<T>): Promise<void> {
  await sql`drop index transactions_reference`.execute(db);
  await sql`create unique index transactions_reference on transactions (company_id, reference, serial_number)
    where reference is not null`.execute(db);
}
