import { RawNode, sql, type RawBuilder } from 'kysely';

/** SQL that is written in one way for SQLite and in another for PostgreSQL. */
interface PortableNode extends RawNode {
  readonly postgres: RawNode;
}

/**
 * The same meaning in the SQL of both databases; the database that runs the query chooses. Both must bind the same values
 * in the same order. Only the SQL of `database/` and the declarations of the schema call this.
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

/** What PostgreSQL runs of a node. */
export function postgresNode(node: RawNode): RawNode {
  return 'postgres' in node ? (node as PortableNode).postgres : node;
}
