import { RawNode, sql, type RawBuilder } from 'kysely';

/** SQL with one text for SQLite and another for PostgreSQL. */
interface PortableNode extends RawNode {
  readonly postgres: RawNode;
}

/**
 * Two SQL expressions with the same meaning, one for each database; the database that runs the query chooses.
 * Both must bind the same values in the same order. Only the SQL of `database/` and the declarations of the
 * schema call this.
 */
export function portable<T>(sqlite: RawBuilder<T>, postgres: RawBuilder<T>): RawBuilder<T> {
  const expression = {
    isRawBuilder: true,
    toOperationNode: (): PortableNode => ({
      ...sqlite.toOperationNode(),
      postgres: postgres.toOperationNode(),
    }),
  };
  return sql<T>`${expression}`;
}

/** The node that PostgreSQL runs. */
export function postgresNode(node: RawNode): RawNode {
  return 'postgres' in node ? (node as PortableNode).postgres : node;
}
