import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';

import { systemClock } from '../../../platform/clock.js';
import { databaseName } from '../../../platform/config/database-url.js';
import { DomainError } from '../../../platform/errors.js';
import type { CopyTarget } from '../../copy/place.js';
import { COPIED_TABLES, SHAPES, type TableShape } from '../../copy/tables.js';
import { refuseRecords, UNFINISHED_TABLE } from '../../copy/unfinished.js';
import { lineOf, mapKind, type CopyRow } from '../../copy/values.js';
import { DatabaseRefused } from '../../refused.js';
import { isStorageFault, translate } from '../faults.js';
import { reachCurrent } from '../open.js';
import { AS_SYSTEM } from '../roles.js';
import { copyIn } from './copy-in.js';
import { stateOfCopy } from './mark.js';
import { ServerReader } from './reader.js';
import { setAside } from './set-aside.js';
import { APPLICATION, LONG } from './source.js';

/** Key of the advisory lock of a copy into the database. */
const COPYING = '(21574, 5)';
/** Milliseconds for which a killed copy, or a server that has just stopped, may still be connected. */
const WAIT_MS = 5_000;
const PAUSE_MS = 100;

/**
 * Stores everything in one transaction, which truncates the tables first. PostgreSQL can then store rows as
 * if they were old (`freeze`), and deletes the files if the transaction does not commit.
 */
class ServerTarget extends ServerReader implements CopyTarget {
  #isCommitted = false;
  #putBack = (): Promise<void> => Promise.resolve();

  async begin(): Promise<void> {
    await this.client.query(`begin; ${LONG}; set local lock_timeout = '${WAIT_MS}ms'`);
    this.#putBack = await setAside(this.client);
    await this.client.query(`truncate ${COPIED_TABLES.join(', ')}`);
  }

  async insert(shape: TableShape, rows: readonly CopyRow[]): Promise<void> {
    const written = mapKind(shape, 'instant', timeOf);
    const columns = shape.columns.map(({ name }) => `"${name}"`).join(', ');
    const lines = rows.map((row) => lineOf(written(row)));
    try {
      await copyIn(
        this.client,
        `copy ${shape.name} (${columns}) from stdin (freeze)`,
        Buffer.from(lines.join('')),
      );
    } catch (error) {
      throw this.#explain(error, shape, rows);
    }
  }

  async finish(numbers: ReadonlyMap<string, number>): Promise<void> {
    await this.#putBack();
    for (const [table] of await this.lastNumbers()) {
      const [column = ''] = SHAPES.find(({ name }) => name === table)?.key ?? [];
      const { rows } = await this.client.query<{ last: number }>(
        `select greatest($1::bigint, max(${column})) as last from ${table}`,
        [numbers.get(table) ?? 0],
      );
      // Unlike setval, this is part of the transaction.
      const next = (rows[0]?.last ?? 0) + 1;
      await this.client.query(`alter table ${table} alter column ${column} restart with ${next}`);
    }
    await this.client.query(AS_SYSTEM);
  }

  async commit(): Promise<void> {
    await this.client.query(`reset role; drop table ${UNFINISHED_TABLE}; commit`);
    this.#isCommitted = true;
    // Updates the statistics of the query planner, which PostgreSQL would do later by itself.
    await this.client.query('analyze').catch(() => undefined);
  }

  async close(): Promise<void> {
    if (!this.#isCommitted) await this.client.query('rollback').catch(() => undefined);
    await this.client.end().catch(() => undefined);
  }

  /**
   * Error with the table, the column and the key of the row. PostgreSQL also shows the value, which must not
   * be logged.
   */
  #explain(error: unknown, shape: TableShape, rows: readonly CopyRow[]): Error {
    const translated = translate(error);
    if (translated instanceof DomainError && isStorageFault(translated.code)) return translated;
    const { message, where } = error as { readonly message: string; readonly where?: string };
    const [, line, column] = /COPY \w+, line (\d+)(?:, column (\w+))?/.exec(where ?? '') ?? [];
    const row = rows[Number(line) - 1];
    const key = shape.key.map(
      (name) => `${name} ${String(row?.[shape.columns.findIndex((each) => each.name === name)])}`,
    );
    const at = row === undefined ? '' : ` in the row with ${key.join(', ')}`;
    return new DatabaseRefused(
      'unusable',
      `${this.name} does not take ${shape.name}${column === undefined ? '' : `.${column}`}${at}: ${message}. Nothing was copied.`,
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
    const { records, unfinished } = await stateOfCopy(client);
    if (records > 0 && unfinished === null) throw refuseRecords(name, records);
    await client.query(
      `begin; drop table if exists ${UNFINISHED_TABLE}; create table ${UNFINISHED_TABLE} (source text)`,
    );
    await client.query(`insert into ${UNFINISHED_TABLE} values ($1)`, [source]);
    await client.query('commit');
    const target = new ServerTarget(name, client);
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
