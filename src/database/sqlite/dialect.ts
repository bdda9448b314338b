import {
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type Kysely,
  type QueryCompiler,
} from 'kysely';

import type { SqliteConnection } from './connection.js';

/** The engine changes its schema within transactions, so a migration is kept whole or not at all. */
class WriterAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Reads never wait for each other: each is one synchronous call. */
class ReaderAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class ConnectionDriver implements Driver {
  constructor(private readonly connection: SqliteConnection) {}

  async init(): Promise<void> {
    // The connection is open already.
  }

  acquireConnection(): Promise<DatabaseConnection> {
    return Promise.resolve(this.connection);
  }

  beginTransaction(): Promise<void> {
    return this.connection.begin();
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
    // There is one, for everybody.
  }

  async destroy(): Promise<void> {
    await Promise.resolve(this.connection.database.close());
  }
}

export class SqliteConnectionDialect implements Dialect {
  constructor(
    private readonly connection: SqliteConnection,
    private readonly use: 'read' | 'write',
  ) {}

  createDriver(): Driver {
    return new ConnectionDriver(this.connection);
  }

  createQueryCompiler(): QueryCompiler {
    return new SqliteQueryCompiler();
  }

  createAdapter(): DialectAdapter {
    return this.use === 'read' ? new ReaderAdapter() : new WriterAdapter();
  }

  createIntrospector(db: Kysely<unknown>): DatabaseIntrospector {
    return new SqliteIntrospector(db);
  }
}
