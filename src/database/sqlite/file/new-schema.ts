import { readFileSync } from 'node:fs';
import { sql, type Kysely } from 'kysely';

import { systemClock } from '../../../platform/clock.js';
import type { Tables } from '../../tables/tables.js';
import { MIGRATION_NAMES } from '../migrations/index.js';

/** End of each statement in `schema.sql`. */
export const STATEMENT_END = ';\n\n';

/**
 * Creates the schema of a new file in one transaction, instead of one migration after another: 12 ms instead
 * of 150. The file gets the same tables and the same record of migrations, so that later ones apply to it.
 */
export async function createNewSchema(db: Kysely<Tables>): Promise<void> {
  const statements = readFileSync(new URL('../schema.sql', import.meta.url), 'utf8')
    .split(STATEMENT_END)
    .filter((statement) => statement !== '');
  const timestamp = systemClock.now().toISOString();
  await db.transaction().execute(async (transaction) => {
    for (const statement of statements) await sql.raw(statement).execute(transaction);
    for (const name of MIGRATION_NAMES) {
      await sql`insert into kysely_migration (name, timestamp) values (${name}, ${timestamp})`.execute(
        transaction,
      );
    }
    await sql`insert into kysely_migration_lock (id, is_locked) values ('migration_lock', 0)`.execute(
      transaction,
    );
  });
}
