import { setTimeout as sleep } from 'node:timers/promises';
import pg, { type CustomTypesConfig, type Pool, type PoolClient } from 'pg';

import { SECOND } from '../../../platform/clock.js';
import { isSilence, UNAVAILABLE } from '../faults.js';

const CONNECT_MS = 3 * SECOND;
/** Milliseconds to wait for an answer. Without one, the outcome is unknown, and the connection is closed. */
export const ANSWER_MS = 6_500;

/** `2026-11-22 23:14:13.123+00` in milliseconds; connections have the time zone UTC. */
function parseInstant(text: string): number {
  return Date.parse(`${text.slice(0, 10)}T${text.slice(11).replace(/\+00$/, 'Z')}`);
}

const { INT8, NUMERIC, TIMESTAMPTZ, JSON, JSONB } = pg.types.builtins;
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  [INT8]: Number,
  [NUMERIC]: Number,
  [TIMESTAMPTZ]: parseInstant,
  [JSON]: String,
  [JSONB]: String,
};

/** Conversion of PostgreSQL's values to those of the program, see the column types in `schema/`. */
const VALUE_TYPES: CustomTypesConfig = {
  getTypeParser: ((oid: number, format: 'text' | 'binary' = 'text') =>
    (format === 'text' ? PARSERS[oid] : undefined) ??
    (pg.types.getTypeParser(oid, format) as unknown)) as CustomTypesConfig['getTypeParser'],
};

/** SQL that sets settings of the transaction (`isLocal`), or of the session. */
export function settingsSql(settings: Readonly<Record<string, string | number>>, isLocal: boolean): string {
  const calls = Object.entries(settings).map(
    ([name, value]) => `set_config('${name}', '${String(value).replaceAll("'", "''")}', ${isLocal})`,
  );
  return `select ${calls.join(', ')}`;
}

const SETTINGS = {
  // Instants are parsed in UTC, and in this form.
  timezone: 'UTC',
  datestyle: 'ISO, MDY',
  client_min_messages: 'warning',
  standard_conforming_strings: 'on',
  default_transaction_isolation: 'read committed',
  row_security: 'on',
  bytea_output: 'hex',
  extra_float_digits: 1,
  // PostgreSQL ends sessions whose node is frozen or cut off: others wait for what such a session has locked.
  idle_in_transaction_session_timeout: 10 * SECOND,
  tcp_user_timeout: 10 * SECOND,
  tcp_keepalives_idle: 5,
  tcp_keepalives_interval: 2,
  tcp_keepalives_count: 3,
};

/**
 * Settings of each session, which override those of the URL, the user, the database and a pooler. The search
 * path becomes the schema of the tables, because `$user` in it would be the role of the unit.
 */
export const SESSION_SETTINGS = `${settingsSql(SETTINGS, false)}, set_config('search_path',
  coalesce(quote_ident(current_schema()), current_setting('search_path')), false)`;

/** For `onConnect` of a pool, which waits for the promise. `more` are further statements for each session. */
export const sessionSettings =
  (more = 'select 1') =>
  (client: pg.ClientBase): unknown =>
    client.query(`${SESSION_SETTINGS}; ${more}`);

export function clientConfig(url: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: 'terminal-gateway',
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10 * SECOND,
    types: VALUE_TYPES,
  };
}

/** A pool that opens connections when needed. `onLost`: an idle one was lost, as at a restart of the server. */
export function createPool(url: string, max: number, onLost: (error: Error) => void): Pool {
  const pool = new pg.Pool({
    ...clientConfig(url),
    query_timeout: undefined,
    pipeline: true,
    max,
    idleTimeoutMillis: 60 * SECOND,
    allowExitOnIdle: true,
    onConnect: sessionSettings(),
  });
  // Without a listener, the process would end.
  pool.on('error', onLost);
  return pool;
}

const CHECK_MS = 500;
/** Milliseconds that a unit waits for the answer to the probe. */
const PROBE_WAIT_MS = SECOND;
const PROBE = { text: 'select 1', query_timeout: ANSWER_MS };

/**
 * Closes connections that do not answer within `ANSWER_MS`. Each check counts as `CHECK_MS`, even if it runs
 * late: while this process was busy, answers may have arrived that it has not read. After a statement or a
 * connection without an answer, one probe at a time is sent, and units are refused until one is answered.
 * Otherwise a request with several units would wait for each of them, longer than the 10 s that it may take.
 */
export class Answers {
  /** Unanswered statements of each connection, and checks since its last answer. */
  readonly #waiting = new Map<PoolClient, { statements: number; checks: number }>();
  readonly #timer = setInterval(() => this.#check(), CHECK_MS).unref();
  #isLost = false;
  #probe: Promise<boolean> | null = null;

  constructor(private readonly pool: Pool) {}

  /** Resolves to the answer to a statement; rejects when the connection is closed. */
  async wait<T>(client: PoolClient, answer: Promise<T>): Promise<T> {
    const waiting = this.#waiting.get(client) ?? { statements: 0, checks: 0 };
    this.#waiting.set(client, waiting);
    waiting.statements += 1;
    try {
      return await answer;
    } finally {
      waiting.checks = 0;
      waiting.statements -= 1;
      if (waiting.statements === 0) this.#waiting.delete(client);
    }
  }

  /** To be called with each storage error. */
  note(error: unknown): void {
    if (isSilence(error)) this.#isLost = true;
  }

  /** Errors: `storage_unavailable` while PostgreSQL does not answer. */
  async demand(): Promise<void> {
    if (!this.#isLost) return;
    this.#probe ??= this.#isAnswered().finally(() => (this.#probe = null));
    if (await Promise.race([this.#probe, sleep(PROBE_WAIT_MS, false, { ref: false })])) return;
    throw UNAVAILABLE(new Error('PostgreSQL does not answer.'));
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    for (const [client, waiting] of this.#waiting) {
      waiting.checks += 1;
      if (waiting.checks * CHECK_MS < ANSWER_MS) continue;
      client.connection.stream.destroy(new Error('No answer in time'));
    }
  }

  async #isAnswered(): Promise<boolean> {
    try {
      await this.pool.query(PROBE);
      this.#isLost = false;
      return true;
    } catch {
      return false;
    }
  }
}
