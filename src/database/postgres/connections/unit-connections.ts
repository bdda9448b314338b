import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';

import type { Connections } from './dialect.js';
import type { Session } from './session.js';
import type { Sessions, TakenSession } from './sessions.js';

/**
 * A connection for work above companies. Outside of a transaction, each statement is a transaction of its
 * own.
 */
class UnitConnection implements DatabaseConnection {
  #isOpen = false;

  constructor(readonly taken: TakenSession) {}

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { session } = this.taken;
    if (this.#isOpen) return await session.executeQuery<R>(query);
    await this.begin();
    try {
      const result = await session.executeQuery<R>(query);
      await this.end('commit');
      return result;
    } catch (error) {
      await this.end('rollback').catch(() => undefined);
      throw error;
    }
  }

  streamQuery(): never {
    throw new Error('This connection does not stream rows: read them in pages.');
  }

  async begin(): Promise<void> {
    await this.taken.begin();
    this.#isOpen = true;
  }

  async end(command: Parameters<Session['end']>[0]): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.taken.session.end(command);
  }
}

/** Connections for handles outside of units of work, taken for one statement or for one transaction. */
export class UnitConnections implements Connections {
  constructor(
    private readonly sessions: Sessions,
    private readonly kind: 'read' | 'write',
  ) {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return new UnitConnection(await this.sessions.take(this.kind));
  }

  releaseConnection(connection: DatabaseConnection): Promise<void> {
    (connection as UnitConnection).taken.release();
    return Promise.resolve();
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as UnitConnection).begin();
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as UnitConnection).end('commit');
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as UnitConnection).end('rollback').catch(() => undefined);
  }
}
