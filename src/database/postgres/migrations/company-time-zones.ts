import { sql, type Kysely } from 'kysely';

import { TEXT } from '../schema/builders.js';

/** Counterpart of the SQLite migration 0031. */
export async function addCompanyTimeZones<T>(db: Kysely<T>): Promise<void> {
  await sql.raw(`alter table companies add column time_zone ${TEXT} not null default 'UTC'`).execute(db);
}
