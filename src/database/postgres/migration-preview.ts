import type { Client } from 'pg';

import type { TouchedTable } from '../tools.js';
import { DatabaseRefused } from '../refused.js';
import { stateOf } from './faults.js';
import { inspect, migrationHandle } from './migrate.js';
import { MIGRATIONS } from './migrations/index.js';
import { rolesIn, SYSTEM_ROLE, withRoles } from './schema/roles.js';

/** SQLSTATE of an action that the user may not do. */
const NOT_ALLOWED = '42501';

/**
 * Tables that pending migrations touch. Runs the migrations on empty tables in a schema that is dropped
 * afterwards, so that no server waits for their locks. Errors: `DatabaseRefused`, also if the user may not
 * create schemas.
 */
export async function previewMigrations(
  client: Client,
  name: string,
  migrations: typeof MIGRATIONS = MIGRATIONS,
): Promise<readonly TouchedTable[]> {
  const { applied, pending } = await inspect(client, name, Object.keys(migrations).sort());
  if (applied.length === 0 || pending.length === 0) return [];
  const { rows } = await client.query<{ schema: string; preview: string }>(
    `select quote_ident(current_schema()) as schema, 'terminal_gateway_preview_' || pg_backend_pid() as preview`,
  );
  const { schema = '', preview = '' } = rows[0] ?? {};
  const roles = await rolesIn(client);
  const db = migrationHandle(client, roles);
  try {
    await create(client, name, preview);
    // Migrations change rows of all companies, in the system role.
    await client.query(withRoles(`grant usage on schema ${preview} to ${SYSTEM_ROLE}`, roles));
    await client.query(`set search_path = ${preview}; create table applied_migrations (name text)`);
    await client.query('begin');
    for (const each of applied) await migrations[each]?.(db);
    await client.query('commit');
    const touched: TouchedTable[] = [];
    for (const migration of pending) {
      await client.query('begin');
      await client.query(BEFORE);
      await migrations[migration]?.(db);
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

async function create(client: Client, name: string, preview: string): Promise<void> {
  try {
    await client.query(`create schema ${preview}`);
  } catch (error) {
    if (stateOf(error) !== NOT_ALLOWED) throw error;
    const advice = 'allow the user to create a schema: grant create on database … to …;';
    throw new DatabaseRefused('unusable', `${name} cannot show what its migrations lock: ${advice}`, error);
  }
}

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
