import 'reflect-metadata';
import { execute, getOperationAST, parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createSchema } from '../../src/app/schema.js';
import { GraphqlContext } from '../../src/graphql/execution/context.js';
import { executeQuery } from '../../src/graphql/execution/executor.js';
import { plannedText } from '../../src/graphql/plan/plan.js';
import { populate } from '../support/populated.js';
import { startServer, type TestServer } from '../support/server.js';
import { servicesOf } from './operation-services.js';

const schema = await createSchema();

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
  await populate(server, server.acme, 3);
});
afterAll(async () => {
  await server.stop();
});

async function expectPlanned(query: string, variables: Record<string, unknown> = {}) {
  const document = parse(query);
  const operation = getOperationAST(document);
  if (operation == null) throw new Error('No operation');
  const contexts = [1, 2, 3].map(() => new GraphqlContext(server.acme.caller, servicesOf(server)));
  const [context, other, third] = contexts as [GraphqlContext, GraphqlContext, GraphqlContext];
  const text = await plannedText({ schema, document, operation, variables, context });
  const expected = await execute({ schema, document, variableValues: variables, contextValue: other });
  const byLevels = await executeQuery({ schema, document, operation, variables, context: third });
  for (const { loaders } of contexts) loaders.finish();
  expect(text, query).toBe(JSON.stringify(expected.data));
  expect(byLevels).not.toBeNull();
  expect(context.counters.nodes, query).toBe(third.counters.nodes);
}

describe('a planned query', () => {
  it.each([
    '{ devices { nodes { id databaseId serialNumber enabled meta frameworkVersion revision createdAt updatedAt createdVia createdBy { email name } logicalNumber { number group { name } } } } }',
    '{ device(databaseId: 1) { id serialNumber createdBy { email } } other: device(databaseId: 99) { id } }',
    '{ groups(first: 10) { totalCount nodes { name logicalNumbers(first: 20) { totalCount nodes { number appVersions(first: 2) { totalCount pageInfo { hasNextPage endCursor startCursor hasPreviousPage } nodes { number app { name } files(first: 3) { nodes { name crc size } } } } } } } } }',
    '{ appVersions(last: 2) { edges { cursor node { __typename uuid size groups(last: 1) { edges { node { name } cursor } } modules(orderBy: { field: NUMBER, direction: DESC }) { nodes { number } } } } } }',
  ])('is the same as by resolvers: %s', async (query) => {
    await expectPlanned(query);
  });
});
