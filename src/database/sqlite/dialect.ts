import {
  SqliteAdapter,
  SqliteDialect,
  type DatabaseConnection,
  type DialectAdapter,
  type Driver,
} from 'kysely';

import { systemClock } from '../../platform/clock.js';
import type { SqliteConnection } from './connection.js';
import { currentOwner } from '../../platform/concurrency/event-loop.js';
import type { Release } from '../../platform/concurrency/semaphore.js';
import { MAX_WRITE_WAIT_MS, type Writers } from './writer.js';

/** SQLite can change its schema within a transaction, so a migration is applied entirely or not at all. */
export class ConnectionAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  /** Keeps Kysely from serializing callers: the driver has its own queue, with a time limit. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** Read statements are synchronous calls and never wait for each other. Write transactions run one at a time. */
class ConnectionDriver implements Driver {
  #deadline = 0;
  #release: Release | undefined;

  constructor(
    private readonly connection: SqliteConnection,
    private readonly writers: Writers | null,
  ) {}

  async init(): Promise<void> {
    // The connection is already open.
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const deadline = systemClock.elapsed() + MAX_WRITE_WAIT_MS;
    this.#release = await this.writers?.acquire(currentOwner().party);
    this.#deadline = deadline;
    return this.connection;
  }

  async beginTransaction(): Promise<void> {
    await this.connection.begin(this.#deadline);
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
    this.#release?.();
    await Promise.resolve();
  }

  async destroy(): Promise<void> {
    await Promise.resolve(this.connection.database.close());
  }
}

export class SqliteConnectionDialect extends SqliteDialect {
  constructor(
    private readonly connection: SqliteConnection,
    /** Null where the connection only reads. */
    private readonly writers: Writers | null,
  ) {
    super({ database: connection.database });
  }

  override createDriver(): Driver {
    return new ConnectionDriver(this.connection, this.writers);
  }

  override createAdapter(): DialectAdapter {
    return new ConnectionAdapter();
  }
}
