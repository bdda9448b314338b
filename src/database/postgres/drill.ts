import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Client } from 'pg';

import type { Environment } from '../../platform/config/config.js';
import { databaseName } from '../../platform/config/database-url.js';
import { codeOf } from '../../platform/errors.js';
import { DatabaseRefused, unusable } from '../database.js';
import type { Checked, Drill } from '../tools.js';
import { withClient } from './open.js';
import { rolesIn } from './roles.js';

const AS_DUMP = ['--enable-row-security', '--format=custom'];

/** Reads of a database of this server, and the environment of the programs. */
interface Parts {
  readonly environment: Environment;
  readonly check: (url: string) => Promise<Checked>;
  readonly rows: (url: string) => Promise<Readonly<Record<string, number>>>;
}

/**
 * Uses `pg_dump` and `pg_restore` of the machine; `into` is an empty database of the same server.
 * Errors: `DatabaseRefused`, for example if `into` has tables.
 */
export async function serverDrill(
  url: string,
  parent: string,
  into: string,
  { check, environment, rows: rowsOf }: Parts,
): Promise<Drill> {
  const [name, restored] = [databaseName({ server: url }), databaseName({ server: into })];
  const { system } = await withClient(url, rolesIn);
  await withClient(into, (client) => requireNoTables(client, restored));
  const before = await rowsOf(url);
  const folder = mkdtempSync(join(parent, 'terminal-gateway-drill-'));
  const dump = join(folder, 'backup.dump');
  return {
    left: [folder, restored],
    backup: () => run(environment, 'pg_dump', url, [`--role=${system}`, `--file=${dump}`, ...AS_DUMP]),
    restore: () => run(environment, 'pg_restore', into, ['--exit-on-error', '--no-owner', dump]),
    check: async () => {
      const { problems, rows } = await check(into);
      const empty = Object.entries(before)
        .filter(([table, count]) => count > 0 && (rows?.[table] ?? 0) === 0)
        .map(([table, count]) => `the backup has no row of ${table}, of which ${name} has ${count}`);
      if (problems.length + empty.length > 0)
        throw new DatabaseRefused('damaged', [...problems, ...empty].join('\n'));
    },
    remove: async () => {
      await withClient(into, removeTables);
      rmSync(folder, { recursive: true });
    },
  };
}

async function requireNoTables(client: Client, name: string): Promise<void> {
  const found = 'select from pg_class where relnamespace = current_schema()::regnamespace limit 1';
  const { rows } = await client.query(found);
  if (rows.length === 0) return;
  throw new DatabaseRefused(
    'exists',
    `${name} has tables, perhaps of a drill that was interrupted. Nothing was done: name an empty database.`,
  );
}

/** With what was restored besides them: functions and extensions. */
async function removeTables(client: Client): Promise<void> {
  const { rows } = await client.query<{ schema: string }>('select quote_ident(current_schema()) as schema');
  const schema = rows[0]?.schema ?? 'public';
  await client.query(`drop schema ${schema} cascade; create schema ${schema}`);
}

/** Runs a program of PostgreSQL. Its arguments are seen by all users of the machine, so the password is none of them. */
async function run(environment: Environment, tool: string, url: string, options: readonly string[]) {
  const place = new URL(url);
  const password = place.password === '' ? {} : { PGPASSWORD: decodeURIComponent(place.password) };
  place.password = '';
  const child = spawn(tool, [...options, `--dbname=${place.href}`], {
    env: { ...environment, ...password },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    const closed = once(child, 'close') as Promise<[code: number | null]>;
    const [output, [code]] = await Promise.all([text(child.stderr), closed]);
    if (code !== 0) throw unusable(`${tool} ended with ${String(code)}: ${output.trim()}`);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    throw unusable(`This machine has no ${tool}: install the client of PostgreSQL, of the server's version.`);
  }
}
