import { setTimeout as sleep } from 'node:timers/promises';
import pg, { type Client } from 'pg';

import { databaseName } from '../../platform/config/database-url.js';
import { SECOND, systemClock } from '../../platform/clock.js';
import type { Database, OpenOptions } from '../database.js';
import { refuseUnfinished } from '../copy/unfinished.js';
import { DatabaseRefused } from '../refused.js';
import { connect } from './connect.js';
import { unfinishedCopyIn } from './copy/mark.js';
import { stateOf } from './faults.js';
import { bringUpToDate } from './migrate.js';
import { clientConfig } from './pool.js';

const OLDEST = 150_000;
/** A database server that starts together with this one is waited for. */
const WAIT_MS = 30 * SECOND;
const PAUSE_MS = SECOND / 2;

/**
 * Opens a database of a PostgreSQL server, and brings its tables up to date; where another node does so, waits for it.
 * Errors: `DatabaseRefused`.
 */
export async function openDatabase(url: string, options: OpenOptions = {}): Promise<Database> {
  const client = await reachCurrent(url, options);
  try {
    const unfinished = await unfinishedCopyIn(client);
    if (unfinished !== null) throw refuseUnfinished(nameOf(url), unfinished);
  } finally {
    await client.end().catch(() => undefined);
  }
  return await connect(url, options);
}

/** A connection like that of `reach` to a database whose tables are up to date. Errors: `DatabaseRefused`. */
export async function reachCurrent(
  url: string,
  options: Pick<OpenOptions, 'onProgress'> = {},
): Promise<Client> {
  const client = await reach(url, options);
  try {
    await demandVersion(client, url);
    await bringUpToDate(client, nameOf(url), options.onProgress);
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}

/** A connection without limits of time, for what takes long. Errors: `DatabaseRefused`. */
export async function reach(
  url: string,
  { onProgress }: Pick<OpenOptions, 'onProgress'> = {},
): Promise<Client> {
  const deadline = systemClock.elapsed() + WAIT_MS;
  for (let attempt = 1; ; attempt += 1) {
    const client = new pg.Client({ ...clientConfig(url), query_timeout: undefined });
    // An error between statements; that of a statement reaches its caller.
    client.on('error', () => undefined);
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      if (!mayCome(error) || systemClock.elapsed() > deadline) throw unreachable(url, error);
      if (attempt === 1)
        onProgress?.(`${nameOf(url)} cannot be reached yet (${reasonOf(error)}): trying for 30 seconds`);
    }
    await sleep(PAUSE_MS);
  }
}

/** Whether the server is not up yet, rather than that the setting is wrong. */
function mayCome(error: unknown): boolean {
  const state = stateOf(error);
  if (state !== null) return state.startsWith('57') || state === '53300';
  const { code } = error as { readonly code?: string };
  return code === 'ECONNREFUSED' || code === 'ECONNRESET' || /terminated|timeout/.test(reasonOf(error));
}

/** By SQLSTATE, what is to be done. */
const ADVICE: Readonly<Record<string, string>> = {
  '28P01': 'the password or the user is wrong: correct DATABASE_URL',
  '28000': 'the server does not let this user in: correct DATABASE_URL, or pg_hba.conf on the server',
  '3D000': 'there is no such database: create it with createdb, or correct DATABASE_URL',
};

function unreachable(url: string, error: unknown): DatabaseRefused {
  const advice = ADVICE[stateOf(error) ?? ''] ?? 'check DATABASE_URL, and that PostgreSQL is running';
  return new DatabaseRefused(
    'unusable',
    `${nameOf(url)} cannot be used (${reasonOf(error)}): ${advice}.`,
    error,
  );
}

const nameOf = (url: string): string => databaseName({ server: url });

/** Errors of several addresses have no message of their own. */
function reasonOf(error: unknown): string {
  const { message, code, errors } = error as { message?: string; code?: string; errors?: readonly Error[] };
  return [message, errors?.[0]?.message, code].find((text) => text !== undefined && text !== '') ?? 'unknown';
}

async function demandVersion(client: Client, url: string): Promise<void> {
  const { rows } = await client.query<{ number: number; name: string }>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as name`,
  );
  const [version] = rows;
  if (version !== undefined && version.number >= OLDEST) return;
  throw new DatabaseRefused(
    'unusable',
    `${nameOf(url)} is PostgreSQL ${version?.name ?? '?'}; 15 or later is needed.`,
  );
}
