import { sql, type Kysely, type QueryExecutorProvider } from 'kysely';
import { createHash } from 'node:crypto';

import type { Tables } from '../schema/schema.js';
import { unusable } from './database.js';

type Change = (db: Kysely<Tables>) => Promise<void>;

interface Common {
  /**
   * Versions that do not know the migration of this name refuse the database from this one on. Null where versions before
   * work on: it only adds.
   */
  readonly needs: string | null;
}

/** Changes tables in one transaction. Nodes of the version before go on working with the tables of this one. */
interface TableMigration extends Common {
  readonly sqlite: Change;
  readonly postgres: Change;
}

/** Ids of the last row of a part; none before the first part. */
type Place = readonly number[];

/** Changes rows in parts, each in a transaction of its own. A part that is repeated must find nothing to do. */
export interface RowMigration extends Common {
  /** Changes some hundred rows after a place; resolves to the place of the last one, null if there are no more. */
  readonly part: (db: Kysely<Tables>, after: Place) => Promise<Place | null>;
}

/** Adds an index. On PostgreSQL, others write to the table meanwhile. */
export interface IndexMigration extends Common {
  readonly index: { readonly name: string; readonly table: string; readonly columns: string };
}

export type Migration = TableMigration | RowMigration | IndexMigration;
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
  readonly needs?: string | null;
}

/** Applied migrations after which a version that knows only `known` must not use the database. */
export const tooNew = (applied: readonly AppliedMigration[], known: readonly string[]): readonly string[] =>
  applied
    .filter(({ name, needs }) => !known.includes(name) && needs != null && !known.includes(needs))
    .map(({ name }) => name);

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
