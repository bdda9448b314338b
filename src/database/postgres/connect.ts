import { Kysely, sql } from 'kysely';
import { join } from 'node:path';

import { databaseName } from '../../platform/config/database-url.js';
import { DomainError } from '../../platform/errors.js';
import type { Tables } from '../../schema/schema.js';
import type { Database, OpenOptions } from '../database.js';
import { DatabaseHealth } from '../health.js';
import { MIGRATION_NAMES } from '../migrations.js';
import { StatementListeners } from '../statements/statement-listener.js';
import { Announcements } from './announcements.js';
import { ConnectionsDialect } from './connections/dialect.js';
import { createPool } from './connections/pool.js';
import type { Watcher } from './connections/session.js';
import { Sessions } from './connections/sessions.js';
import { StatementNames } from './connections/statement-names.js';
import { UnitConnections } from './connections/unit-connections.js';
import { SharedLimits } from './limits/shared-limits.js';
import type { Roles } from './roles.js';
import { tableSizes } from './sizes.js';

const CONNECTIONS = 20;

/** Opens a database that has the current schema. `roles` are the roles of its units of work. */
export async function connect(url: string, roles: Roles, options: OpenOptions = {}): Promise<Database> {
  const health = new DatabaseHealth();
  const statements = new StatementListeners();
  const onFault: Watcher['onFault'] = (code, error) => {
    health.report(code);
    options.onFault?.(code, error);
  };
  const { examining = {}, connections = CONNECTIONS, uploadFolder: folder = 'data' } = options;
  const onLost = (error: Error): void => onFault('storage_unavailable', error);
  const pool = createPool({ url, max: connections - 2, onLost });
  const names = new StatementNames();
  const watcher: Watcher = { onStatement: (text) => statements.notify(text), onFault };
  const sessions = new Sessions(pool, watcher, { connections, examining, names, roles });
  const announcements = new Announcements(url, pool, names);
  await announcements.start();
  const limits = new SharedLimits(url, options.onUnshared);
  const size = await Size.of(sessions);
  return {
    name: databaseName({ server: url }),
    system: 'postgresql',
    ...{ ...handlesOf(sessions), ...unitsOf(sessions), ...sharedBy(announcements) },
    ...{ health, verify: () => null, admit: () => undefined, begin: () => undefined },
    ...{ checks: checksOf(sessions, health, options.onFault), ...maintenanceOf(sessions, limits, size) },
    windows: (clock) => limits.windows(clock),
    windowFailures: () => limits.failures,
    connections: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: sessions.waiting,
    }),
    watchStatements: (listener) => statements.add(listener),
    spoolPath: join(folder, `upload-${process.pid}-`),
    lastBackupPath: join(folder, 'last-backup'),
    close: () =>
      sessions.close(async () => {
        await limits.close();
        await announcements.close();
      }),
  };
}

function unitsOf(
  sessions: Sessions,
): Pick<Database, 'snapshot' | 'examine' | 'write' | 'aboveCompanies' | 'lockCompanies' | 'examining'> {
  return {
    snapshot: (scope, use, isSingle) => sessions.read(scope, use, isSingle),
    examine: (companyId, use) => sessions.examine(companyId, use),
    write: (scope, use, options) => sessions.write(scope, use, options?.ofCompany),
    aboveCompanies: (db, use) => sessions.aboveCompanies(db, use),
    lockCompanies: (db, companyIds) => sessions.lockCompanies(db, companyIds),
    examining: () => sessions.examining,
  };
}

function sharedBy(
  announcements: Announcements,
): Pick<Database, 'isShared' | 'announce' | 'onAnnounced' | 'alone'> {
  return {
    isShared: true,
    announce: (changes) => announcements.announce(changes),
    onAnnounced: (listener) => announcements.onAnnounced(listener),
    alone: announcements.alone,
  };
}

function handlesOf(sessions: Sessions): Pick<Database, 'reads' | 'writes'> {
  return {
    reads: new Kysely<Tables>({ dialect: new ConnectionsDialect(new UnitConnections(sessions, 'read')) }),
    writes: new Kysely<Tables>({ dialect: new ConnectionsDialect(new UnitConnections(sessions, 'write')) }),
  };
}

/** Bytes of the database, looked up once a minute, since PostgreSQL adds up the sizes of all files. */
class Size {
  bytes = 0;

  static async of(sessions: Sessions): Promise<Size> {
    const size = new Size();
    await size.look(sessions).catch(() => undefined);
    return size;
  }

  async look(sessions: Sessions): Promise<void> {
    this.bytes = await sessions.read(null, async (db) => {
      const query = sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`;
      return (await query.execute(db)).rows[0]?.bytes ?? 0;
    });
  }
}

function maintenanceOf(
  sessions: Sessions,
  limits: SharedLimits,
  size: Size,
): Pick<Database, 'bytes' | 'sizes' | 'maintain'> {
  return {
    bytes: () => ({ file: size.bytes, log: 0 }),
    sizes: () => sessions.read(null, tableSizes),
    maintain: async () => {
      await limits.deleteEnded();
      await size.look(sessions);
    },
  };
}

function checksOf(
  sessions: Sessions,
  health: DatabaseHealth,
  onFault: OpenOptions['onFault'],
): Database['checks'] {
  return {
    database: async () => {
      let state: SessionState;
      try {
        state = await sessionState(sessions);
      } catch (error) {
        if (error instanceof DomainError) return error.code;
        throw error;
      }
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
    migrations: async () => {
      const applied = await sessions.read(null, async (db) => {
        const { rows } = await sql<{ name: string }>`select name from applied_migrations`.execute(db);
        return rows.map(({ name }) => name);
      });
      return MIGRATION_NAMES.every((name) => applied.includes(name)) ? null : 'not_current';
    },
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
