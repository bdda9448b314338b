import pg, { type Pool } from 'pg';

import { SECOND } from '../../../platform/clock.js';
import { ANSWER_MS } from './answers.js';
import { VALUE_TYPES } from './values.js';

const CONNECT_MS = 3 * SECOND;

export interface PoolOptions {
  readonly url: string;
  readonly max: number;
  /** An idle connection was lost, for example because the server was restarted. */
  readonly onLost: (error: Error) => void;
}

export function clientConfig(url: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: 'terminal-gateway',
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10 * SECOND,
    types: VALUE_TYPES,
    // Instants are read in UTC, and in this form.
    options:
      '-c timezone=UTC -c datestyle=ISO -c client_min_messages=warning -c standard_conforming_strings=on',
  };
}

/**
 * Connections open when they are needed, and close when they are not used for a minute. `Answers` ends statements that
 * get no answer.
 */
export function createPool({ url, max, onLost }: PoolOptions): Pool {
  const pool = new pg.Pool({
    ...clientConfig(url),
    query_timeout: undefined,
    pipeline: true,
    max,
    idleTimeoutMillis: 60 * SECOND,
    allowExitOnIdle: true,
  });
  // Without a listener, the process would end.
  pool.on('error', onLost);
  return pool;
}
