import 'reflect-metadata';
import fc from 'fast-check';
import { execute, parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { GraphqlContext } from '../../../src/graphql/execution/context.js';
import { populate } from '../../support/populated.js';
import { startServer, type Member, type TestServer } from '../../support/server.js';
import { servicesOf } from '../operation-services.js';
import { schema } from '../ways.js';

let server: TestServer;
let members: Readonly<Record<'acme' | 'beta' | 'viewer', Member>>;
beforeAll(async () => {
  server = await startServer();
  const { acme, beta } = server;
  for (const member of [acme, beta]) await populate(server, member, 3);
  members = { acme, beta, viewer: await server.member('acme', 'viewer') };
});
afterAll(async () => {
  await server.stop();
});

const QUERIES = [
  '{ devices(first: 50) { totalCount nodes { serialNumber frameworkVersion revision logicalNumber { number } } } }',
  '{ device(databaseId: 1) { serialNumber frameworkVersion createdBy { email } } }',
  '{ groups(first: 20) { nodes { name logicalNumbers(first: 5) { nodes { number } } } } }',
] as const;

/** What GraphQL answers over HTTP, and what the resolvers find at once. */
async function answersOf(member: Member, query: string) {
  const context = new GraphqlContext(member.caller, servicesOf(server));
  const expected = await execute({ schema, document: parse(query), contextValue: context });
  context.loaders.finish();
  const { body } = await member.graphql<object>(query);
  return { data: JSON.stringify(body.data), expected: JSON.stringify(expected.data) };
}

let changes = 0;
/** Each changes something that the queries show. */
const CHANGES: Readonly<Record<string, (member: Member) => Promise<unknown>>> = {
  '/v1': ({ client }) =>
    client.post('/v1/devices', { device: { serial_number: `answers ${(changes += 1)}` } }),
  GraphQL: ({ graphql }) =>
    graphql('mutation ($name: String!) { groupCreate(input: { name: $name }) { group { id } } }', {
      name: `answers ${(changes += 1)}`,
    }),
  'the change of one record': ({ client }) =>
    client.put('/v1/devices/1', { device: { framework_version: `f${(changes += 1)}` } }),
  'another process': ({ caller }) =>
    server.place.sql('update devices set framework_version = $1 where company_id = $2 and id = 1', [
      `f${(changes += 1)}`,
      caller.companyId,
    ]),
  'a change that fails': ({ client }) => client.post('/v1/devices', { device: {} }),
};

describe('kept answers', () => {
  it.each(QUERIES)('of %s need no statement', async (query) => {
    const { acme } = members;
    // The token is looked up.
    await acme.graphql('{ viewer { role } }');
    let count = 0;
    const { result: counts } = await server.statements(async () => {
      const unwatch = server.app.database.watchStatements(() => void (count += 1));
      const after: number[] = [];
      for (let time = 0; time < 3; time += 1) {
        await acme.graphql(query);
        after.push(count);
      }
      unwatch();
      return after;
    });
    const [first = 0, second, third] = counts;
    expect(first).toBeGreaterThan(0);
    // Nodes of PostgreSQL learn of what others commit only after it.
    const isKept = server.app.database.changes !== null;
    expect([second, third]).toEqual(isKept ? [2 * first, 2 * first] : [2 * first, 3 * first]);
  });

  it.each(Object.entries(CHANGES))('are not used after %s', async (_by, change) => {
    for (const query of QUERIES) {
      for (let time = 0; time < 3; time += 1) await answersOf(members.acme, query);
      await change(members.acme);
      const { data, expected } = await answersOf(members.acme, query);
      expect(data).toBe(expected);
    }
  });

  it('are those of the company, the rights and the state of the database', async () => {
    const who = fc.constantFrom('acme', 'beta', 'viewer');
    const ask = fc.record({ who, query: fc.constantFrom(...QUERIES) });
    const change = fc.record({
      who: fc.constantFrom('acme', 'beta'),
      by: fc.constantFrom(...Object.keys(CHANGES)),
    });
    const step = fc.oneof({ weight: 4, arbitrary: ask }, { weight: 1, arbitrary: change });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
        for (const each of steps) {
          const member = members[each.who];
          if ('by' in each) {
            await CHANGES[each.by]?.(member);
            continue;
          }
          const { data, expected } = await answersOf(member, each.query);
          expect(data).toBe(expected);
        }
      }),
      { numRuns: 20, plugins: [fc.interruptAfterTimeLimit(15_000)] },
    );
  });

  it('are not given to those who may not read', async () => {
    const { graphql } = await server.member('acme', 'admin', ['ingest']);
    for (const query of QUERIES) {
      for (let time = 0; time < 3; time += 1) await members.acme.graphql(query);
      const { body } = await graphql(query);
      expect(JSON.stringify(body)).toContain('FORBIDDEN');
    }
  });
});
