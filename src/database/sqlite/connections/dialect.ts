import {
  SqliteAdapter,
  SqliteDialect,
  type DatabaseConnection,
  type DialectAdapter,
  type Driver,
} from 'kysely';

import { systemClock } from '../../../platform/clock.js';
import { type WriteGroups, type WritingUnit, MAX_WRITE_WAIT_MS } from '../writes/groups.js';
import type { SqliteConnection } from './connection.js';

/** SQLite can change its schema within a transaction, so a migration is applied entirely or not at all. */
export class ConnectionAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  /** Keeps Kysely from serializing callers: reads never wait, and writers have their own queue. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** Driver of a connection that only reads, or that has a single user. */
class ConnectionDriver implements Driver {
  constructor(private readonly connection: SqliteConnection) {}

  async init(): Promise<void> {
    // The connection is already open.
  }

  acquireConnection(): Promise<DatabaseConnection> {
    return Promise.resolve(this.connection);
  }

  async beginTransaction(): Promise<void> {
    await this.connection.begin(systemClock.elapsed() + MAX_WRITE_WAIT_MS);
  }

  async commitTransaction(): Promise<void> {
    this.connection.commit();
    await Promise.resolve();
  }

  async rollbackTransaction(): Promise<void> {
    this.connection.rollback();
    await Promise.resolve();
  }

  async releaseConnection(): Promise<void> {
    // The connection stays open.
  }

  async destroy(): Promise<void> {
    await Promise.resolve(this.connection.database.close());
  }
}

/**
 * Driver for statements that are committed alone. Transactions are units of groups, which `Transactions`
 * begins.
 */
class GroupDriver implements Driver {
  constructor(private readonly groups: WriteGroups) {}

  async init(): Promise<void> {
    // The connection is already open.
  }

  acquireConnection(): Promise<WritingUnit> {
    return this.groups.acquire();
  }

  readonly beginTransaction = refused;
  readonly commitTransaction = refused;
  readonly rollbackTransaction = refused;

  async releaseConnection(unit: WritingUnit): Promise<void> {
    unit.release();
    await Promise.resolve();
  }

  async destroy(): Promise<void> {
    await Promise.resolve(this.groups.connection.database.close());
  }
}

async function refused(): Promise<void> {
  await Promise.reject(new Error('Use Database.write for a transaction.'));
}

export class SqliteConnectionDialect extends SqliteDialect {
  constructor(
    private readonly connection: SqliteConnection,
    /** Null if the connection only reads, or has a single user. */
    private readonly groups: WriteGroups | null,
  ) {
    super({ database: connection.database });
  }

  override createDriver(): Driver {
    return this.groups === null ? new ConnectionDriver(this.connection) : new GroupDriver(this.groups);
  }

  override createAdapter(): DialectAdapter {
    return new ConnectionAdapter();
  }
}
