/** Databases as released versions made them, which every later one must open (src/migrations.md). */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import { inject } from 'vitest';

import { prepareRoles, rolesIn, withRoles } from '../../../src/database/postgres/roles.js';
import { POSTGRES_SCHEMA } from '../../../src/schema/postgres.js';
import { adminUrlOf } from '../postgres/boot.js';
import { newDatabase, type TestPlace } from './place.js';
import { fileOf } from './sqlite-place.js';

const FOLDER = fileURLToPath(new URL('../releases', import.meta.url));

/** Facts about a release besides its databases. */
export interface Release {
  /** A token of an admin, with every scope. */
  readonly token: string;
  /** Results of the queries of the test at that time. */
  readonly answers: unknown;
}

export const releases = (): readonly string[] => (existsSync(FOLDER) ? readdirSync(FOLDER).toSorted() : []);

const pathOf = (version: string, name: string): string => join(FOLDER, version, name);
const databaseName = (): string => `${inject('database')}.gz`;
const answersName = (): string => `${inject('database')}-answers.json.gz`;

export const releaseOf = (version: string): Release =>
  JSON.parse(gunzipSync(readFileSync(pathOf(version, answersName()))).toString()) as Release;

/** Keeps a database of this state, which nobody has open, as that of a release. */
export async function keepRelease(version: string, place: TestPlace, release: Release): Promise<void> {
  mkdirSync(join(FOLDER, version), { recursive: true });
  await place.sql('update applied_migrations set place = null');
  await place.disconnect();
  const bytes = place.url.startsWith('file:') ? readFileSync(fileOf(place)) : await dumpOf(place.url);
  writeFileSync(pathOf(version, databaseName()), gzipSync(bytes, { level: 9 }));
  writeFileSync(pathOf(version, answersName()), gzipSync(JSON.stringify(release), { level: 9 }));
}

/** A database as a release made it. */
export async function placeOfRelease(version: string): Promise<TestPlace> {
  const bytes = gunzipSync(readFileSync(pathOf(version, databaseName())));
  const place = await newDatabase({ isMigrated: false });
  if (place.url.startsWith('file:')) writeFileSync(fileOf(place), bytes);
  else await load(place.url, JSON.parse(bytes.toString()) as Dump);
  return place;
}

/** A database of PostgreSQL of any version: the statements that made it, and all rows. */
interface Dump {
  readonly schema: readonly string[];
  readonly tables: readonly {
    readonly name: string;
    readonly columns: string;
    readonly rows: readonly object[];
  }[];
}

async function withAdmin<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(adminUrlOf(inject('postgres'), url));
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

const TABLES = `select table_name as name, string_agg(quote_ident(column_name), ', ') as columns
  from information_schema.columns join information_schema.tables using (table_schema, table_name)
  where table_schema = 'public' and table_type = 'BASE TABLE' and is_generated = 'NEVER' group by table_name`;

async function dumpOf(url: string): Promise<Buffer> {
  return await withAdmin(url, async (client) => {
    const { rows: found } = await client.query<{ name: string; columns: string }>(TABLES);
    const tables: Dump['tables'][number][] = [];
    for (const { name, columns } of found) {
      const { rows } = await client.query<{ row: object }>(
        `select to_jsonb(t) as row from (select ${columns} from ${name}) as t`,
      );
      tables.push({ name, columns, rows: rows.map(({ row }) => row) });
    }
    const applied = `create table applied_migrations (name text collate "C" primary key,
      applied_at timestamptz not null default now(), fingerprint text, place text, needs text)`;
    return Buffer.from(JSON.stringify({ schema: [...POSTGRES_SCHEMA, applied], tables } satisfies Dump));
  });
}

async function load(url: string, { schema, tables }: Dump): Promise<void> {
  const owner = new pg.Client(url);
  await owner.connect();
  const roles = await rolesIn(owner);
  await prepareRoles(owner, roles, 'test');
  for (const statement of schema) await owner.query(withRoles(statement, roles));
  await owner.end();
  await withAdmin(url, async (client) => {
    await client.query('set session_replication_role = replica');
    for (const { name, columns, rows } of tables) {
      await client.query(
        `insert into ${name} (${columns}) overriding system value
          select ${columns} from jsonb_populate_recordset(null::${name}, $1)`,
        [JSON.stringify(rows)],
      );
    }
    await client.query(`do $$ declare each record; begin
      for each in select table_name as name, column_name as id from information_schema.columns
          where table_schema = 'public' and is_identity = 'YES' loop
        execute format('select setval(pg_get_serial_sequence(%L, %L), (select coalesce(max(%I), 0) + 1 from %I))',
          each.name, each.id, each.id, each.name);
      end loop; end $$`);
  });
}
