import { sql, type Kysely, type QueryExecutorProvider } from 'kysely';

import type { Tables } from '../schema/schema.js';

type Change = (db: Kysely<Tables>) => Promise<void>;

/** Changes tables in one transaction. Nodes of the version before go on working with the tables of this one. */
interface TableMigration {
  readonly sqlite: Change;
  readonly postgres: Change;
}

/** Changes rows in parts, each in a transaction of its own. A part that is repeated must find nothing to do. */
interface RowMigration {
  /** Changes some hundred rows; resolves to whether there may be more. */
  readonly part: (db: Kysely<Tables>) => Promise<boolean>;
}

export type Migration = TableMigration | RowMigration;
export type Migrations = Readonly<Record<string, Migration>>;

/** Name under which a database stores that it has the schema of the first release. */
const FIRST = '0001-schema';

/**
 * Migrations since the first release, applied in the order of their names, for example `0002-device-notes`. New
 * databases get their result from `src/schema`. A released migration is never renamed, changed or removed.
 */
export const MIGRATIONS: Migrations = {};

/** Names that a database with these migrations stores as applied. */
export const namesOf = (migrations: Migrations): readonly string[] => [
  FIRST,
  ...Object.keys(migrations).sort(),
];

export const MIGRATION_NAMES = namesOf(MIGRATIONS);

export async function hasAllMigrations(db: QueryExecutorProvider): Promise<boolean> {
  const { rows } = await sql<{ name: string }>`select name from applied_migrations`.execute(db);
  return MIGRATION_NAMES.every((each) => rows.some(({ name }) => name === each));
}
