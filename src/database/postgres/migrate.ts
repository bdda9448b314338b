import type { CompiledQuery, Kysely, QueryResult } from 'kysely';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';

import { SECOND } from '../../platform/clock.js';
import { POSTGRES_SCHEMA, SYSTEM_ROLE } from '../../schema/postgres.js';
import type { Tables } from '../../schema/schema.js';
import { DatabaseRefused, unusable } from '../database.js';
import {
  type AppliedMigration,
  requireSameSchema,
  fingerprintOf,
  type IndexMigration,
  MIGRATION_NAMES,
  MIGRATIONS,
  type Migrations,
  namesOf,
  type RowMigration,
  tooNew,
} from '../migrations.js';
import { handleOn } from './connections/statements.js';
import { stateOf } from './faults.js';
import { AS_SYSTEM, prepareRoles, type Roles, rolesIn, withRoles } from './roles.js';

/** Key of the advisory lock of the node that migrates. */
const MIGRATING = '(21574, 3)';

/** Maximum wait for the lock of a table. Requests wait behind it, at most a second in all. */
const TABLE_MS = SECOND / 2;
const PAUSE_MS = SECOND / 2;
const MAX_ATTEMPTS = 100;
/** SQLSTATE of a lock that was not free in time. */
const NOT_FREE = '55P03';

/** Applied and pending migrations. Errors: `DatabaseRefused` for tables of others and unknown migrations. */
export async function inspect(client: Client, name: string, known = MIGRATION_NAMES) {
  const { rows: found } = await client.query<{ migrates: boolean; others: number }>(
    `select to_regclass('applied_migrations') is not null as migrates, (select count(*) from pg_tables
      where schemaname = current_schema()) as others`,
  );
  const { migrates = false, others = 0 } = found[0] ?? {};
  if (!migrates && others > 0) {
    throw new DatabaseRefused(
      'foreign',
      `${name} has tables of another program. Nothing was changed. Set DATABASE_URL to a database of its own.`,
    );
  }
  if (migrates) await requireOwner(client, name);
  const rows = migrates ? await appliedIn(client) : [];
  const applied = rows.map((row) => row.name);
  const unknown = tooNew(rows, known);
  if (unknown.length > 0) {
    throw new DatabaseRefused(
      'newer',
      `${name} was made by a newer version of terminal-gateway (${unknown.join(', ')}). Nothing was changed. Install that version.`,
    );
  }
  requireSameSchema(name, rows, FINGERPRINT);
  return { applied, pending: known.filter((each) => !applied.includes(each)) };
}

/** Without the letters of `folded`: they follow from the version of Unicode that Node has. */
const FINGERPRINT = fingerprintOf(
  POSTGRES_SCHEMA.map((statement) => statement.replaceAll(/translate\(lower\(t\)[^)]*\)/g, 'translate')),
);

async function appliedIn(client: Client): Promise<readonly AppliedMigration[]> {
  // Through JSON, since earlier states lack the column.
  const { rows } = await client.query<AppliedMigration>(
    `select name, to_jsonb(m) ->> 'fingerprint' as fingerprint, to_jsonb(m) ->> 'needs' as needs
      from applied_migrations as m order by name`,
  );
  return rows;
}

/** Applies pending migrations, each in its own transaction; one node at a time. Errors: `DatabaseRefused`. */
export async function bringUpToDate(
  client: Client,
  name: string,
  onProgress: (message: string) => void = () => undefined,
  migrations: Migrations = MIGRATIONS,
): Promise<readonly string[]> {
  const known = namesOf(migrations);
  const { pending: first } = await inspect(client, name, known);
  const roles = await rolesIn(client);
  await prepareRoles(client, roles, name);
  if (first.length === 0) return [];
  await takeTurn(client, () => onProgress(`${name}: another node applies migrations; waiting for it`));
  try {
    // Another node may have migrated meanwhile.
    const { applied, pending } = await inspect(client, name, known);
    // The first one creates the schema, with what later ones make.
    for (const each of applied.length === 0 ? pending.slice(0, 1) : pending) {
      onProgress(`${name}: migration ${each}`);
      await applyBesideOthers(client, { name, migrations, roles }, each);
    }
    return pending;
  } finally {
    // If the connection is lost, the lock has ended.
    await client.query(`select pg_advisory_unlock${MIGRATING}`).catch(() => undefined);
  }
}

/** A statement that waits for the lock would hold a snapshot, for whose end the creation of an index waits. */
async function takeTurn(client: Client, onWait: () => void): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    const { rows } = await client.query<{ taken: boolean }>(
      `select pg_try_advisory_lock${MIGRATING} as taken`,
    );
    if (rows[0]?.taken === true) return;
    if (isFirst) onWait();
    await sleep(PAUSE_MS);
  }
}

interface Target {
  readonly name: string;
  readonly migrations: Migrations;
  readonly roles: Roles;
}

/** Tries again after a second: while a migration waits for a table, all later transactions wait too. */
async function applyBesideOthers(client: Client, target: Target, migration: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await apply(client, target, migration);
      return;
    } catch (error) {
      if (stateOf((error as Error).cause) !== NOT_FREE || attempt === MAX_ATTEMPTS) throw error;
    }
    await sleep(PAUSE_MS);
  }
}

/** Rights of the system role, in which backups are made. */
export const READABLE = `do $$ begin
    grant select on applied_migrations to ${SYSTEM_ROLE};
    execute format('grant select on all sequences in schema %I to ${SYSTEM_ROLE}', current_schema());
  end $$`;

async function apply(client: Client, target: Target, name: string): Promise<void> {
  const migration = target.migrations[name];
  if (migration !== undefined && 'part' in migration) await changeRows(client, target, name, migration);
  if (migration !== undefined && 'index' in migration) {
    await createIndex(client, migration.index).catch(async (error: unknown) => {
      throw await failed(client, target.name, name, error);
    });
  }
  await inTransaction(client, target, name, async () => {
    if (name === MIGRATION_NAMES[0]) {
      await createAll(client, target.roles);
      return;
    }
    if (migration !== undefined && 'postgres' in migration)
      await migration.postgres(migrationHandle(client, target.roles));
    await client.query(APPLIED, [[name], migration?.needs]);
  });
}

async function inTransaction<T>(
  client: Client,
  { name, roles }: Target,
  migration: string,
  use: () => Promise<T>,
): Promise<T> {
  await client.query('begin');
  try {
    await client.query(`set local lock_timeout = ${TABLE_MS}`);
    const result = await use();
    await client.query(withRoles(READABLE, roles));
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw await failed(client, name, migration, error);
  }
}

const APPLIED = `insert into applied_migrations (name, fingerprint, needs)
  select unnest($1::text[]), '${FINGERPRINT}', $2::text`;

async function createAll(client: Client, roles: Roles): Promise<void> {
  await createSchema(client, roles);
  await client.query(`create table applied_migrations
    (name text collate "C" primary key, applied_at timestamptz not null default now(), fingerprint text,
      place text, needs text)`);
  await client.query(APPLIED, [MIGRATION_NAMES, null]);
}

async function changeRows(
  client: Client,
  target: Target,
  name: string,
  { part }: RowMigration,
): Promise<void> {
  const db = migrationHandle(client, target.roles);
  for (let place: Awaited<ReturnType<typeof part>> = []; place !== null;) {
    const after: readonly number[] = place;
    place = await inTransaction(client, target, name, async () => {
      // Row-level security hides all rows from the owner of the tables.
      await client.query(AS_SYSTEM);
      const next = await part(db, after);
      await client.query('reset role');
      return next;
    });
  }
}

/** Creates an index while others write. One whose creation was interrupted is not valid, and is created anew. */
async function createIndex(client: Client, { name, table, columns }: IndexMigration['index']): Promise<void> {
  const { rows } = await client.query<{ valid: boolean }>(
    'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
    [name],
  );
  if (rows[0]?.valid === true) return;
  if (rows.length > 0) await client.query(`drop index concurrently ${name}`);
  await client.query(`create index concurrently ${name} on ${table} ${columns}`);
}

/** Creates all tables in a database without tables. The caller begins and ends the transaction. */
export async function createSchema(client: Client, roles: Roles): Promise<void> {
  for (const statement of POSTGRES_SCHEMA) await client.query(withRoles(statement, roles));
}

async function failed(client: Client, name: string, migration: string, error: unknown): Promise<Error> {
  const { code, message } = error as { readonly code?: string; readonly message: string };
  // The user may not create tables in the schema.
  if (code === '42501') {
    const { rows } = await client.query<{ user: string; schema: string }>(
      'select quote_ident(current_user) as user, quote_ident(current_schema()) as schema',
    );
    const { user = '', schema = '' } = rows[0] ?? {};
    const advice = `an administrator must run in this database: grant usage, create on schema ${schema} to ${user};`;
    return unusable(`${name}: ${message}. Nothing was changed: ${advice}`, error);
  }
  if (!(error instanceof DatabaseRefused))
    return new Error(`The migration ${migration} failed and was rolled back: ${message}`, { cause: error });
  const text = `${name} cannot be used. Nothing was changed. ${message}`;
  return new DatabaseRefused(error.reason, text, error);
}

/** Errors: `DatabaseRefused` if the user does not own the tables, or may not set the system role. */
async function requireOwner(client: Client, name: string): Promise<void> {
  const { company, system } = await rolesIn(client);
  const { rows } = await client.query<{ owner: string; user: string; owns: boolean; has_role: boolean }>(
    `select tableowner as owner, current_user as user, pg_has_role(tableowner, 'member') as owns,
      coalesce((select pg_has_role(oid, 'member') from pg_roles where rolname = $1), false) as has_role
      from pg_tables where schemaname = current_schema() and tablename = 'applied_migrations'`,
    [system],
  );
  const [found] = rows;
  if (found === undefined || (found.owns && found.has_role)) return;
  const advice = found.owns
    ? `grant ${company}, ${system} to ${found.user}`
    : `its tables belong to ${found.owner}: use this user in DATABASE_URL`;
  throw unusable(`${name} cannot be used by ${found.user}. Nothing was changed: ${advice}.`);
}

/** A handle for migrations on one connection. The caller begins and ends its transactions. */
export const migrationHandle = (client: Client, roles: Roles): Kysely<Tables> =>
  handleOn(async <R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> => {
    const { rows } = await client.query<Record<string, unknown>>(withRoles(sql, roles), [...parameters]);
    return { rows } as unknown as QueryResult<R>;
  });
