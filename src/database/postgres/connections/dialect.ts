import {
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type Kysely,
  type QueryCompiler,
  type RawNode,
} from 'kysely';

import { postgresNode } from '../../statements/portable.js';

class Compiler extends PostgresQueryCompiler {
  protected override visitRaw(node: RawNode): void {
    super.visitRaw(postgresNode(node));
  }
}

/** One adapter for the whole process, because compiled SQL is cached by adapter. */
const ADAPTER = new PostgresAdapter();

/** Provides connections for statements, and begins and ends the transactions of `Kysely.transaction`. */
export type Connections = Pick<
  Driver,
  'acquireConnection' | 'releaseConnection' | 'beginTransaction' | 'commitTransaction' | 'rollbackTransaction'
>;

export class ConnectionsDialect implements Dialect {
  constructor(private readonly connections: Connections) {}

  createDriver(): Driver {
    const { connections } = this;
    return {
      init: () => Promise.resolve(),
      destroy: () => Promise.resolve(),
      acquireConnection: () => connections.acquireConnection(),
      releaseConnection: (connection: DatabaseConnection) => connections.releaseConnection(connection),
      beginTransaction: (connection, settings) => connections.beginTransaction(connection, settings),
      commitTransaction: (connection) => connections.commitTransaction(connection),
      rollbackTransaction: (connection) => connections.rollbackTransaction(connection),
    };
  }

  createQueryCompiler(): QueryCompiler {
    return new Compiler();
  }

  createAdapter(): DialectAdapter {
    return ADAPTER;
  }

  createIntrospector(db: Kysely<unknown>): DatabaseIntrospector {
    return new PostgresIntrospector(db);
  }
}
