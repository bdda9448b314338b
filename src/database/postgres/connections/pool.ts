import pg, { type CustomTypesConfig, type Pool } from 'pg';

import { SECOND } from '../../../platform/clock.js';
import { ANSWER_MS } from './answers.js';

const CONNECT_MS = 3 * SECOND;

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
};

/**
 * Settings of each session, made after connecting: they override those of the URL, the user, the database and
 * a pooler. The search path becomes the schema of the tables, because `$user` in it would be the role of the
 * unit.
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

/**
 * A pool that opens connections when needed, and closes those not used for a minute. `Answers` ends
 * statements that get no answer. `onLost` is called when an idle connection was lost, for example because the
 * server was restarted.
 */
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
