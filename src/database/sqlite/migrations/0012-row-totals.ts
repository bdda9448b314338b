import { sql } from 'kysely';

import { ddl } from '../ddl.js';
import type { Db } from '../table-builders.js';

const TABLES = [
  ...['app_versions', 'parameters', 'metacontents', 'access_tokens'],
  ...['app_version_groups', 'app_version_modules', 'app_version_files', 'logical_number_app_versions'],
];

/** Counts the rows of all tables that lists read, so that the cost of a filter is known before it runs. */
export async function up(db: Db): Promise<void> {
  for (const table of [...TABLES, 'ledger']) {
    await sql`insert into counters (company_id, name, total)
      select company_id, ${sql.lit(table)}, count(*) from ${sql.table(table)}
      where company_id is not null group by company_id
      on conflict (company_id, name) do update set total = excluded.total`.execute(db);
  }
  const triggers = [...TABLES.flatMap((table) => ddl.counted(table, table)), ddl.countedLog('ledger')];
  for (const trigger of triggers) await sql.raw(trigger).execute(db);
}
