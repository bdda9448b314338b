import { sql, type Kysely, type QueryExecutorProvider } from 'kysely';
import { createHash } from 'node:crypto';

import type { Tables } from '../schema/schema.js';
import { unusable } from './database.js';

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

/** Stands for the schema that this version declares. Since the first release, each of its changes has a migration. */
export const fingerprintOf = (statements: readonly string[]): string =>
  createHash('sha256').update(statements.join(';')).digest('hex').slice(0, 16);

/** A row of `applied_migrations`. The fingerprint is that of the version that applied it; states before it lack one. */
export interface AppliedMigration {
  readonly name: string;
  readonly fingerprint?: string | null;
}

/** Errors: `DatabaseRefused` for a schema between two releases, which no migration changes into this one. */
export function requireSameSchema(
  place: string,
  applied: readonly AppliedMigration[],
  fingerprint: string,
): void {
  const latest = applied.find(({ name }) => name === MIGRATION_NAMES.at(-1));
  if (latest === undefined || latest.fingerprint === fingerprint) return;
  throw unusable(
    `${place} was made by another state of terminal-gateway, whose tables differ from those of this version (${latest.fingerprint ?? 'none'} instead of ${fingerprint}). Nothing was changed. Run the version that made it, or set DATABASE_URL to another database.`,
  );
}

export async function hasAllMigrations(db: QueryExecutorProvider): Promise<boolean> {
  const { rows } = await sql<{ name: string }>`select name from applied_migrations`.execute(db);
  return MIGRATION_NAMES.every((each) => rows.some(({ name }) => name === each));
}
