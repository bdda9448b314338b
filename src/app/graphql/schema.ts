import { isInterfaceType, OperationTypeNode, type GraphQLSchema } from 'graphql';
import { buildSchema, type ClassType, type NonEmptyArray } from 'type-graphql';

import { graphqlModule, useDeclaredResolvers } from '../../graphql/schema/fields.js';
import { useTypesOfFilters } from '../../graphql/schema/target.js';
import { exportScheduleGraphql } from './export-schedule.graphql.js';
import { exportGraphql } from './export.graphql.js';
import * as modules from './graphql-modules.js';
import { nodeLookupGraphql, nodeSources } from './node-lookup.graphql.js';
import { revertGraphql } from './revert.graphql.js';

/** Subscriptions read from the database, but type-graphql requires a publish-subscribe engine. */
const NO_TOPICS = {
  publish: () => undefined,
  subscribe: () => {
    throw new Error('Subscriptions do not use topics');
  },
};

let schema: Promise<GraphQLSchema> | undefined;

/** The GraphQL schema: the modules of all resources, `node`, `nodes` and `LedgerEntry.entity`. All servers of a process share it. */
export function createSchema(): Promise<GraphQLSchema> {
  return (schema ??= buildSchemaOfModules());
}

async function buildSchemaOfModules(): Promise<GraphQLSchema> {
  const { roots } = graphqlModule(
    nodeLookupGraphql,
    revertGraphql,
    exportGraphql,
    exportScheduleGraphql,
    ...Object.values(modules),
  );
  const schema = await buildSchema({
    resolvers: roots as NonEmptyArray<ClassType>,
    validate: false,
    // A query of the whole schema, which takes longer than to build it. Tests compare the schema with the released one.
    skipCheck: true,
    pubSub: NO_TOPICS,
  });
  requireNodeSources(schema);
  useDeclaredResolvers(schema);
  useTypesOfFilters(schema);
  describeRoots(schema);
  return schema;
}

/** Fails if `node(id:)` cannot find the records of a type that has global ids. */
function requireNodeSources(schema: GraphQLSchema): void {
  const node = schema.getType('Node');
  if (!isInterfaceType(node)) throw new Error('The schema has no interface Node');
  for (const { name } of schema.getPossibleTypes(node)) {
    if (!nodeSources.has(name))
      throw new Error(`node(id:) cannot find a ${name}: its graphqlModule has no nodes`);
  }
}

const ROOTS = new Map([
  [OperationTypeNode.QUERY, 'Operations that read.'],
  [
    OperationTypeNode.MUTATION,
    'Operations that change data. The fields of one operation run one after another.',
  ],
  [
    OperationTypeNode.SUBSCRIPTION,
    'Operations that send events as they happen, over WebSocket or server-sent events.',
  ],
]);

/** Descriptions of the root types, for which type-graphql has no option. */
function describeRoots(schema: GraphQLSchema): void {
  for (const [operation, description] of ROOTS) {
    const type = schema.getRootType(operation);
    if (type) type.description = description;
  }
}
