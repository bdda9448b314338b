import pg, { type Pool } from 'pg';

import { SECOND } from '../../../platform/clock.js';
import { ANSWER_MS } from './answers.js';
import { VALUE_TYPES } from './values.js';

const CONNECT_MS = 3 * SECOND;

export interface PoolOptions {
  readonly url: string;
  readonly max: number;
  /** Called when an idle connection was lost, for example because the server was restarted. */
  readonly onLost: (error: Error) => void;
}

/**
 * Settings of each session, made after connecting: they override those of the URL, the user, the database and
 * a pooler. The search path becomes the schema of the tables, because `$user` in it would be the role of the
 * unit.
 */
export const SESSION_SETTINGS = `select ${Object.entries({
  // Instants are parsed in UTC, and in this form.
  timezone: 'UTC',
  datestyle: 'ISO, MDY',
  client_min_messages: 'warning',
  standard_conforming_strings: 'on',
  default_transaction_isolation: 'read committed',
  row_security: 'on',
  bytea_output: 'hex',
  extra_float_digits: '1',
})
  .map(([name, value]) => `set_config('${name}', '${value}', false)`)
  .join(', ')}, set_config('search_path',
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
 * statements that get no answer.
 */
export function createPool({ url, max, onLost }: PoolOptions): Pool {
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
