import type { Client } from 'pg';

import type { Environment } from '../../platform/config/config.js';
import { databaseName, type DatabaseUrl } from '../../platform/config/database-url.js';
import { MINUTE_OF_TRANSACTION } from '../../schema/postgres-triggers.js';
import { DatabaseRefused, unusable } from '../database.js';
import {
  type DatabaseTools,
  type Description,
  description,
  type Drill,
  OLDEST_ROWS,
  type OldestRow,
  TOTAL_ROWS,
  totalChecks,
  type TotalRow,
  type TouchedTable,
} from '../tools.js';
import { sizesOf, TABLE_SIZES, type SizeRow } from './connect.js';
import { serverDrill } from './drill.js';
import { inspect } from './migrate.js';
import { previewMigrations } from './migration-preview.js';
import { withClient } from './open.js';
import { readAsSystem, rolesIn } from './roles.js';

export class ServerTools implements DatabaseTools {
  readonly place: Readonly<Record<string, string>>;

  constructor(
    private readonly url: string,
    private readonly name: string,
  ) {
    this.place = { database: name };
  }

  async pending(): Promise<readonly string[]> {
    return await withClient(this.url, async (client) => (await inspect(client, this.name)).pending);
  }

  async touched(): Promise<readonly TouchedTable[]> {
    return await withClient(this.url, (client) => previewMigrations(client, this.name));
  }

  async check() {
    return await withClient(this.url, async (client) => {
      const { applied } = await inspect(client, this.name);
      if (applied.length === 0) throw unusable(`${this.name} has no tables yet.`);
      return { problems: await checkServer(client), rows: await rowCounts(client) };
    });
  }

  async backup(target: string): Promise<never> {
    const { system } = await withClient(this.url, rolesIn);
    throw this.#useInstead(
      'copies',
      `pg_dump --role=${system} --enable-row-security --format=custom --file=${target} "$DATABASE_URL"`,
    );
  }

  async restore(source: string): Promise<never> {
    const command = `pg_restore --exit-on-error --dbname="$DATABASE_URL" ${source}`;
    return await Promise.reject(this.#useInstead('restores', command));
  }

  async drill(folder: string, into: DatabaseUrl | null, environment: Environment): Promise<Drill> {
    if (into === null || !('server' in into)) {
      throw unusable(`Name an empty database of the server of ${this.name} with --into. Nothing was done.`);
    }
    return await serverDrill(this.url, folder, into.server, {
      environment,
      check: (url) => new ServerTools(url, databaseName({ server: url })).check(),
      rows: (url) => withClient(url, rowCounts),
    });
  }

  async compact(): Promise<never> {
    return await Promise.reject(this.#useInstead('compacts', 'vacuumdb --full --dbname="$DATABASE_URL"'));
  }

  async describe(): Promise<Description> {
    return await withClient(this.url, async (client) => {
      const { applied, pending } = await inspect(client, this.name);
      const { rows } = await client.query<{ bytes: number; version: string }>(
        `select pg_database_size(current_database()) as bytes, current_setting('server_version') as version`,
      );
      const { bytes = 0, version = '' } = rows[0] ?? {};
      const { rows: tables } = await client.query<SizeRow>(TABLE_SIZES);
      return description(
        `${this.name}: ${bytes} bytes, PostgreSQL ${version}`,
        { ...this.place, bytes, postgresql: version },
        {
          applied,
          pending,
          sizes: sizesOf(tables),
          totals: applied.length === 0 ? [] : await rowsOf<TotalRow>(client, TOTAL_ROWS),
          // An older schema may lack some of the tables.
          oldest: pending.length === 0 ? await rowsOf<OldestRow>(client, OLDEST_ROWS) : [],
        },
      );
    });
  }

  /** Refuses a database with records. Unlike a file, it is not deleted: its name may be a mistake. */
  async makeEmpty(): Promise<void> {
    const totals = await withClient(this.url, async (client) =>
      (await inspect(client, this.name)).applied.length === 0
        ? []
        : await rowsOf<TotalRow>(client, TOTAL_ROWS),
    );
    if (totals.every(({ name, total }) => name !== 'companies' || total === 0)) return;
    throw new DatabaseRefused(
      'exists',
      `${this.name} has records. Nothing was changed: name a new database, made for example with createdb.`,
    );
  }

  /** Error that refers to PostgreSQL's own program for this task, which has more options. */
  #useInstead(does: string, command: string): DatabaseRefused {
    const message = `This command ${does} a SQLite file. For ${this.name}, use: ${command}`;
    return new DatabaseRefused('exists', message);
  }
}

async function rowsOf<R extends object>(client: Client, query: string): Promise<readonly R[]> {
  return (await readAsSystem(client, () => client.query<R>(query))).rows;
}

/** Resolves to a message for each wrong counter or total, and for each table without a policy. */
export async function checkServer(client: Client): Promise<readonly string[]> {
  const problemsOf = async (query: string): Promise<string[]> =>
    (await client.query<{ problem: string }>(query)).rows.map(({ problem }) => problem);
  const problems = await problemsOf(OPEN_TABLES);
  return await readAsSystem(client, async () => {
    for (const query of CHECKS) problems.push(...(await problemsOf(query)));
    return problems;
  });
}

/** Number of rows of all companies in each table; shows whether a dump contains any rows. */
async function rowCounts(client: Client): Promise<Readonly<Record<string, number>>> {
  return await readAsSystem(client, async () => {
    const { rows: tables } = await client.query<{ name: string }>(
      `select relname::text as name from pg_class where relkind = 'r'
        and relnamespace = current_schema()::regnamespace and has_table_privilege(oid, 'select') order by 1`,
    );
    const counts: Record<string, number> = {};
    for (const { name } of tables) {
      const { rows } = await client.query<{ total: number }>(`select count(*) as total from "${name}"`);
      counts[name] = rows[0]?.total ?? 0;
    }
    return counts;
  });
}

const OPEN_TABLES = `select 'the table ' || c.relname || ' has no policy that keeps companies apart' as problem
  from pg_class as c join pg_attribute as a on a.attrelid = c.oid and a.attname = 'company_id'
  where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
    and not (c.relrowsecurity and c.relforcerowsecurity)`;

const CHECKS = totalChecks(
  MINUTE_OF_TRANSACTION,
  (seconds) => `to_char(to_timestamp(${seconds}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"')`,
);
