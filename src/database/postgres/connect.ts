import { Kysely, sql } from 'kysely';
import { join } from 'node:path';

import { databaseName } from '../../platform/config/database-url.js';
import type { Database, OpenOptions } from '../database.js';
import { DatabaseHealth } from '../health.js';
import type { Tables } from '../tables.js';
import { Announcements } from './announcements.js';
import { UnitConnections } from './unit-connections.js';
import { ConnectionsDialect } from './dialect.js';
import { SharedLimits } from './limits/shared-limits.js';
import { MIGRATION_NAMES } from './migrations.js';
import { createPool } from './pool.js';
import { Sessions } from './sessions.js';
import type { Watcher } from './session.js';

const CONNECTIONS = 20;

/** Opens a database that has the current schema. */
export async function connect(url: string, options: OpenOptions = {}): Promise<Database> {
  const health = new DatabaseHealth();
  const listeners = new Set<(text: string) => void>();
  const watcher: Watcher = {
    onStatement: (text) => {
      for (const listener of listeners) listener(text);
    },
    onFault: (code, error) => {
      health.report(code);
      options.onFault?.(code, error);
    },
  };
  const pool = createPool({
    ...{ url, max: options.connections ?? CONNECTIONS },
    onLost: (error) => watcher.onFault('storage_unavailable', error),
  });
  const { examining = {}, connections = CONNECTIONS } = options;
  const sessions = new Sessions(pool, watcher, { connections, examining });
  const announcements = new Announcements(url, pool, () => sessions.forgetStatements());
  await announcements.start();
  const size = new Size();
  const limits = new SharedLimits(url, options.onUnshared);
  return {
    name: databaseName({ server: url }),
    ...handlesOf(sessions),
    ...{ health, verify: () => null, admit: () => undefined },
    snapshot: (scope, use) => sessions.read(scope, use),
    examine: (companyId, use) => sessions.examine(companyId, use),
    write: (scope, use, ofCompany) => sessions.write(scope, use, ofCompany),
    examining: () => sessions.examining,
    watchStatements: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    announce: (changes) => announcements.announce(changes),
    onAnnounced: (listener) => announcements.onAnnounced(listener),
    alone: announcements.alone,
    isShared: true,
    windows: (clock) => limits.windows(clock),
    windowFailures: () => limits.failures,
    checks: checksOf(sessions, health),
    bytes: () => ({ file: size.bytes, log: 0 }),
    connections: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: sessions.waiting,
    }),
    maintain: async () => void (await Promise.all([size.look(sessions), limits.deleteEnded()])),
    spoolPath: join(options.uploadFolder ?? 'data', `upload-${process.pid}-`),
    close: async () => {
      await limits.close();
      await announcements.close();
      await sessions.close();
    },
  };
}

function handlesOf(sessions: Sessions): Pick<Database, 'reads' | 'writes'> {
  return {
    reads: new Kysely<Tables>({ dialect: new ConnectionsDialect(new UnitConnections(sessions, 'read')) }),
    writes: new Kysely<Tables>({ dialect: new ConnectionsDialect(new UnitConnections(sessions, 'write')) }),
  };
}

class Size {
  bytes = 0;

  async look(sessions: Sessions): Promise<void> {
    this.bytes = await sessions.read(null, async (db) => {
      const { rows } = await sql<{
        bytes: number;
      }>`select pg_database_size(current_database()) as bytes`.execute(db);
      return rows[0]?.bytes ?? 0;
    });
  }
}

function checksOf(sessions: Sessions, health: DatabaseHealth): Database['checks'] {
  return {
    database: async () => {
      const isReadOnly = await sessions.read(null, async (db) => {
        const { rows } = await sql<{ read_only: boolean }>`select pg_is_in_recovery()
          or current_setting('default_transaction_read_only')::boolean as read_only`.execute(db);
        return rows[0]?.read_only ?? true;
      });
      if (isReadOnly) return 'storage_read_only';
      if (health.fault !== 'storage_full') health.recovered();
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
