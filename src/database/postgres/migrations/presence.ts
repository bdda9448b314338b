import { sql, type Kysely } from 'kysely';

import { index } from '../schema/builders.js';

/** Counterpart of the SQLite migration 0021. */
export async function addPresence<T>(db: Kysely<T>): Promise<void> {
  const statements = [
    "alter table devices add column last_seen_at timestamptz not null default 'epoch'",
    index('devices', 'last_seen_at', 'id'),
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
