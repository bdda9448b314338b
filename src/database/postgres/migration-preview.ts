import type { Client } from 'pg';

import { SYSTEM_ROLE } from '../../schema/postgres.js';
import { unusable } from '../database.js';
import { MIGRATIONS, namesOf, type Migrations } from '../migrations.js';
import type { TouchedTable } from '../tools.js';
import { stateOf } from './faults.js';
import { inspect, migrationHandle } from './migrate.js';
import { type Roles, rolesIn, withRoles } from './roles.js';

const NOT_ALLOWED = '42501';

/**
 * Tables that pending migrations touch. Runs them on empty tables in a schema that is dropped afterwards, so
 * that no server waits for locks. Errors: `DatabaseRefused`, also if the user may not create schemas.
 */
export async function previewMigrations(client: Client, name: string, migrations: Migrations = MIGRATIONS) {
  const { applied, pending } = await inspect(client, name, namesOf(migrations));
  if (applied.length === 0 || pending.length === 0) return [];
  const { rows } = await client.query<{ schema: string; preview: string }>(
    `select quote_ident(current_schema()) as schema, 'terminal_gateway_preview_' || pg_backend_pid() as preview`,
  );
  const { schema = '', preview = '' } = rows[0] ?? {};
  const roles = await rolesIn(client);
  const db = migrationHandle(client, roles);
  try {
    await create(client, name, preview);
    await copyTables(client, preview, roles);
    const touched: TouchedTable[] = [];
    for (const migration of pending) {
      await client.query('begin');
      await client.query(BEFORE);
      const change = migrations[migration];
      if (change !== undefined && 'postgres' in change) await change.postgres(db);
      // The lock under which PostgreSQL creates an index beside others.
      if (change !== undefined && 'index' in change)
        await client.query(`lock table ${change.index.table} in share update exclusive mode`);
      const found = await client.query<Omit<TouchedTable, 'migration'>>(TOUCHED, [schema]);
      touched.push(...found.rows.map((row) => ({ migration, ...row })));
      await client.query('drop table tables_before; commit');
    }
    return touched;
  } finally {
    await client.query('rollback').catch(() => undefined);
    await client.query(`drop schema if exists ${preview} cascade; reset search_path`).catch(() => undefined);
  }
}

/** Creates the tables of the current schema, without rows, in the schema `preview`, and makes that the current one. */
async function copyTables(client: Client, preview: string, roles: Roles): Promise<void> {
  const { rows: copied } = await client.query<{ statement: string }>(COPIED, [preview]);
  await client.query(`set search_path = ${preview}`);
  for (const { statement } of copied) await client.query(statement);
  // Migrations change rows of all companies, in the system role.
  const rights = `grant usage on schema ${preview} to ${SYSTEM_ROLE};
    grant all on all tables in schema ${preview} to ${SYSTEM_ROLE}`;
  await client.query(withRoles(rights, roles));
}

async function create(client: Client, name: string, preview: string): Promise<void> {
  try {
    await client.query(`create schema ${preview}`);
  } catch (error) {
    if (stateOf(error) !== NOT_ALLOWED) throw error;
    const advice = 'allow the user to create a schema: grant create on database … to …;';
    throw unusable(`${name} cannot show what its migrations lock: ${advice}`, error);
  }
}

/** Statements that create tables with their references, triggers and views in the schema `$1`. */
const COPIED = `select statement from (
    select 1 as step, format('create table %I (like %I.%I including all)', relname, current_schema(), relname) as statement
      from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace
    union all select 2, format('alter table %I add constraint %I %s', relname, conname, pg_get_constraintdef(k.oid))
      from pg_constraint as k join pg_class as c on c.oid = k.conrelid
      where contype = 'f' and relnamespace = current_schema()::regnamespace
    union all select 3, replace(pg_get_functiondef(oid), quote_ident(current_schema()) || '.', $1 || '.')
      from pg_proc where pronamespace = current_schema()::regnamespace and prorettype = 'trigger'::regtype
    union all select 4, pg_get_triggerdef(t.oid, true) from pg_trigger as t join pg_class as c on c.oid = t.tgrelid
      where not tgisinternal and relnamespace = current_schema()::regnamespace
    union all select 5, format('create view %I as %s', relname, pg_get_viewdef(oid, true))
      from pg_class where relkind = 'v' and relnamespace = current_schema()::regnamespace) as copied
  order by step`;

const BEFORE = `create temporary table tables_before on commit drop as
  select oid, relfilenode from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace`;

/** Lock modes from the strongest, as in pg_locks. */
const MODES = `array['AccessExclusiveLock', 'ExclusiveLock', 'ShareRowExclusiveLock', 'ShareLock',
  'ShareUpdateExclusiveLock', 'RowExclusiveLock', 'RowShareLock', 'AccessShareLock']`;

const TOUCHED = `select c.relname::text as table,
    (${MODES})[min(array_position(${MODES}, l.mode))] as lock,
    max(greatest(own.reltuples, 0))::float8 as rows, bool_or(b.relfilenode <> c.relfilenode) as "isRewritten"
  from pg_locks as l join pg_class as c on c.oid = l.relation join tables_before as b on b.oid = c.oid
  join pg_class as own on own.relname = c.relname and own.relkind = 'r' and own.relnamespace = $1::regnamespace
  where l.pid = pg_backend_pid() and l.mode not in ('AccessShareLock', 'RowShareLock')
  group by c.relname order by c.relname`;
