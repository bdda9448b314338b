import { tmpdir } from 'node:os';
import pg from 'pg';
import { inject } from 'vitest';

import { databaseTools, openDatabase } from '../../../src/database/open.js';
import { adminUrlOf, createDatabase, dropDatabase } from '../postgres/boot.js';
import type { PlaceOptions, SqlValue, TestPlace } from './place.js';
import { insertText } from './rows.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The server that `test/support/postgres/setup.ts` has started. */
    postgres: {
      /** URL of a user who may create databases of others, and drop them. */
      readonly adminUrl: string;
      /** URL of the user who owns the databases of tests. */
      readonly ownerUrl: string;
      /** URL of a migrated, empty database, to which nobody is connected. */
      readonly template: string;
    };
  }
}

const { builtins } = pg.types;
const parseInstant = pg.types.getTypeParser(builtins.TIMESTAMPTZ) as (text: string) => Date;

/** Values are read as from SQLite: numbers of any size, milliseconds for instants, text for JSON. */
const PARSERS: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [builtins.INT8, Number],
  [builtins.NUMERIC, Number],
  [builtins.TIMESTAMPTZ, (text) => parseInstant(text).getTime()],
  [builtins.JSON, String],
  [builtins.JSONB, String],
]);

const types = {
  getTypeParser: (oid: number) =>
    PARSERS.get(oid) ?? (pg.types.getTypeParser(oid) as (text: string) => unknown),
};

export async function newPostgresPlace({ isMigrated = true, copyOf }: PlaceOptions): Promise<TestPlace> {
  const server = inject('postgres');
  const url = await createDatabase(server, copyOf?.url ?? (isMigrated ? server.template : undefined));
  return placeAt(url, adminUrlOf(server, url), () => dropDatabase(server, url));
}

/** One connection, which is opened when it is needed and again after it was lost. */
function connectionOf(url: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 1, allowExitOnIdle: true });
  // Without a listener, the loss of the connection would end the process; the statement fails by itself.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** Rows are read and written by a user who sees all of them. */
function placeAt(url: string, adminUrl: string, remove: () => Promise<void>): TestPlace {
  let connection = connectionOf(adminUrl);
  const run = async (text: string, values: readonly SqlValue[] = []): Promise<unknown[]> => {
    const { rows } = await connection.query<Record<string, unknown>>({ text, values: [...values], types });
    return rows;
  };
  const disconnect = async (): Promise<void> => {
    const ended = connection;
    connection = connectionOf(adminUrl);
    await ended.end();
  };
  const withClient = async <T>(use: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    const client = await connection.connect();
    try {
      return await use(client);
    } finally {
      client.release();
    }
  };
  return {
    url,
    failInserts: async (table) => {
      await run(`create function fails() returns trigger language plpgsql as
        $$ begin raise exception 'unique constraint groups_name is violated'; end $$`);
      await run(`create trigger fails before insert on ${table} for each row execute function fails()`);
      return async () => {
        await run(`drop trigger fails on ${table}`);
        await run('drop function fails');
      };
    },
    lock: async (table) => {
      const client = new pg.Client(adminUrl);
      await client.connect();
      await client.query(`begin; lock table ${table} in access exclusive mode`);
      return () => client.end();
    },
    open: (options) => openDatabase({ server: url }, { connections: 12, uploadFolder: tmpdir(), ...options }),
    sql: async <Row>(text: string, values: readonly SqlValue[] = []) => (await run(text, values)) as Row[],
    check: async () => (await (await databaseTools({ server: url })).check()).problems,
    stored: () => withClient(storedText),
    continueIdsAfter: async (last) => {
      await run(
        `select setval(format('%I.%I', schemaname, sequencename)::regclass, $1) from pg_sequences
         where schemaname = current_schema()`,
        [last],
      );
      await run('update counters set last_drawn = $1', [last]);
    },
    insertForbidden: (rows) => withClient((client) => insertForbidden(client, rows)),
    unprotectLedger: async () => {
      await run('alter table ledger disable trigger user');
      await run('drop index if exists ledger_of_company');
    },
    disconnect,
    remove: async () => {
      await disconnect();
      await remove();
    },
  };
}

async function storedText(client: pg.PoolClient): Promise<string> {
  const { rows: tables } = await client.query<{ name: string }>(
    'select quote_ident(tablename) as name from pg_tables where schemaname = current_schema()',
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await client.query<{ text: string }>(`select t::text as text from ${name} as t`);
    texts.push(...rows.map(({ text }) => text));
  }
  return texts.join('\n');
}

interface ForeignKey {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

/** Takes the foreign keys away meanwhile; triggers that count rows must run, so they are not turned off. */
async function insertForbidden(
  client: pg.PoolClient,
  rows: Parameters<TestPlace['insertForbidden']>[0],
): Promise<void> {
  const { rows: keys } = await client.query<ForeignKey>(
    `select conrelid::regclass::text as "table", quote_ident(conname) as name,
       pg_get_constraintdef(oid) as definition
     from pg_constraint where contype = 'f' and conparentid = 0`,
  );
  await client.query('begin');
  for (const { table, name } of keys) await client.query(`alter table ${table} drop constraint ${name}`);
  for (const [table, row] of rows) await client.query(...insertText(table, [row]));
  for (const { table, name, definition } of keys) {
    const unchecked = definition.replace(/ not valid$/i, '');
    await client.query(`alter table ${table} add constraint ${name} ${unchecked} not valid`);
  }
  await client.query('commit');
}
