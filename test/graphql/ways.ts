import {
  getNamedType,
  getOperationAST,
  isInputObjectType,
  isObjectType,
  isRequiredArgument,
  parse,
} from 'graphql';
import type {
  DocumentNode,
  GraphQLField,
  GraphQLInputObjectType,
  GraphQLNamedType,
  GraphQLObjectType,
  OperationDefinitionNode,
} from 'graphql';

import { createSchema } from '../../src/app/graphql/schema.js';
import { findStoredResponse, storeResponse } from '../../src/database/stored-responses.js';
import { readContent } from '../../src/domain/software/app/content.service.js';
import type { OperationServices } from '../../src/graphql/execution/context.js';
import { SharedFeeds } from '../../src/graphql/execution/following/shared-feed.js';
import { createPlaces } from '../../src/platform/client-limits.js';
import type { TestServer } from '../support/server.js';

export const schema = await createSchema();

/** An operation that selects many records of a type; `pages` is the size of every page on the path. */
export type Way = (inner: string, pages: number) => string;

export function nodeOf(type: GraphQLNamedType): GraphQLObjectType | undefined {
  if (!isObjectType(type) || !type.name.endsWith('Connection')) return undefined;
  const nodes = type.getFields().nodes;
  const node = nodes === undefined ? undefined : schema.getType(getNamedType(nodes.type).name);
  return isObjectType(node) ? node : undefined;
}

/** Arguments that a field needs to have a result in the test data. */
const GIVEN: Readonly<Record<string, string>> = {
  transactionSummary: '(by: [STATUS, TRANSACTION_TYPE, APP_NAME, LOGICAL_NUMBER, GROUP])',
  deviceAt: '(serialNumber: "populated 0", at: "2100-01-01T00:00:00Z")',
};

/** Fields without required arguments, and not look-ups, which need one of several keys. */
export const askable = (type: GraphQLObjectType): GraphQLField<unknown, unknown>[] =>
  Object.values(type.getFields()).filter(
    ({ args }) => !args.some((argument) => isRequiredArgument(argument) || argument.name === 'databaseId'),
  );

/** Fields of a type that lead to others. */
const passable = (type: GraphQLObjectType): GraphQLField<unknown, unknown>[] => [
  ...askable(type),
  ...Object.values(type.getFields()).filter(
    ({ name, args }) => args.some(isRequiredArgument) && GIVEN[name] !== undefined,
  ),
];

/** The shortest path from the root to each object type, through lists where possible and through the given fields only. */
export function findWays(
  mayPass: (field: GraphQLField<unknown, unknown>) => boolean = () => true,
): Map<GraphQLObjectType, Way> {
  const query = schema.getQueryType();
  if (query == null) throw new Error('There is nothing to ask');
  const ways = new Map<GraphQLObjectType, Way>([[query, (inner) => `{ ${inner} }`]]);
  for (const [from, way] of ways) {
    const fields = passable(from)
      .filter(mayPass)
      .map((field) => ({ field, type: getNamedType(field.type) }));
    for (const { field, type } of fields.filter(({ type }) => nodeOf(type) !== undefined)) {
      add(nodeOf(type), (inner, pages) =>
        way(`${field.name}(first: ${pages}) { nodes { ${inner} } }`, pages),
      );
    }
    for (const { field, type } of fields.filter(({ type }) => nodeOf(type) === undefined)) {
      add(type, (inner, pages) => way(`${field.name}${GIVEN[field.name] ?? ''} { ${inner} }`, pages));
    }
  }
  ways.delete(query);
  return ways;

  function add(type: GraphQLNamedType | undefined, way: Way): void {
    if (isObjectType(type) && !ways.has(type)) ways.set(type, way);
  }
}

/** Each comparison of a filter: its column, its operator and the type of its value. */
export function comparisonsOf(type: GraphQLInputObjectType): readonly [string, string, string][] {
  return Object.values(type.getFields()).flatMap((column) => {
    const comparator = getNamedType(column.type);
    if (comparator === type || !isInputObjectType(comparator)) return [];
    return Object.values(comparator.getFields()).map((operator): [string, string, string] => [
      column.name,
      operator.name,
      String(operator.type),
    ]);
  });
}

const unused = (): Promise<never> => Promise.reject(new Error('These contexts have no sessions.'));

/** Fields of alert rules ask whether the server sends e-mails. */
const SESSIONS = { authenticate: unused, parts: { mail: { isOn: false } } };

/** Services shared by the contexts of a server, for tests that create contexts. */
export function servicesOf({ app: { units } }: TestServer, maxContentBytes = 1024): OperationServices {
  return {
    units,
    feeds: new SharedFeeds(units),
    storedResponses: { find: findStoredResponse, store: storeResponse },
    readContent: (companyId, contentId) => readContent(units, companyId, contentId),
    secretMutations: [],
    tokenSecret: '',
    sessions: SESSIONS,
    outgoing: { post: unused, problemOf: () => null },
    maxContentBytes,
    places: createPlaces(),
  };
}

/** A document of one operation. */
export function parsed(query: string): { document: DocumentNode; operation: OperationDefinitionNode } {
  const document = parse(query);
  const operation = getOperationAST(document);
  if (operation == null) throw new Error('No operation');
  return { document, operation };
}
