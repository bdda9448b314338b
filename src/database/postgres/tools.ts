import type { Client } from 'pg';

import { type StorageSizes, DatabaseRefused } from '../database.js';
import {
  storageFields,
  storageLines,
  type DatabaseTools,
  type Description,
} from '../tools.js';
import { RECORDS, OLDEST_ROWS, type Oldest } from '../totals.js';
import { checkServer, rowCounts, sizesOf, TABLE_SIZES, type SizeRow } from './check.js';
import { inspect } from './migrate.js';
import { withClient } from './open.js';
import { readAsSystem, rolesIn } from './roles.js';

/** The commands for a database of a PostgreSQL server. */
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

  async check(): Promise<readonly string[]> {
    return await withClient(this.url, async (client) => {
      const { applied } = await inspect(client, this.name);
      if (applied.length === 0) throw new DatabaseRefused('unusable', `${this.name} has no tables yet.`);
      return await checkServer(client);
    });
  }

  async rowCounts(): Promise<Readonly<Record<string, number>>> {
    return await withClient(this.url, rowCounts);
  }

  async backup(target: string): Promise<void> {
    const { system } = await withClient(this.url, rolesIn);
    throw this.#useInstead(
      'copies',
      `pg_dump --role=${system} --enable-row-security --format=custom --file=${target} "$DATABASE_URL"`,
    );
  }

  noteBackup(): void {
    throw this.#useInstead('notes the time of a backup of', 'touch "$UPLOAD_FOLDER/last-backup"');
  }

  restore(source: string): Promise<void> {
    return Promise.reject(
      this.#useInstead('restores', `pg_restore --exit-on-error --dbname="$DATABASE_URL" ${source}`),
    );
  }

  compact(): Promise<never> {
    return Promise.reject(this.#useInstead('compacts', 'vacuumdb --full --dbname="$DATABASE_URL"'));
  }

  async describe(): Promise<Description> {
    return await withClient(this.url, (client) => this.#describe(client));
  }

  /** Refuses a database with records. Unlike a file, it is not deleted: its name may be a mistake. */
  async makeEmpty(): Promise<void> {
    const totals = await withClient(this.url, async (client) =>
      (await inspect(client, this.name)).applied.length === 0 ? {} : await totalsOf(client),
    );
    if ((totals.companies ?? 0) === 0) return;
    throw new DatabaseRefused(
      'exists',
      `${this.name} has records. Nothing was changed: name a new database, made for example with createdb.`,
    );
  }

  async #describe(client: Client): Promise<Description> {
    const { applied, pending } = await inspect(client, this.name);
    const { rows } = await client.query<{ bytes: number; version: string }>(
      `select pg_database_size(current_database()) as bytes, current_setting('server_version') as version`,
    );
    const { bytes = 0, version = '' } = rows[0] ?? {};
    const state = stateOf(applied, pending);
    const totals = applied.length === 0 ? {} : await totalsOf(client);
    const sizes = await sizesIn(client);
    const oldest = pending.length === 0 ? await oldestIn(client) : {};
    const { companies = 0, users = 0, ...records } = totals;
    const migrations = [...applied, ...pending.map((name) => `${name} (pending)`)].join(', ');
    return {
      fields: {
        ...this.place,
        bytes,
        postgresql: version,
        state,
        applied,
        pending,
        companies,
        users,
        records,
        ...storageFields(sizes, oldest),
      },
      lines: [
        `${this.name}: ${bytes} bytes, PostgreSQL ${version}`,
        `schema ${state}: ${migrations}`,
        ...Object.entries({ companies, users, ...records }).map(([name, count]) => `${name}: ${count}`),
        ...storageLines(sizes, oldest),
      ],
    };
  }

  /** Error that refers to PostgreSQL's own program for this task, which has more options. */
  #useInstead(does: string, command: string): DatabaseRefused {
    return new DatabaseRefused(
      'exists',
      `This command ${does} a SQLite file. For ${this.name}, use: ${command}`,
    );
  }
}

function stateOf(applied: readonly string[], pending: readonly string[]): string {
  if (pending.length === 0) return 'current';
  return applied.length === 0 ? 'new' : 'older';
}

async function sizesIn(client: Client): Promise<StorageSizes> {
  const { rows } = await client.query<SizeRow>(TABLE_SIZES);
  return sizesOf(rows);
}

async function oldestIn(client: Client): Promise<Oldest> {
  const oldest: Record<string, Date | null> = {};
  return await readAsSystem(client, async () => {
    for (const [kind, query] of Object.entries(OLDEST_ROWS)) {
      const { rows } = await client.query<{ at: number | null }>(query);
      const at = rows[0]?.at ?? null;
      oldest[kind] = at === null ? null : new Date(at);
    }
    return oldest;
  });
}

/** Numbers of records, from the counters that triggers keep exact. */
async function totalsOf(client: Client): Promise<Readonly<Record<string, number>>> {
  const query = `select 'companies' as name, count(*) as total from companies
    union all select 'users', count(*) from users
    union all select name, sum(total) from counters where name = any($1) group by name`;
  const { rows } = await readAsSystem(client, () =>
    client.query<{ name: string; total: number }>(query, [RECORDS]),
  );
  const totals = new Map(rows.map(({ name, total }) => [name, total]));
  return Object.fromEntries(['companies', 'users', ...RECORDS].map((name) => [name, totals.get(name) ?? 0]));
}
