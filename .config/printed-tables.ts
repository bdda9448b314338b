import Sqlite from 'better-sqlite3';

import { SqliteConnection } from '../src/database/sqlite/connections/connection.js';
import { applyMigrations, SILENT } from '../src/database/sqlite/file/migrate.js';
import { STATEMENT_END } from '../src/database/sqlite/file/new-schema.js';
import { MIGRATIONS, MIGRATION_NAMES } from '../src/database/sqlite/migrations/index.js';

const HEAD = `-- The schema that all migrations together make, for new files. Written by npm run codegen.\n\n`;

/** The text of `src/database/sqlite/schema.sql`: the statements that make what a new file has after all migrations. */
export async function printedTables(): Promise<string> {
  const database = new Sqlite(':memory:');
  await applyMigrations(new SqliteConnection(database, SILENT), MIGRATIONS, MIGRATION_NAMES);
  const listOf = (query: string): string[] => database.prepare(query).pluck().all() as string[];
  const statements = [
    ...listOf(
      "select sql from sqlite_schema where sql is not null and name not like 'sqlite_%' order by rowid",
    ),
    // Makes the tables of statistics for the query planner, which migrations fill.
    'analyze sqlite_schema',
    ...listOf(`select format('insert into sqlite_stat1 (tbl, idx, stat) values (%Q, %Q, %Q)', tbl, idx, stat)
      from sqlite_stat1 order by tbl, idx`),
  ];
  database.close();
  const split = statements.find((statement) => statement.includes(STATEMENT_END));
  if (split !== undefined)
    throw new Error(`An empty line ends a statement, and must not be in one: ${split}`);
  return HEAD + statements.map((statement) => statement + STATEMENT_END).join('');
}
