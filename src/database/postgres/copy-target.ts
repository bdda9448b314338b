import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Connection, Submittable } from 'pg';

import { systemClock } from '../../platform/clock.js';
import { databaseName } from '../../platform/config/database-url.js';
import { DomainError } from '../../platform/errors.js';
import { POSTGRES_RULES, POSTGRES_TABLES } from '../../schema/postgres.js';
import { TABLE_NAMES, TABLES } from '../../schema/schema.js';
import type { Table } from '../../schema/table.js';
import type { CopyTarget } from '../copy/copy.js';
import { demandEmpty, lineOf, mapKind, UNFINISHED_TABLE, type CopyRow } from '../copy/rows.js';
import { DatabaseRefused } from '../database.js';
import { isStorageCode } from '../health.js';
import { APPLICATION, LONG, ServerSource, stateOfCopy } from './copy-source.js';
import { translate } from './faults.js';
import { READABLE } from './migrate.js';
import { reachCurrent } from './open.js';
import { AS_SYSTEM, rolesIn, withRoles, type Roles } from './roles.js';

/** Key of the advisory lock of a copy into the database. */
const COPYING = '(21574, 5)';
/** Milliseconds for which a killed copy, or a server that has just stopped, may still be connected. */
const WAIT_MS = 5_000;
const PAUSE_MS = 100;

/**
 * Stores everything in one transaction, which creates the tables anew: at first without indexes, references,
 * triggers and policies. PostgreSQL can then store rows as if they were old (`freeze`), and deletes the files
 * if the transaction does not commit.
 */
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

  /**
   * Error with the table, the column and the key of the row. PostgreSQL also shows the value, which must not
   * be logged.
   */
  #explain(error: unknown, table: Table, rows: readonly CopyRow[]): Error {
    const translated = translate(error);
    if (translated instanceof DomainError && isStorageCode(translated.code)) return translated;
    const { message, where } = error as { readonly message: string; readonly where?: string };
    const [, line, column] = /COPY \w+, line (\d+)(?:, column (\w+))?/.exec(where ?? '') ?? [];
    const row = rows[Number(line) - 1];
    const names = Object.keys(table.columns);
    const key = table.key.map((name) => `${name} ${String(row?.[names.indexOf(name)])}`);
    const at = row === undefined ? '' : ` in the row with ${key.join(', ')}`;
    return new DatabaseRefused(
      'unusable',
      `${this.name} does not take ${table.name}${column === undefined ? '' : `.${column}`}${at}: ${message}. Nothing was copied.`,
      error,
    );
  }
}

/**
 * An instant in the form that PostgreSQL reads: years after 9999 have no sign. Years before 1 would have
 * another form.
 */
function timeOf(milliseconds: string): string {
  const text = new Date(Number(milliseconds)).toISOString();
  return text.startsWith('+') ? text.slice(1).replace(/^0/, '') : text;
}

/** Methods of a `pg` connection that its types lack; `pg-copy-streams` uses them too. */
interface CopyConnection extends Connection {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/**
 * Runs `copy … from stdin` with lines of the text format. Errors: those of PostgreSQL and of the connection.
 */
async function copyIn(client: Client, statement: string, data: Buffer): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const query = {
      submit: (connection: Connection) => connection.query(statement),
      handleCopyInResponse: (connection: CopyConnection) => {
        connection.sendCopyFromChunk(data);
        connection.endCopyFrom();
      },
      // The connection is ready only after the next message.
      handleCommandComplete: () => undefined,
      handleError: reject,
      handleReadyForQuery: () => resolve(),
    };
    client.query<Submittable>(query);
  });
}

/**
 * Brings a database up to date and marks it as an unfinished copy of `source`. Errors: `DatabaseRefused` if
 * it has records and is not an unfinished copy, or if servers use it.
 */
export async function openServerTarget(
  url: string,
  source: string,
  onProgress: (message: string) => void,
): Promise<CopyTarget> {
  const name = databaseName({ server: url });
  const client = await reachCurrent(url, { onProgress });
  try {
    await client.query(APPLICATION);
    await demandAlone(client, name);
    demandEmpty(name, await stateOfCopy(name, client));
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

async function demandAlone(client: Client, name: string): Promise<void> {
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
