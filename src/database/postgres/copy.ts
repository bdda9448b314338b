/** Copies of databases from and into PostgreSQL servers. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, CustomTypesConfig } from 'pg';

import { systemClock } from '../../platform/clock.js';
import { databaseName } from '../../platform/config/database-url.js';
import { DomainError, isStorageCode } from '../../platform/errors.js';
import { POSTGRES_RULES, POSTGRES_TABLES } from '../../schema/postgres.js';
import { TABLE_NAMES, TABLES } from '../../schema/schema.js';
import type { ColumnKind, Table } from '../../schema/table.js';
import {
  bytesOf,
  type CopyRow,
  type CopySource,
  type CopyTarget,
  type CopyValue,
  requireCurrent,
  requireEmpty,
  requireCompleteCopy,
  knownTables,
  lineOf,
  mapKind,
  UNFINISHED_TABLE,
} from '../copy.js';
import { DatabaseRefused, unusable } from '../database.js';
import { copyIn } from './connections/statements.js';
import { translate } from './faults.js';
import { inspect, READABLE } from './migrate.js';
import { bringUsable, reach, unfinishedCopyIn, withClient } from './open.js';
import { AS_SYSTEM, readAsSystem, rolesIn, withRoles, type Roles } from './roles.js';

const BATCH_BYTES = 1024 * 1024;
/** Maximum rows of a batch. Their size is known only after reading, so all may have the largest size. */
const BATCH_ROWS = 500;
const FIRST_ROWS = 8;

/** Settings of a long transaction. */
const LONG = 'set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0';
/** Name of the connection. Servers are recognized by the name `terminal-gateway`, so this one differs. */
const APPLICATION = `set application_name = 'terminal-gateway db copy'`;

/** Returns values in the text form of PostgreSQL. */
const AS_TEXT = { getTypeParser: () => String } as unknown as CustomTypesConfig;

/** Reads the tables of a database through a connection with an open transaction. */
class ServerSource implements CopySource {
  constructor(
    readonly name: string,
    protected readonly client: Client,
  ) {}

  async count({ name }: Table): Promise<number> {
    return await numberOf(this.client, `select count(*) as number from ${name}`);
  }

  async bytes({ name }: Table): Promise<number> {
    return await numberOf(this.client, `select pg_table_size('${name}') as number`);
  }

  async *rows(table: Table): AsyncIterable<readonly CopyRow[]> {
    const columns = Object.entries(table.columns).map(([name, { kind }]) => selected(name, kind));
    await this.client.query(
      `declare copied no scroll cursor for select ${columns.join()} from ${table.name} order by ${table.key.join()}`,
    );
    const read = rowReader(table);
    for (let wanted = FIRST_ROWS; ;) {
      const text = `fetch ${wanted} from copied`;
      const { rows } = await this.client.query<string[]>({ text, rowMode: 'array', types: AS_TEXT });
      if (rows.length === 0) break;
      const batch = rows.map(read);
      yield batch;
      const bytes = batch.reduce((sum, row) => sum + bytesOf(row), 1);
      const fitting = Math.floor((BATCH_BYTES * batch.length) / bytes);
      wanted = Math.max(1, Math.min(fitting, wanted * 4, BATCH_ROWS));
    }
    await this.client.query('close copied');
  }

  async close(): Promise<void> {
    await this.client.end().catch(() => undefined);
  }
}

async function numberOf(client: Client, query: string): Promise<number> {
  const { rows } = await client.query<{ number: number }>(query);
  return rows[0]?.number ?? 0;
}

/** The tables that are copied. Errors: `DatabaseRefused` if there are others. */
async function tablesIn(name: string, client: Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    'select tablename as name from pg_tables where schemaname = current_schema()',
  );
  return knownTables(
    name,
    rows.map((row) => row.name),
  );
}

/** SQL of a column that gives the text of its `CopyValue`. */
function selected(name: string, kind: ColumnKind): string {
  if (kind === 'instant') return `trim_scale(extract(epoch from "${name}") * 1000)`;
  return kind === 'flag' ? `"${name}"::integer` : `"${name}"`;
}

function rowReader({ name: table, columns }: Table): (row: (string | null)[]) => CopyRow {
  const readers = Object.entries(columns).map(([name, { kind }]): ((value: string) => CopyValue) => {
    if (kind === 'bytes') return (value) => Buffer.from(value.slice(2), 'hex');
    if (kind === 'jsonb') return (value) => JSON.stringify(JSON.parse(value));
    if (kind === 'instant') return (value) => wholeMilliseconds(`${table}.${name}`, value);
    return String;
  });
  return (row) => row.map((value, index) => (value === null ? null : (readers[index]?.(value) ?? null)));
}

/** The milliseconds of an instant. Errors: `DatabaseRefused` for an instant with microseconds, or for infinity. */
function wholeMilliseconds(column: string, value: string): string {
  if (/^-?[0-9]+$/.test(value)) return value;
  throw unusable(
    `${column} has the time ${value} ms since 1970, which is not a whole number: correct it, then copy again.`,
  );
}

/** Opens a snapshot of a database, which servers may be using. Errors: `DatabaseRefused`. */
export async function openServerSource(url: string): Promise<CopySource> {
  const name = databaseName({ server: url });
  const client = await reach(url);
  try {
    requireCurrent(name, (await inspect(client, name)).pending);
    requireCompleteCopy(name, await unfinishedCopyIn(client));
    await tablesIn(name, client);
    await client.query(APPLICATION);
    await client.query(`begin isolation level repeatable read read only; ${LONG}; ${AS_SYSTEM}`);
    return new ServerSource(name, client);
  } catch (error) {
    await client.end().catch(() => undefined);
    throw translate(error);
  }
}

/** Errors: `DatabaseRefused` if the database has unknown tables, or rows and is not an unfinished copy. */
export async function requireEmptyServer(url: string): Promise<void> {
  const name = databaseName({ server: url });
  await withClient(url, async (client) => {
    const { applied } = await inspect(client, name);
    if (applied.length > 0) await requireEmptyIn(name, client);
  });
}

/** An older database has fewer tables. */
async function requireEmptyIn(name: string, client: Client): Promise<void> {
  const counts = (await tablesIn(name, client)).map((table) => `(select count(*) from ${table})`);
  if ((await unfinishedCopyIn(client)) !== null) return;
  const query = `select ${counts.join(' + ')} as number`;
  requireEmpty(name, await readAsSystem(client, () => numberOf(client, query)));
}

/** Key of the advisory lock of a copy into the database. */
const COPYING = '(21574, 5)';
/** Milliseconds for which a killed copy, or a server that has just stopped, may still be connected. */
const WAIT_MS = 5_000;
const PAUSE_MS = 100;

/** Stores everything in one transaction with new tables, so that rows are stored as if they were old (`freeze`). */
class ServerTarget extends ServerSource implements CopyTarget {
  #isCommitted = false;

  constructor(
    name: string,
    client: Client,
    private readonly roles: Roles,
  ) {
    super(name, client);
  }

  async begin(): Promise<void> {
    await this.client.query(`begin; ${LONG}; set local lock_timeout = '${WAIT_MS}ms'`);
    await this.client.query(`drop table ${TABLE_NAMES.join(', ')} cascade`);
    for (const statement of POSTGRES_TABLES) await this.client.query(statement);
  }

  async insert(table: Table, rows: readonly CopyRow[]): Promise<void> {
    const written = mapKind(table, 'instant', timeOf);
    const columns = Object.keys(table.columns).map((name) => `"${name}"`);
    const lines = rows.map((row) => lineOf(written(row)));
    const statement = `copy ${table.name} (${columns.join()}) from stdin (freeze)`;
    try {
      await copyIn(this.client, statement, Buffer.from(lines.join('')));
    } catch (error) {
      throw this.#explain(error, table, rows);
    }
  }

  async finish(): Promise<void> {
    for (const { name, columns, key } of TABLES) {
      const drawn = key.find((column) => columns[column]?.isDrawn === true);
      if (drawn === undefined) continue;
      const sequence = `pg_get_serial_sequence('${name}', '${drawn}')`;
      await this.client.query(`select setval(${sequence}, max(${drawn})) from ${name}`);
    }
    for (const statement of [...POSTGRES_RULES, READABLE]) {
      await this.client.query(withRoles(statement, this.roles));
    }
    await this.client.query(AS_SYSTEM);
  }

  async commit(): Promise<void> {
    await this.client.query(`reset role; drop table ${UNFINISHED_TABLE}; commit`);
    this.#isCommitted = true;
    // Updates the statistics of the query planner, which PostgreSQL would do later by itself.
    await this.client.query('analyze').catch(() => undefined);
  }

  override async close(): Promise<void> {
    if (!this.#isCommitted) await this.client.query('rollback').catch(() => undefined);
    await super.close();
  }

  /** Error with the table, the column and the key of the row, but not the value, which must not be logged. */
  #explain(error: unknown, table: Table, rows: readonly CopyRow[]): Error {
    const translated = translate(error);
    if (translated instanceof DomainError && isStorageCode(translated.code)) return translated;
    const { message, where } = error as { readonly message: string; readonly where?: string };
    const [, line, column] = /COPY \w+, line (\d+)(?:, column (\w+))?/.exec(where ?? '') ?? [];
    const row = rows[Number(line) - 1];
    const names = Object.keys(table.columns);
    const key = table.key.map((name) => `${name} ${String(row?.[names.indexOf(name)])}`);
    const at = row === undefined ? '' : ` in the row with ${key.join(', ')}`;
    return unusable(
      `${this.name} does not take ${table.name}${column === undefined ? '' : `.${column}`}${at}: ${message}. Nothing was copied.`,
      error,
    );
  }
}

/** An instant in the form that PostgreSQL reads, without a sign before years after 9999. No year is before 1. */
function timeOf(milliseconds: string): string {
  const text = new Date(Number(milliseconds)).toISOString();
  return text.startsWith('+') ? text.slice(1).replace(/^0/, '') : text;
}

/** Brings a database up to date and marks it as an unfinished copy. Errors: `DatabaseRefused` if it has records. */
export async function openServerTarget(
  url: string,
  source: string,
  onProgress: (message: string) => void,
): Promise<CopyTarget> {
  const name = databaseName({ server: url });
  const client = await reach(url);
  try {
    await bringUsable(client, url, { onProgress });
    await client.query(APPLICATION);
    await requireAlone(client, name);
    await requireEmptyIn(name, client);
    await client.query(
      `begin; drop table if exists ${UNFINISHED_TABLE}; create table ${UNFINISHED_TABLE} (source text)`,
    );
    await client.query(`insert into ${UNFINISHED_TABLE} values ($1)`, [source]);
    await client.query('commit');
    const target = new ServerTarget(name, client, await rolesIn(client));
    await target.begin();
    return target;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw translate(error);
  }
}

async function requireAlone(client: Client, name: string): Promise<void> {
  const deadline = systemClock.elapsed() + WAIT_MS;
  for (;;) {
    const { rows } = await client.query<{ taken: boolean; servers: number }>(
      `select pg_try_advisory_lock${COPYING} as taken, (select count(*) from pg_stat_activity
        where datname = current_database() and application_name = 'terminal-gateway') as servers`,
    );
    const { taken = false, servers = 0 } = rows[0] ?? {};
    if (taken && servers === 0) return;
    if (systemClock.elapsed() > deadline) {
      const who = taken
        ? `servers or commands have ${servers} connections to it`
        : 'another copy into it runs';
      throw new DatabaseRefused('in_use', `${name} is in use: ${who}. Nothing was changed: stop them.`);
    }
    await sleep(PAUSE_MS);
  }
}
