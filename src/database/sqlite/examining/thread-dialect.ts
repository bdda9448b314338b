import {
  SqliteDialect,
  type CompiledQuery,
  type DatabaseConnection,
  type DialectAdapter,
  type Driver,
  type QueryResult,
} from 'kysely';

import { enterEventLoop } from '../../../platform/concurrency/event-loop.js';
import { ConnectionAdapter } from '../connections/dialect.js';
import { bound } from '../connections/statements.js';

/** Runs a statement; resolves to its rows. */
type Read = (sql: string, parameters: readonly unknown[]) => Promise<unknown[]>;

class ThreadConnection implements DatabaseConnection {
  constructor(private readonly read: Read) {}

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const rows = (await this.read(sql, bound(parameters))) as R[];
    // Results of several threads can arrive at the same time.
    await enterEventLoop();
    return { rows };
  }

  streamQuery(): never {
    throw new Error('This connection does not stream rows: read them in pages.');
  }
}

class ThreadDriver implements Driver {
  readonly #connection: ThreadConnection;

  constructor(read: Read) {
    this.#connection = new ThreadConnection(read);
  }

  async init(): Promise<void> {
    // The thread runs already.
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    return await Promise.resolve(this.#connection);
  }

  beginTransaction = refused;
  commitTransaction = refused;
  rollbackTransaction = refused;

  async releaseConnection(): Promise<void> {
    // The unit has the thread until its end.
  }

  async destroy(): Promise<void> {
    // The thread keeps running.
  }
}

async function refused(): Promise<void> {
  await Promise.reject(new Error('A unit that examines has one transaction, which only reads.'));
}

/** One adapter for all units, because compiled SQL is cached by adapter. */
const ADAPTER = new ConnectionAdapter();

export class ThreadDialect extends SqliteDialect {
  constructor(private readonly read: Read) {
    super({ database: () => Promise.reject(new Error('The connection is in a thread.')) });
  }

  override createDriver(): Driver {
    return new ThreadDriver(this.read);
  }

  override createAdapter(): DialectAdapter {
    return ADAPTER;
  }
}
