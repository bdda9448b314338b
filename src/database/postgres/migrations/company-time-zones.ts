import { sql, type Kysely } from 'kysely';

/** What the migration 0031 of SQLite makes. */
export async function addCompanyTimeZones<T>(db: Kysely<T>): Promise<void> {
  await sql`alter table companies add column time_zone text not null default 'UTC'`.execute(db);
}
