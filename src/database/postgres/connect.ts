import { sql, type CompiledQuery } from 'kysely';
import { join } from 'node:path';
import type { Pool } from 'pg';

import { databaseName } from '../../platform/config/database-url.js';
import { DomainError } from '../../platform/errors.js';
import { type Database, DatabaseHealth, type OpenOptions } from '../database.js';
import { hasAllMigrations } from '../migrations.js';
import { StatementListeners } from '../statements.js';
import { Announcements } from './announcements.js';
import { tableSizes } from './check.js';
import { Answers } from './connections/answers.js';
import { createPool } from './connections/pool.js';
import type { Shared } from './connections/session.js';
import { Sessions } from './connections/sessions.js';
import { handleOn, StatementNames } from './connections/statements.js';
import type { Roles } from './roles.js';
import { SharedLimits } from './shared-limits.js';

const CONNECTIONS = 20;

/** Opens a database that has the current schema. `roles` are the roles of its units of work. */
export async function connect(url: string, roles: Roles, options: OpenOptions = {}): Promise<Database> {
  const health = new DatabaseHealth();
  const statements = new StatementListeners();
  const onFault: Shared['onFault'] = (code, error) => {
    health.report(code);
    options.onFault?.(code, error);
  };
  const { connections = CONNECTIONS, uploadFolder: folder = 'data' } = options;
  const pool = createPool(url, connections - 2, (error) => onFault('storage_unavailable', error));
  const answers = new Answers(pool);
  const onStatement = (text: string) => statements.notify(text);
  const shared = { answers, roles, names: new StatementNames(), onStatement, onFault };
  const sessions = new Sessions(pool, shared, connections, options.examining);
  const announcements = new Announcements(url, pool);
  await announcements.start();
  const limits = new SharedLimits(url, options.onUnshared);
  return {
    name: databaseName({ server: url }),
    system: 'postgresql',
    ...unitsOf(sessions),
    watchStatements: (listener) => statements.add(listener),
    health,
    verify: () => null,
    admit: () => undefined,
    ...sharingOf(announcements, limits),
    begin: () => undefined,
    checks: checksOf(sessions, health, options.onFault),
    ...(await maintenanceOf(pool, sessions, limits)),
    lastBackupPath: join(folder, 'last-backup'),
    spoolPath: join(folder, `upload-${process.pid}-`),
    close: () =>
      sessions.close(async () => {
        await limits.close();
        await announcements.close();
      }),
  };
}

function unitsOf(sessions: Sessions) {
  return {
    reads: handleOn(<R>(query: CompiledQuery) =>
      sessions.read(null, (db) => db.getExecutor().executeQuery<R>(query)),
    ),
    writes: handleOn(<R>(query: CompiledQuery) =>
      sessions.write(null, (db) => db.getExecutor().executeQuery<R>(query)),
    ),
    snapshot: (scope, use, isSingle) => sessions.read(scope, use, isSingle),
    examine: (companyId, use) => sessions.examine(companyId, use),
    write: (scope, use, ofCompany) => sessions.write(scope, use, ofCompany),
    aboveCompanies: (db, use) => sessions.aboveCompanies(db, use),
    lockCompanies: (db, companyIds) => sessions.lockCompanies(db, companyIds),
    examining: () => sessions.examining,
  } satisfies Partial<Database>;
}

function sharingOf(announcements: Announcements, limits: SharedLimits) {
  return {
    isShared: true,
    announce: (changes) => announcements.announce(changes),
    onAnnounced: (listener) => announcements.onAnnounced(listener),
    alone: announcements.alone,
    windows: (clock) => limits.windows(clock),
    windowFailures: () => limits.failures,
  } satisfies Partial<Database>;
}

async function maintenanceOf(
  pool: Pool,
  sessions: Sessions,
  limits: SharedLimits,
): Promise<Pick<Database, 'connections' | 'bytes' | 'sizes' | 'maintain'>> {
  let bytes = await sizeOf(sessions).catch(() => 0);
  return {
    connections: () => {
      const { totalCount, idleCount } = pool;
      return { used: totalCount - idleCount, idle: idleCount, waiting: sessions.waiting };
    },
    bytes: () => ({ file: bytes, log: 0 }),
    sizes: () => sessions.read(null, tableSizes),
    maintain: async () => {
      await limits.deleteEnded();
      bytes = await sizeOf(sessions);
    },
  };
}

/** Bytes of the database. Looked up once a minute only, since PostgreSQL adds up the sizes of all files. */
async function sizeOf(sessions: Sessions): Promise<number> {
  return await sessions.read(null, async (db) => {
    const query = sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`;
    return (await query.execute(db)).rows[0]?.bytes ?? 0;
  });
}

function checksOf(
  sessions: Sessions,
  health: DatabaseHealth,
  onFault: OpenOptions['onFault'],
): Database['checks'] {
  return {
    database: async () => {
      const state = await sessionState(sessions).catch((error: unknown) => {
        if (error instanceof DomainError) return error.code;
        throw error;
      });
      if (typeof state === 'string') return state;
      if (state.read_only) return 'storage_read_only';
      if (state.zone !== 'UTC') {
        const problem = `the time zone of a session is ${state.zone}, not UTC`;
        onFault?.('storage_unavailable', new Error(problem));
        return problem;
      }
      // Only larger changes find that a disk is full: they report it again.
      if (health.fault !== 'storage_full' || health.isWorthATry) health.recovered();
      return health.fault;
    },
    migrations: async () => ((await sessions.read(null, hasAllMigrations)) ? null : 'not_current'),
  };
}

interface SessionState {
  readonly read_only: boolean;
  readonly zone: string;
}

async function sessionState(sessions: Sessions): Promise<SessionState> {
  return await sessions.read(null, async (db) => {
    const { rows } = await sql<SessionState>`select pg_is_in_recovery()
      or current_setting('default_transaction_read_only')::boolean as read_only,
      current_setting('TimeZone') as zone`.execute(db);
    return rows[0] ?? { read_only: true, zone: 'unknown' };
  });
}
