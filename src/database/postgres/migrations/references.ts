import { sql, type Kysely } from 'kysely';

/** What the migration 0017 of SQLite makes. */
export async function keepReferencesByTerminal<T>(db: Kysely<T>): Promise<void> {
  await sql`drop index transactions_reference`.execute(db);
  await sql`create unique index transactions_reference on transactions (company_id, reference, serial_number)
    where reference is not null`.execute(db);
}
