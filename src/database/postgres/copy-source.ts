import type { Client, CustomTypesConfig } from 'pg';

import { databaseName } from '../../platform/config/database-url.js';
import type { ColumnKind } from '../../schema/columns.js';
import type { Table } from '../../schema/table.js';
import type { CopySource } from '../copy/copy.js';
import {
  bytesOf,
  demandCurrent,
  demandFinished,
  knownTables,
  type CopyRow,
  type CopyValue,
  type TargetState,
} from '../copy/rows.js';
import { DatabaseRefused } from '../database.js';
import { translate } from './faults.js';
import { inspect } from './migrate.js';
import { reach, unfinishedCopyIn, withClient } from './open.js';
import { AS_SYSTEM, readAsSystem } from './roles.js';

const BATCH_BYTES = 1024 * 1024;
/** Maximum rows of a batch. Their size is known only after reading, so all may have the largest size. */
const BATCH_ROWS = 500;
const FIRST_ROWS = 8;

/** Settings of a long transaction, whose texts must have the forms that the reader expects. */
export const LONG = `set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0;
  set local bytea_output = hex; set local extra_float_digits = 1`;
/** Name of the connection. Servers are recognized by the name `terminal-gateway`, so this one differs. */
export const APPLICATION = `set application_name = 'terminal-gateway db copy'`;

/** Returns values in the text form of PostgreSQL. */
const AS_TEXT = { getTypeParser: () => String } as unknown as CustomTypesConfig;

/** Reads the tables of a database through a connection with an open transaction. */
export class ServerSource implements CopySource {
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

/**
 * The milliseconds of an instant. Errors: `DatabaseRefused` for an instant with microseconds, or for
 * infinity.
 */
function wholeMilliseconds(column: string, value: string): string {
  if (/^-?[0-9]+$/.test(value)) return value;
  throw new DatabaseRefused(
    'unusable',
    `${column} has the time ${value} ms since 1970, which is not a whole number: correct it, then copy again.`,
  );
}

/** Opens a snapshot of a database, which servers may be using. Errors: `DatabaseRefused`. */
export async function openServerSource(url: string): Promise<CopySource> {
  const name = databaseName({ server: url });
  const client = await reach(url);
  try {
    demandCurrent(name, (await inspect(client, name)).pending);
    demandFinished(name, await unfinishedCopyIn(client));
    await tablesIn(name, client);
    await client.query(APPLICATION);
    await client.query(`begin isolation level repeatable read read only; ${LONG}; ${AS_SYSTEM}`);
    return new ServerSource(name, client);
  } catch (error) {
    await client.end().catch(() => undefined);
    throw translate(error);
  }
}

/** State of a database; null if it has no tables yet. Errors: `DatabaseRefused`. */
export async function serverState(url: string): Promise<TargetState | null> {
  const name = databaseName({ server: url });
  return await withClient(url, async (client) => {
    const { applied } = await inspect(client, name);
    return applied.length === 0 ? null : await stateOfCopy(name, client);
  });
}

/** State of a database that has tables; an older one may have fewer. Errors: `DatabaseRefused`. */
export async function stateOfCopy(name: string, client: Client): Promise<TargetState> {
  const unfinished = await unfinishedCopyIn(client);
  const counts = (await tablesIn(name, client)).map((table) => `(select count(*) from ${table})`);
  const query = `select ${counts.join(' + ')} as number`;
  return { records: await readAsSystem(client, () => numberOf(client, query)), unfinished };
}
