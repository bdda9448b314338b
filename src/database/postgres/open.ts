import { setTimeout as sleep } from 'node:timers/promises';
import pg, { type Client, type QueryConfig } from 'pg';

import { SECOND, systemClock } from '../../platform/clock.js';
import { databaseName } from '../../platform/config/database-url.js';
import { codeOf } from '../../platform/errors.js';
import { requireCompleteCopy, UNFINISHED_TABLE } from '../copy.js';
import { copied, type Database, DatabaseRefused, type OpenOptions, unusable } from '../database.js';
import { connect } from './connect.js';
import { clientConfig, SESSION_SETTINGS } from './connections/pool.js';
import { stateOf } from './faults.js';
import { bringUpToDate } from './migrate.js';
import { rolesIn } from './roles.js';

const OLDEST = 150_000;
/** Transactions that are compared to find a pooler. */
const POOLER_ROUNDS = 3;
/** Milliseconds after which commands give up; servers try without an end. */
const GIVE_UP_MS = 5 * SECOND;
/** Pauses between attempts double up to the longest. Each is shortened by up to half, at random. */
const FIRST_PAUSE_MS = SECOND / 4;
const LONGEST_PAUSE_MS = 5 * SECOND;

/** Opens a database, and brings its tables up to date; waits if another node does. Errors: `DatabaseRefused`. */
export async function openDatabase(url: string, options: OpenOptions = {}): Promise<Database> {
  const roles = await trying(url, options, async (client) => {
    await bringUsable(client, url, options);
    requireCompleteCopy(nameOf(url), await unfinishedCopyIn(client));
    if (options.exclusive === true) await requireOriginal(client, url, options);
    return await rolesIn(client);
  });
  return await connect(url, roles, options);
}

/** Checks the server and the connection, and brings the tables up to date. Errors: `DatabaseRefused`. */
export async function bringUsable(
  client: Client,
  url: string,
  { onProgress }: Pick<OpenOptions, 'onProgress'>,
): Promise<void> {
  await requireVersion(client, url);
  await requireSessions(client, url);
  await bringUpToDate(client, nameOf(url), onProgress);
}

/** Calls `use` with a connection without time limits. Errors: `DatabaseRefused`; those of `use`. */
export async function withClient<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = await reach(url);
  try {
    return await use(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Opens a connection without time limits, for long work. Errors: `DatabaseRefused`. */
export async function reach(url: string): Promise<Client> {
  return await trying(url, {}, (client) => Promise.resolve(client), { keeps: true });
}

/** Connects and calls `use`; repeats both while the server is away. Errors: `DatabaseRefused`, those of `use`. */
async function trying<T>(
  url: string,
  { onUnreachable }: Pick<OpenOptions, 'onUnreachable'>,
  use: (client: Client) => Promise<T>,
  { keeps } = { keeps: false },
): Promise<T> {
  const deadline = systemClock.elapsed() + GIVE_UP_MS;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, 2 * pause)) {
    const client = new pg.Client({ ...clientConfig(url), query_timeout: undefined });
    // For errors between statements; the error of a statement reaches its caller.
    client.on('error', () => undefined);
    try {
      await connected(client, url);
      const result = await use(client);
      if (!keeps) void client.end().catch(() => undefined);
      return result;
    } catch (error) {
      void client.end().catch(() => undefined);
      const { cause = error } = error as Error;
      if (!mayCome(cause)) throw isRefusedByPooler(cause) ? wrong(url, cause) : error;
      if (onUnreachable === undefined && systemClock.elapsed() + pause > deadline)
        throw unreachable(url, cause);
      await onUnreachable?.(`${nameOf(url)}: ${reasonOf(cause)}`);
    }
    await sleep(pause * (0.5 + Math.random() / 2));
  }
}

async function connected(client: Client, url: string): Promise<void> {
  try {
    await client.connect();
    await client.query(SESSION_SETTINGS);
  } catch (error) {
    throw mayCome(error) ? error : wrong(url, error);
  }
}

/** SQLSTATEs of a server that may become available: starting, stopping, full, or (25006) a standby. */
const COMING = /^(?:57P|08|53|25006)/;
const COMING_SYSTEM = /^(?:ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|EPIPE)$/;

/** True if waiting for the server may help: it is not a wrong setting. */
function mayCome(error: unknown): boolean {
  if (error instanceof DatabaseRefused) return false;
  const state = stateOf(error);
  if (state !== null) return COMING.test(state) && !isRefusedByPooler(error);
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  // The socket is a file that the server creates when it starts.
  if (code === 'ENOENT') return syscall === 'connect';
  return COMING_SYSTEM.test(code) || /terminated|timeout/i.test(reasonOf(error));
}

/** Advice by a part of the message: PgBouncer gives all of its errors the same SQLSTATE, 08P01. */
const POOLER_ADVICE: Readonly<Record<string, string>> = {
  'pooling mode': 'set the pool_mode of the pooler to session',
  'startup parameter':
    'leave this parameter out of DATABASE_URL, or add it to ignore_startup_parameters of the pooler',
};

const isRefusedByPooler = (error: unknown): boolean =>
  Object.keys(POOLER_ADVICE).some((text) => (error as Error).message.includes(text));

/** Advice by SQLSTATE, or by the code of the system. */
const AUTHORITY = 'name the file of its authority with sslrootcert in DATABASE_URL';
const ADVICE: Readonly<Record<string, string>> = {
  '28P01': 'the password or the user is wrong: correct DATABASE_URL',
  '28000': 'the server does not let this user in: correct DATABASE_URL, or pg_hba.conf on the server',
  '42501': 'the user may not connect to this database: an administrator must grant connect on it',
  '3D000': 'there is no such database: create it with createdb, or correct DATABASE_URL',
  DEPTH_ZERO_SELF_SIGNED_CERT: AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: AUTHORITY,
  ENOTFOUND: 'there is no such host: correct DATABASE_URL',
};

function unreachable(url: string, error: unknown): DatabaseRefused {
  const advice = 'check that PostgreSQL is running, or try again later.';
  const message = `${nameOf(url)} cannot be reached (${reasonOf(error)}): ${advice}`;
  return new DatabaseRefused('unreachable', message, error);
}

const NO_PASSWORD = 'PostgreSQL asks for a password: set DATABASE_PASSWORD_FILE';

function wrong(url: string, error: unknown): DatabaseRefused {
  const reason = reasonOf(error);
  const ofPooler = Object.keys(POOLER_ADVICE).find((text) => reason.includes(text));
  const code = codeOf(error) ?? '';
  const advice =
    POOLER_ADVICE[ofPooler ?? ''] ??
    ADVICE[code] ??
    (reason.includes('client password') ? NO_PASSWORD : 'correct DATABASE_URL');
  return unusable(`${nameOf(url)} cannot be used (${reason}): ${advice}.`, error);
}

const nameOf = (url: string): string => databaseName({ server: url });

/** Message of an error. An error about several addresses has none of its own. */
function reasonOf(error: unknown): string {
  const { message, code, errors } = error as { message?: string; code?: string; errors?: readonly Error[] };
  return [message, errors?.[0]?.message, code].find((text) => text !== undefined && text !== '') ?? 'unknown';
}

/** Refuses a pooler in transaction mode. Errors: `DatabaseRefused`; those of a second connection. */
async function requireSessions(client: Client, url: string): Promise<void> {
  const second = new pg.Client(clientConfig(url));
  second.on('error', () => undefined);
  try {
    await connected(second, url);
    if (!(await isPooledByTransaction(client, second))) return;
  } finally {
    await second.end().catch(() => undefined);
  }
  throw unusable(
    `${nameOf(url)} is a pooler in transaction mode, which gives a session other connections to PostgreSQL: set its pool_mode to session, or connect to PostgreSQL itself.`,
  );
}

/**
 * Whether two connections lead to a pooler in transaction mode (PgBouncer), which loses settings, locks and
 * LISTEN. The signs are a session of PostgreSQL that changes between two transactions of the first connection
 * while the second has one open, or a session that both have.
 */
async function isPooledByTransaction(first: Client, second: Client): Promise<boolean> {
  const before = await sessionOf(first);
  for (let round = 1; round <= POOLER_ROUNDS; round += 1) {
    await second.query('begin');
    // If the pooler has only one session, the first connection would wait for the end of this transaction.
    const isShared = (await sessionOf(second)) === before;
    const isSame = !isShared && (await sessionOf(first)) === before;
    await second.query('rollback');
    if (!isSame) return true;
  }
  return false;
}

/** Process id and start of the session of PostgreSQL that runs the statements of a connection. */
async function sessionOf(client: Client): Promise<string> {
  const { rows } = await client.query<{ session: string }>(
    `select pid || ' ' || backend_start as session from pg_stat_activity where pid = pg_backend_pid()`,
  );
  return rows[0]?.session ?? '';
}

/** Where the database is, and where a server last used it: a dump takes the latter along. */
const PLACES = `select (select system_identifier from pg_control_system()) || ' ' ||
    (select oid from pg_database where datname = current_database()) as here,
  (select place from applied_migrations order by name limit 1) as place`;

/** Refuses a restored dump. Errors: `DatabaseRefused`. */
async function requireOriginal(client: Client, url: string, { acceptCopy }: OpenOptions): Promise<void> {
  const { rows } = await client.query<{ here: string; place: string | null }>(PLACES);
  const { here = '', place = null } = rows[0] ?? {};
  if (here === place) return;
  if (place !== null && acceptCopy !== true) throw copied(nameOf(url), 'another database of PostgreSQL');
  await client.query('update applied_migrations set place = $1', [here]);
}

async function requireVersion(client: Client, url: string): Promise<void> {
  const statement: QueryConfig & { readonly query_timeout: number } = {
    text: `select current_setting('server_version_num')::int as number, current_setting('server_version') as name`,
    // A server may accept connections before it answers statements.
    query_timeout: GIVE_UP_MS,
  };
  const { rows } = await client.query<{ number: number; name: string }>(statement);
  const { number = 0, name = '?' } = rows[0] ?? {};
  if (number >= OLDEST) return;
  throw unusable(`${nameOf(url)} is PostgreSQL ${name}; 15 or later is needed.`);
}

/** Source of the unfinished copy in the database; null if the database is none. */
export async function unfinishedCopyIn(client: Client): Promise<string | null> {
  const { rows: tables } = await client.query<{ found: boolean }>(
    `select to_regclass('${UNFINISHED_TABLE}') is not null as found`,
  );
  if (tables[0]?.found !== true) return null;
  const { rows } = await client.query<{ source: string }>(`select source from ${UNFINISHED_TABLE}`);
  return rows[0]?.source ?? '';
}
