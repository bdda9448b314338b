import type { CompiledQuery, DatabaseConnection, QueryExecutor, QueryResult } from 'kysely';

/** By the executor of a handle that has one connection. */
const connections = new WeakMap<QueryExecutor, DatabaseConnection>();

/**
 * Compiled statements of this handle go to its one connection at once: Kysely would acquire and release the connection,
 * which takes longer than SQLite needs for a row by its id.
 */
export function executeDirectly(executor: QueryExecutor, connection: DatabaseConnection): void {
  connections.set(executor, connection);
}

/** Runs a compiled statement of a handle. */
export function execute<R>(executor: QueryExecutor, query: CompiledQuery): Promise<QueryResult<R>> {
  const connection = connections.get(executor);
  return (connection ?? executor).executeQuery<R>(query);
}
