import { Kysely, Transaction, type DatabaseConnection } from 'kysely';

import type { Tables } from '../../../schema/schema.js';
import { executeDirectly } from '../../statements/cached-query.js';
import { ConnectionsDialect } from './dialect.js';

const none = (): never => {
  throw new Error('A handle has the connection of its unit only.');
};

const dialect = new ConnectionsDialect({
  acquireConnection: none,
  releaseConnection: none,
  beginTransaction: none,
  commitTransaction: none,
  rollbackTransaction: none,
});
const base = new Kysely<Tables>({ dialect });
const props = { config: { dialect }, dialect, driver: dialect.createDriver() };

/**
 * The handle with which a unit of work builds its statements. All handles share everything except the
 * connection, as on SQLite (see `Transactions`).
 */
export function handleOf(connection: DatabaseConnection): Transaction<Tables> {
  const executor = base.getExecutor().withConnectionProvider({ provideConnection: (use) => use(connection) });
  executeDirectly(executor, connection);
  return new Transaction<Tables>({ ...props, executor });
}
