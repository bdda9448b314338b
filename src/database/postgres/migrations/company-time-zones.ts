import { sql, type Kysely } from 'kysely';

import { TEXT } from '../schema/builders.js';

/** What the migration 0031 of SQLite makes. */
export async function addCompanyTimeZones<T>(db: Kysely<T>): Promise<void> {
  await sql.raw(`alter table companies add column time_zone ${TEXT} not null default 'UTC'`).execute(db);
}
