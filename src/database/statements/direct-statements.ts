import type { CompiledQuery, DatabaseConnection, QueryExecutor, QueryResult } from 'kysely';

/** Connections by the executor of a handle that has only one. */
const connections = new WeakMap<QueryExecutor, DatabaseConnection>();

/**
 * Sends the compiled statements of a handle directly to its only connection: Kysely would acquire and release
 * the connection, which takes longer than SQLite needs for a row by its id.
 */
export function executeDirectly(executor: QueryExecutor, connection: DatabaseConnection): void {
  connections.set(executor, connection);
}

/** Runs a compiled statement of a handle. */
export function execute<R>(executor: QueryExecutor, query: CompiledQuery): Promise<QueryResult<R>> {
  const connection = connections.get(executor);
  return (connection ?? executor).executeQuery<R>(query);
}
