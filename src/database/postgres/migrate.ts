import { Kysely, type DatabaseConnection } from 'kysely';
import type { Client } from 'pg';

import type { Tables } from '../tables.js';
import { DatabaseRefused } from '../refused.js';
import { SCHEMA_CHANGED } from './announcements.js';
import { ConnectionsDialect } from './dialect.js';
import { MIGRATIONS, MIGRATION_NAMES } from './migrations.js';
import { COMPANY_ROLE, SYSTEM_ROLE } from './schema/index.js';

type Migrations = typeof MIGRATIONS;

/** Key of the advisory lock of the node that migrates. */
const MIGRATING = '(21575, 3)';

export interface Inspection {
  readonly applied: readonly string[];
  readonly pending: readonly string[];
}

/**
 * Which migrations a database has. A node of the version before runs on the tables of this one, so it is only refused at
 * its next start. Errors: `DatabaseRefused` if it has tables of another program or user, or migrations that are not known.
 */
export async function inspect(
  client: Client,
  name: string,
  known: readonly string[] = MIGRATION_NAMES,
): Promise<Inspection> {
  const { rows } = await client.query<{ migrations: string | null; others: number }>(
    `select to_regclass('applied_migrations')::text as migrations, (select count(*) from pg_tables
      where schemaname = current_schema()) as others`,
  );
  if (rows[0]?.migrations === null && rows[0].others > 0) {
    throw new DatabaseRefused(
      'foreign',
      `${name} has tables of another program. Nothing was changed. Set DATABASE_URL to a database of its own.`,
    );
  }
  if (rows[0]?.migrations !== null) await demandOwner(client, name);
  const applied = rows[0]?.migrations === null ? [] : await appliedIn(client);
  const unknown = applied.filter((each) => !known.includes(each));
  if (unknown.length > 0) {
    throw new DatabaseRefused(
      'newer',
      `${name} was made by a newer version of terminal-gateway (${unknown.join(', ')}). Nothing was changed. Install that version.`,
    );
  }
  return { applied, pending: known.filter((each) => !applied.includes(each)) };
}

async function appliedIn(client: Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>('select name from applied_migrations order by name');
  return rows.map(({ name }) => name);
}

/** Applies pending migrations, each in its own transaction; one node at a time. Errors: `DatabaseRefused`. */
export async function bringUpToDate(
  client: Client,
  name: string,
  onProgress: (message: string) => void = () => undefined,
  migrations: Migrations = MIGRATIONS,
): Promise<readonly string[]> {
  const known = Object.keys(migrations).sort();
  const { pending: first } = await inspect(client, name, known);
  if (first.length === 0) return [];
  await lock(client, name, onProgress);
  try {
    // Another node may have done it meanwhile.
    const { pending } = await inspect(client, name, known);
    for (const each of pending) {
      onProgress(`${name}: migration ${each}`);
      await apply(client, name, each, migrations);
    }
    if (pending.length > 0) await client.query(SCHEMA_CHANGED);
    return pending;
  } finally {
    // Without a connection, the lock has ended.
    await client.query(`select pg_advisory_unlock${MIGRATING}`).catch(() => undefined);
  }
}

async function lock(client: Client, name: string, onProgress: (message: string) => void): Promise<void> {
  const { rows } = await client.query<{ taken: boolean }>(`select pg_try_advisory_lock${MIGRATING} as taken`);
  if (rows[0]?.taken === true) return;
  onProgress(`${name}: another node applies migrations; waiting for it`);
  await client.query(`select pg_advisory_lock${MIGRATING}`);
}

async function apply(client: Client, name: string, migration: string, migrations: Migrations): Promise<void> {
  await client.query('begin');
  try {
    await client.query(`create table if not exists applied_migrations
      (name text collate "C" primary key, applied_at timestamptz not null default now())`);
    await migrations[migration]?.(handleOf(client));
    await client.query(`grant select on applied_migrations to ${SYSTEM_ROLE}`);
    await client.query('insert into applied_migrations (name) values ($1)', [migration]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw await failed(client, name, migration, error);
  }
}

async function failed(client: Client, name: string, migration: string, error: unknown): Promise<Error> {
  const { code, message } = error as { readonly code?: string; readonly message: string };
  // 42501: not allowed in the schema; 3F000: there is no schema that the user may see.
  if (code === '42501' || code === '3F000') {
    const { rows } = await client.query<{ user: string }>('select quote_ident(current_user) as user');
    const advice = `an administrator must run in this database: grant usage, create on schema public to ${rows[0]?.user ?? ''};`;
    return new DatabaseRefused('unusable', `${name}: ${message}. Nothing was changed: ${advice}`, error);
  }
  if (error instanceof DatabaseRefused) {
    return new DatabaseRefused(
      error.reason,
      `${name} cannot be used. Nothing was changed. ${error.message}`,
      error,
    );
  }
  return new Error(`The migration ${migration} failed and was rolled back: ${message}`, { cause: error });
}

/** Errors: `DatabaseRefused` if the user of the URL does not own the tables, or has not the roles that units use. */
async function demandOwner(client: Client, name: string): Promise<void> {
  const { rows } = await client.query<{ owner: string; user: string; owns: boolean; has_roles: boolean }>(
    `select tableowner as owner, current_user as user, pg_has_role(tableowner, 'member') as owns,
      pg_has_role('${COMPANY_ROLE}', 'member') and pg_has_role('${SYSTEM_ROLE}', 'member')
        as has_roles
      from pg_tables where schemaname = current_schema() and tablename = 'applied_migrations'`,
  );
  const [found] = rows;
  if (found === undefined || (found.owns && found.has_roles)) return;
  const advice = found.owns
    ? `grant ${COMPANY_ROLE}, ${SYSTEM_ROLE} to ${found.user}`
    : `its tables belong to ${found.owner}: use this user in DATABASE_URL`;
  throw new DatabaseRefused(
    'unusable',
    `${name} cannot be used by ${found.user}. Nothing was changed: ${advice}.`,
  );
}

/** A handle for the statements of one connection; its transaction is begun and ended outside. */
function handleOf(client: Client): Kysely<Tables> {
  const connection: DatabaseConnection = {
    executeQuery: async ({ sql, parameters }) => {
      const { rows } = await client.query<Record<string, unknown>>(sql, [...parameters]);
      return { rows: rows as never[] };
    },
    streamQuery: () => {
      throw new Error('A migration reads no stream.');
    },
  };
  const nothing = (): Promise<void> => Promise.resolve();
  return new Kysely({
    dialect: new ConnectionsDialect({
      acquireConnection: () => Promise.resolve(connection),
      releaseConnection: nothing,
      beginTransaction: nothing,
      commitTransaction: nothing,
      rollbackTransaction: nothing,
    }),
  });
}
