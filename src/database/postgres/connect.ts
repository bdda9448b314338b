import { sql, type CompiledQuery } from 'kysely';
import { join } from 'node:path';
import type { Pool } from 'pg';

import { atMostEvery, SECOND } from '../../platform/clock.js';
import { databaseName } from '../../platform/config/database-url.js';
import { DomainError } from '../../platform/errors.js';
import type { CheckResult, Database, OpenOptions, StorageSizes } from '../database.js';
import { hasAllMigrations } from '../migrations.js';
import { StatementListeners, DatabaseHealth } from '../statements.js';
import { Announcements } from './announcements.js';
import { Answers, createPool } from './connections/pool.js';
import type { Shared } from './connections/session.js';
import { Sessions } from './connections/sessions.js';
import { handleOn, StatementNames } from './connections/statements.js';
import { Turns } from './connections/turns.js';
import type { Roles } from './roles.js';
import { SharedLimits } from './shared-limits.js';
import { clockAhead, vitalsOf } from './vitals.js';

const CONNECTIONS = 20;
/** Minimum time between two warnings about the same company, or about the clock. */
const WARN_MS = 10 * SECOND;
/** Differences of clocks that are warned of, and with which a node is not ready. */
const CLOCK_MS = { warned: 5 * SECOND, refused: 30 * SECOND };
const REFUSED_TURN =
  'a change was refused: a session of PostgreSQL has been changing the company for too long';

/** Opens a database that has the current schema. `roles` are the roles of its units of work. */
export async function connect(url: string, roles: Roles, options: OpenOptions = {}): Promise<Database> {
  const { announcements, checkClock, health, pool, sessions, statements, turns, waits } = openParts(
    url,
    roles,
    options,
  );
  const { uploadFolder: folder = 'data' } = options;
  await announcements.start();
  const limits = new SharedLimits(url, options.onUnshared);
  return {
    name: databaseName({ server: url }),
    system: 'postgresql',
    ...unitsOf(sessions),
    waitingTurns: () => turns.long(),
    vitals: () => vitalsOf(sessions),
    watchStatements: (listener) => statements.add(listener),
    watchWaits: (listener) => waits.add(listener),
    health,
    verify: () => null,
    admit: () => undefined,
    ...sharingOf(announcements, limits),
    begin: () => undefined,
    checks: {
      database: () => checkDatabase(sessions, health, options.onFault),
      migrations: async () => ((await sessions.snapshot(null, hasAllMigrations)) ? null : 'not_current'),
      turns: () => Promise.resolve(noteOf(turns)),
      clock: checkClock,
    },
    ...(await maintenanceOf(pool, sessions, limits, checkClock)),
    lastBackupPath: join(folder, 'last-backup'),
    spoolPath: join(folder, `upload-${process.pid}-`),
    close: () =>
      sessions.close(async () => {
        await limits.close();
        await announcements.close();
      }),
  };
}

function openParts(url: string, roles: Roles, options: OpenOptions) {
  const { connections = CONNECTIONS } = options;
  const health = new DatabaseHealth();
  const [statements, waits] = [new StatementListeners(), new StatementListeners()];
  const turns = new Turns();
  const warn = warning(options);
  const onFault: Shared['onFault'] = (code, error) => {
    health.report(code);
    options.onFault?.(code, error);
  };
  const pool = createPool(url, connections - 2, (error) => onFault('storage_unavailable', error));
  const shared = {
    answers: new Answers(pool),
    roles,
    names: new StatementNames(),
    turns,
    waits,
    onStatement: statements.notify,
    onFault,
    onRefusedTurn: (companyId: number): void => warn(REFUSED_TURN, { company_id: companyId }),
  };
  const sessions = new Sessions(pool, shared, connections, options.examining);
  const announcements = new Announcements(url, pool);
  const checkClock = (): Promise<CheckResult> => compareClocks(sessions, warn);
  return { announcements, checkClock, health, pool, sessions, statements, turns, waits };
}

function unitsOf(sessions: Sessions) {
  const { snapshot, examine, write, acrossCompanies, everywhere, lockCompanies, examining } = sessions;
  const reads = handleOn(<R>(query: CompiledQuery) =>
    snapshot(null, (db) => db.getExecutor().executeQuery<R>(query)),
  );
  const writes = handleOn(<R>(query: CompiledQuery) =>
    write(null, (db) => db.getExecutor().executeQuery<R>(query)),
  );
  return { reads, writes, snapshot, examine, write, acrossCompanies, everywhere, lockCompanies, examining };
}

function sharingOf({ announce, onAnnounced, alone }: Announcements, limits: SharedLimits) {
  const windows: Database['windows'] = (clock) => limits.windows(clock);
  return { isShared: true, announce, onAnnounced, alone, windows, windowFailures: () => limits.failures };
}

async function maintenanceOf(
  pool: Pool,
  sessions: Sessions,
  limits: SharedLimits,
  checkClock: () => Promise<unknown>,
) {
  const { snapshot } = sessions;
  /** Bytes of the database. Looked up once a minute only, since PostgreSQL adds up the sizes of all files. */
  const size = async (): Promise<number> => {
    const query = sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`;
    return (await snapshot(null, (db) => query.execute(db))).rows[0]?.bytes ?? 0;
  };
  let bytes = await size().catch(() => 0);
  return {
    connections: () => {
      const { totalCount, idleCount } = pool;
      return { used: totalCount - idleCount, idle: idleCount, waiting: sessions.waiting };
    },
    bytes: () => ({ file: bytes, log: 0 }),
    sizes: async () => sizesOf((await snapshot(null, (db) => SIZES.execute(db))).rows),
    maintain: async () => {
      await limits.deleteEnded();
      await checkClock();
      bytes = await size();
    },
  } satisfies Partial<Database>;
}

type Warn = (message: string, details: object) => void;

/** Warns at most every 10 seconds of the same. */
function warning({ onWarning }: OpenOptions): Warn {
  const isDue = atMostEvery(WARN_MS);
  return (message, details) => {
    if (isDue(JSON.stringify(details))) onWarning?.(message, details);
  };
}

async function compareClocks(sessions: Sessions, warn: Warn): Promise<CheckResult> {
  // If PostgreSQL does not answer, the check of the database says so.
  const ahead = await clockAhead(sessions).catch(() => 0);
  if (Math.abs(ahead) < CLOCK_MS.warned) return null;
  const seconds = Math.abs(Math.round(ahead / SECOND));
  const problem = `the clock of this node is ${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'} that of PostgreSQL`;
  warn(problem, {});
  return Math.abs(ahead) < CLOCK_MS.refused ? { note: problem } : problem;
}

/** Says that companies wait, but not which: everybody may ask for it. */
function noteOf(turns: Turns): CheckResult {
  const { companies, longestMs } = turns.long();
  const seconds = Math.floor(longestMs / SECOND);
  return companies === 0
    ? null
    : { note: `companies that wait for another node: ${companies}, for up to ${seconds} s` };
}

const STATE = sql<{ read_only: boolean; zone: string }>`select pg_is_in_recovery()
  or current_setting('default_transaction_read_only')::boolean as read_only, current_setting('TimeZone') as zone`;

async function checkDatabase(
  { snapshot }: Sessions,
  health: DatabaseHealth,
  onFault: OpenOptions['onFault'],
): Promise<CheckResult> {
  try {
    const [state] = (await snapshot(null, (db) => STATE.execute(db))).rows;
    if (state?.read_only !== false) return 'storage_read_only';
    if (state.zone !== 'UTC') {
      const problem = `the time zone of a session is ${state.zone}, not UTC`;
      onFault?.('storage_unavailable', new Error(problem));
      return problem;
    }
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
  // Only larger changes find that a disk is full: they report it again.
  if (health.fault !== 'storage_full' || health.mayRetry) health.recovered();
  return health.fault;
}

/** Bytes of each table with its indexes and long values, and PostgreSQL's latest estimate of its rows. */
export const TABLE_SIZES = `select relname::text as name, pg_total_relation_size(oid) as bytes,
    greatest(reltuples, 0)::bigint as rows
  from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace`;

const SIZES = sql.raw<SizeRow>(TABLE_SIZES);

export interface SizeRow {
  readonly name: string;
  readonly bytes: number;
  readonly rows: number;
}

export function sizesOf(found: readonly SizeRow[]): StorageSizes {
  const tables = found.map(({ name, bytes, rows }) => [name, { bytes, rows }] as const);
  return { tables: Object.fromEntries(tables), freeBytes: null };
}
