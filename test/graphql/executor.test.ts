import 'reflect-metadata';
import fc from 'fast-check';
import { execute, getOperationAST, parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { GraphqlContext } from '../../src/graphql/execution/context.js';
import { executeQuery } from '../../src/graphql/execution/executor.js';
import { createSchema } from '../../src/app/schema.js';
import { Draw } from './drawn-selection.js';
import { populate } from '../support/populated.js';
import { servicesOf } from './operation-services.js';
import { startServer, type Member, type TestServer } from '../support/server.js';

const schema = await createSchema();

let server: TestServer;
let viewer: Member;
beforeAll(async () => {
  server = await startServer();
  await populate(server, server.acme, 3);
  viewer = await server.member('acme', 'viewer');
});
afterAll(async () => {
  await server.stop();
});

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown;

/** The results of both executors, and the records that each has counted. */
async function both(
  query: string,
  variables: Record<string, unknown> = {},
  { caller }: Member = server.acme,
) {
  const document = parse(query);
  const operation = getOperationAST(document);
  if (operation == null) throw new Error('No operation');
  const contexts = [1, 2].map(() => new GraphqlContext(caller, servicesOf(server)));
  const [context, other] = contexts as [GraphqlContext, GraphqlContext];
  const data = await executeQuery({ schema, document, operation, variables, context });
  const expected = await execute({ schema, document, variableValues: variables, contextValue: other });
  for (const { loaders } of contexts) loaders.finish();
  return { data, counted: context.counters.nodes, expected, expectedCount: other.counters.nodes };
}

describe('the level executor', () => {
  it('answers the same bytes as graphql-js for random queries', async () => {
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(1_000), { minLength: 40, maxLength: 120 }), async (choices) => {
        const root = schema.getQueryType();
        if (root == null) throw new Error('No queries');
        const query = `query ($yes: Boolean = true) ${new Draw(choices).selection(root, 5)}`;
        const { data, counted, expected, expectedCount } = await both(query);
        if (expected.errors !== undefined) {
          expect(data).toBeNull();
          return;
        }
        answered += 1;
        expect(JSON.stringify(data), query).toBe(JSON.stringify(expected.data));
        // A record that appears several times is read and counted once.
        expect(counted, query).toBeLessThanOrEqual(expectedCount);
        expect(counted > 0, query).toBe(expectedCount > 0);
      }),
      // A slow machine tries fewer.
      { numRuns: 250, plugins: [fc.interruptAfterTimeLimit(30_000)] },
    );
    expect(answered).toBeGreaterThan(30);
  });

  it('completes a record once, wherever it appears', async () => {
    const query = `{ logicalNumbers { nodes { appVersions { nodes { id number app { name } } } } } }`;
    const { data, expected } = await both(query);
    expect(plain(data)).toEqual(plain(expected.data));
    const { logicalNumbers } = data as {
      logicalNumbers: { nodes: { appVersions: { nodes: object[] } }[] };
    };
    const shown = logicalNumbers.nodes.flatMap(({ appVersions }) => appVersions.nodes);
    expect(shown.length).toBe(9);
    expect(new Set(shown).size).toBe(3);
  });

  it('completes interfaces', async () => {
    const ids = ['Group:1', 'Device:1', 'Group:1', 'Group:987654', 'x'].map((id) =>
      Buffer.from(id).toString('base64url'),
    );
    const query = `query ($ids: [ID!]!, $id: ID!) {
      nodes(ids: $ids) { __typename id ... on Group { name logicalNumbers { nodes { number } } } ...F }
      node(id: $id) { ...F ... on Node { databaseId } ... on Device @skip(if: true) { id } } }
      fragment F on Node { databaseId ... on Device { serialNumber logicalNumber { number } } }`;
    const { data, expected } = await both(query, { ids, id: ids[1] });
    expect(expected.errors).toBeUndefined();
    expect(JSON.stringify(data)).toBe(JSON.stringify(expected.data));
  });

  it.each<[string, string, Record<string, unknown>]>([
    [
      'variables that are none',
      'query ($first: Int!) { groups(first: $first) { totalCount } }',
      { first: 'x' },
    ],
    ['an argument out of range', '{ groups(first: 101) { nodes { name } } }', {}],
    ['a cursor that is none', '{ groups(after: "x") { nodes { name } } }', {}],
    ['what the schema says of itself', '{ __type(name: "Group") { name } }', {}],
    ['bytes', '{ files { nodes { content } } }', {}],
    ['a name with a meaning', '{ __proto__: viewer { role } }', {}],
  ])('leaves %s to graphql-js', async (_case, query, variables) => {
    const { data } = await both(query, variables);
    expect(data).toBeNull();
  });

  it('counts no records for what it leaves to graphql-js', async () => {
    const query = '{ groups { nodes { name } } users { nodes { name } } }';
    const { data, counted, expected } = await both(query, {}, viewer);
    expect({ data, counted }).toEqual({ data: null, counted: 0 });
    expect(expected.errors).toHaveLength(1);
  });

  it('answers null with an error for fields that a viewer may not see', async () => {
    const { body } = await viewer.graphql('{ viewer { role company { users { totalCount } } } }');
    expect(body.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
    const { body: seen } = await viewer.graphql('{ viewer { role } groups(first: 1) { nodes { name } } }');
    expect(seen).toMatchObject({
      data: { viewer: { role: 'VIEWER' }, groups: { nodes: [{ name: 'populated 0' }] } },
      extensions: { cost: { requested: 1, actual: 1 } },
    });
  });
});
