import Sqlite from 'better-sqlite3';
import { join } from 'node:path';
import pg from 'pg';

import { SESSION_AS_SYSTEM } from '../../../src/database/postgres/roles.js';
import { connect } from '../../../src/database/sqlite/connect.js';
import { createUnits } from '../../../src/database/units.js';
import { createDemo } from '../../../src/demo/demo.js';
import { createGroup } from '../../../src/domain/fleet/group/group.service.js';
import { localCaller } from '../../../src/platform/caller.js';
import { systemClock } from '../../../src/platform/clock.js';
import { ledgerChainHash } from '../../../src/platform/hashes.js';
import { TABLE_NAMES } from '../../../src/schema/schema.js';
import { databaseFile } from '../../support/databases/sqlite-place.js';
import { runCommand, type Outcome } from '../../support/program.js';
import { scratchFolder } from '../../support/scratch.js';

export const TOKEN_SECRET = 'secret of the tests of copies: 0123456789';

export const copy = (from: string, to: string, ...more: string[]): Promise<Outcome> =>
  runCommand(['db', 'copy', '--from', from, '--to', to, '--json', ...more], to);

/** By table, what `db copy --json` says of the source. */
export function checksums({ stdout }: Outcome): Readonly<Record<string, string>> {
  const { tables } = JSON.parse(stdout) as { tables: { name: string; checksum: string }[] };
  return Object.fromEntries(tables.map(({ name, checksum }) => [name, checksum]));
}

/** A file with the demo fleet, and with changes that have a chain of hashes. */
export async function demoFile(): Promise<string> {
  const file = databaseFile();
  const database = connect(file);
  await createDemo(database, systemClock, { seed: 3, tokenSecret: TOKEN_SECRET });
  const units = createUnits(database, systemClock, { chain: ledgerChainHash(TOKEN_SECRET) });
  const members = await database.reads.selectFrom('memberships').select(['company_id', 'user_id']).execute();
  for (const [index, { company_id, user_id }] of members.entries()) {
    const caller = localCaller({ companyId: company_id, userId: user_id, timeZone: 'UTC' });
    await units.write(caller, (work) => createGroup(work, { name: `chained ${index}` }));
  }
  await database.close();
  return file;
}

export const newFile = (): string => join(scratchFolder(), 'copy.db');

/** Calls `use` with a connection, by which a test reads or changes a file as no command would. */
export function inFile<T>(file: string, use: (database: Sqlite.Database) => T): T {
  const database = new Sqlite(file);
  try {
    return use(database);
  } finally {
    database.close();
  }
}

/** Calls `use` with a connection to a PostgreSQL database, in the role that sees all rows. */
export async function inServer<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** Runs a statement with the rows of all companies. */
export async function asSystem(url: string, text: string, values: unknown[] = []): Promise<unknown[]> {
  return await inServer(url, async (client) => {
    await client.query(SESSION_AS_SYSTEM);
    const { rows } = await client.query<Record<string, unknown>>(text, values);
    return rows;
  });
}

/** All rows of all tables of a file, and the last ids that SQLite gave. */
export function contentOf(file: string): Readonly<Record<string, unknown[]>> {
  return inFile(file, (database) =>
    Object.fromEntries(
      [...TABLE_NAMES, 'sqlite_sequence'].map((table) => {
        const columns = database.prepare(`select * from ${table}`).columns();
        const order = columns.map((_, index) => index + 1).join(', ');
        return [table, database.prepare(`select * from ${table} order by ${order}`).all()];
      }),
    ),
  );
}

/** Indexes, constraints, triggers, policies and grants of the tables of a server. */
export async function schemaOf(url: string): Promise<readonly unknown[]> {
  return await inServer(url, async (client) => {
    const { rows } = await client.query<unknown[]>({
      rowMode: 'array',
      text: `select indexname, indexdef from pg_indexes where schemaname = 'public'
        union all select conrelid::regclass || ' ' || conname, format('%s %s', pg_get_constraintdef(oid), convalidated)
          from pg_constraint where connamespace = 'public'::regnamespace
        union all select tgrelid::regclass || ' ' || tgname, format('%s %s', pg_get_triggerdef(oid), tgenabled)
          from pg_trigger where not tgisinternal
        union all select relname, format('%s %s %s', relrowsecurity, relforcerowsecurity, relacl)
          from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
        order by 1, 2`,
    });
    return rows;
  });
}
