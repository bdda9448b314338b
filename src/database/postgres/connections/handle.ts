import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  Transaction,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type QueryResult,
  type RawNode,
} from 'kysely';

import type { Tables } from '../../../schema/schema.js';
import { executeDirectly } from '../../statements.js';
import { postgresNode } from '../../storage.js';

class Compiler extends PostgresQueryCompiler {
  protected override visitRaw(node: RawNode): void {
    super.visitRaw(postgresNode(node));
  }
}

/** One adapter for the whole process, because compiled SQL is cached by adapter. */
const ADAPTER = new PostgresAdapter();

const dialect: Dialect = {
  createDriver: () => new DummyDriver(),
  createQueryCompiler: () => new Compiler(),
  createAdapter: () => ADAPTER,
  createIntrospector: (db) => new PostgresIntrospector(db),
};
const base = new Kysely<Tables>({ dialect });
const props = { config: { dialect }, dialect, driver: dialect.createDriver() };

/**
 * A handle that builds statements for one connection, which begins and ends transactions itself. All handles
 * share everything else, so that one costs little.
 */
export function handleOn(
  executeQuery: <R>(query: CompiledQuery) => Promise<QueryResult<R>>,
): Transaction<Tables> {
  const connection: DatabaseConnection = {
    executeQuery,
    streamQuery: () => {
      throw new Error('This connection does not stream rows: read them in pages.');
    },
  };
  const executor = base.getExecutor().withConnectionProvider({ provideConnection: (use) => use(connection) });
  executeDirectly(executor, connection);
  return new Transaction<Tables>({ ...props, executor });
}
