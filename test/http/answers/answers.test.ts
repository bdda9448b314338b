import 'reflect-metadata';
import fc from 'fast-check';
import { execute, getOperationAST, parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { GraphqlContext } from '../../../src/graphql/execution/context.js';
import { plannedText } from '../../../src/graphql/plan/plan.js';
import { nodeId } from '../../support/dashboard.js';
import { populate } from '../../support/populated.js';
import { startServer, type Member, type TestServer } from '../../support/server.js';
import { servicesOf } from '../../graphql/operation-services.js';
import { schema } from '../../graphql/ways.js';

let server: TestServer;
let members: Readonly<Record<'acme' | 'beta' | 'viewer' | 'elsewhere', Member>>;
beforeAll(async () => {
  server = await startServer();
  const { acme, beta } = server;
  for (const member of [acme, beta]) await populate(server, member, 3);
  members = {
    acme,
    beta,
    viewer: await server.member('acme', 'viewer'),
    elsewhere: await server.member('acme', 'admin', undefined, 'America/Sao_Paulo'),
  };
});
afterAll(async () => {
  await server.stop();
});

const QUERIES = [
  '{ devices(first: 50) { totalCount nodes { serialNumber frameworkVersion revision logicalNumber { number } } } }',
  '{ device(databaseId: 1) { serialNumber frameworkVersion createdBy { email } } }',
  '{ groups(first: 20) { nodes { name logicalNumbers(first: 5) { nodes { number } } } } }',
  '{ metacontents(first: 5) { nodes { key value } } }',
] as const;

/** Times of apps are in the time zone of the caller. */
const PATHS = [
  '/v1/devices?per_page=50',
  '/v1/devices/1',
  '/v1/groups?per_page=100',
  '/v1/groups?per_page=2&page=2',
  '/v1/apps',
] as const;

/** What is answered, and what is found in the database at once. */
type Ask = (member: Member) => Promise<{ readonly answer: string; readonly expected: string }>;

const asksOfGraphql = QUERIES.map((query): [string, Ask] => [
  query,
  async (member) => {
    const context = new GraphqlContext(member.caller, servicesOf(server));
    const expected = await execute({ schema, document: parse(query), contextValue: context });
    context.loaders.finish();
    const { body } = await member.graphql<object>(query);
    return { answer: JSON.stringify(body.data), expected: JSON.stringify(expected.data) };
  },
]);

let asked = 0;
const asksOfRest = PATHS.map((path): [string, Ask] => [
  path,
  async ({ client }) => {
    // A parameter that nobody reads, and nobody has sent yet.
    const fresh = await client.get(path, undefined, { query: { fresh: (asked += 1) } });
    const reply = await client.get(path);
    const shown = ({ status, headers, text }: typeof reply): string =>
      `${status} ${headers.get('etag')} ${text.replace(/"request_id":.*/, '')}`;
    return { answer: shown(reply), expected: shown(fresh) };
  },
]);

const ASKS: Readonly<Record<string, Ask>> = Object.fromEntries([...asksOfGraphql, ...asksOfRest]);

let changes = 0;
/** Each changes something that the queries show. */
const CHANGES: Readonly<Record<string, (member: Member) => Promise<unknown>>> = {
  '/v1': ({ client }) => client.post('/v1/devices', { serial_number: `answers ${(changes += 1)}` }),
  GraphQL: ({ graphql }) =>
    graphql('mutation ($name: String!) { groupCreate(input: { name: $name }) { group { id } } }', {
      name: `answers ${(changes += 1)}`,
    }),
  'the change of one record': ({ graphql }) =>
    graphql(
      'mutation ($id: ID!, $name: String!) { groupUpdate(id: $id, input: { name: $name }) { group { id } } }',
      {
        id: nodeId('Group', 1),
        name: `changed ${(changes += 1)}`,
      },
    ),
  'another process': ({ caller }) =>
    server.place.sql('update devices set framework_version = $1 where company_id = $2', [
      `f${(changes += 1)}`,
      caller.companyId,
    ]),
  'a change that fails': ({ client }) => client.post('/v1/devices', {}),
};

describe('kept answers', () => {
  const readers: readonly [string, (member: Member) => Promise<unknown>][] = [
    ...QUERIES.map((query) => [query, ({ graphql }: Member) => graphql(query)] as const),
    ...PATHS.filter((path) => path !== '/v1/apps').map(
      (path) => [path, ({ client }: Member) => client.get(path)] as const,
    ),
  ].map(([name, read]) => [name, read]);

  it.each(readers)('of %s need no statement', async (_what, read) => {
    const { acme } = members;
    // The token is looked up.
    await acme.graphql('{ viewer { role } }');
    let count = 0;
    const { result: counts } = await server.statements(async () => {
      const unwatch = server.app.database.watchStatements(() => void (count += 1));
      const after: number[] = [];
      for (let time = 0; time < 3; time += 1) {
        await read(acme);
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

  it.each(Object.entries(CHANGES))('are not used after %s', async (by, change) => {
    let differing = 0;
    for (const ask of Object.values(ASKS)) {
      for (let time = 0; time < 2; time += 1) await ask(members.acme);
      const former = await ask(members.acme);
      await change(members.acme);
      const { answer, expected } = await ask(members.acme);
      expect(answer).toBe(expected);
      if (answer !== former.answer) differing += 1;
    }
    if (by !== 'a change that fails') expect(differing).toBeGreaterThan(0);
  });

  it('are those of the company, the rights, the time zone and the state of the database', async () => {
    const who = fc.constantFrom('acme', 'beta', 'viewer', 'elsewhere');
    const ask = fc.record({ who, ask: fc.constantFrom(...Object.keys(ASKS)) });
    const by = fc.constantFrom(...Object.keys(CHANGES));
    const change = fc.record({ who: fc.constantFrom('acme', 'beta'), by });
    const step = fc.oneof({ weight: 4, arbitrary: ask }, { weight: 1, arbitrary: change });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
        for (const each of steps) {
          const member = members[each.who];
          if ('by' in each) {
            await CHANGES[each.by]?.(member);
            continue;
          }
          const found = await ASKS[each.ask]?.(member);
          expect(found?.answer).toBe(found?.expected);
        }
      }),
      { numRuns: 10 },
    );
  });

  it('contain what had changed when they were read, not when they were made', async () => {
    const services = servicesOf(server);
    const document = parse(QUERIES[2]);
    const operation = getOperationAST(document);
    if (operation == null) throw new Error('No operation');
    const text = async (prepare: (context: GraphqlContext) => Promise<unknown>) => {
      const context = new GraphqlContext(members.acme.caller, services);
      await prepare(context);
      const found = await plannedText({ schema, document, operation, variables: {}, context });
      context.loaders.finish();
      return found;
    };
    const nothing = (): Promise<void> => Promise.resolve();
    expect(await text(nothing)).toContain('logicalNumbers');
    const before = await text(async ({ loaders }) => {
      // Opens its unit of work.
      await loaders.read(({ db }) => db.selectFrom('groups').select('id').limit(1).execute(), false);
      await CHANGES['the change of one record']?.(members.acme);
    });
    const after = await text(nothing);
    expect(after).not.toBe(before);
  });

  it('are not given to those who may not read', async () => {
    const { graphql, client } = await server.member('acme', 'admin', ['ingest']);
    for (const query of QUERIES) {
      for (let time = 0; time < 3; time += 1) await members.acme.graphql(query);
      const { body } = await graphql(query);
      expect(JSON.stringify(body)).toContain('FORBIDDEN');
    }
    for (const path of PATHS) {
      for (let time = 0; time < 3; time += 1) await members.acme.client.get(path);
      expect((await client.get(path)).status).toBe(403);
    }
  });

  it('of more than 64 KiB have the same bytes each time, and follow a change', async () => {
    const { client, token } = await server.member('beta', 'admin');
    for (let n = 0; n < 30; n += 1)
      await client.post('/v1/groups', { name: `${n} ${'Ação 😀 €'.repeat(12)}` });
    const lists = Array.from(
      { length: 12 },
      (_none, n) => `g${n}: groups(first: ${50 + n}) { nodes { name } }`,
    );
    const query = `{ ${lists.join(' ')} }`;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const post = async (): Promise<string> => {
      const body = JSON.stringify({ query });
      return await (await fetch(`${server.url}/graphql`, { method: 'POST', headers, body })).text();
    };
    const path = `${server.url}/graphql?query=${encodeURIComponent(query)}`;
    const get = async (): Promise<string> => await (await fetch(path, { headers })).text();
    const dataOf = (text: string): unknown => (JSON.parse(text) as { data: unknown }).data;
    const first = await post();
    expect(Buffer.byteLength(first)).toBeGreaterThan(64 * 1024);
    for (const ask of [post, post, get, post, get]) expect(await ask()).toBe(first);
    const context = new GraphqlContext(server.beta.caller, servicesOf(server));
    const { data } = await execute({ schema, document: parse(query), contextValue: context });
    context.loaders.finish();
    expect(dataOf(first)).toEqual(JSON.parse(JSON.stringify(data)));
    await client.post('/v1/groups', { name: 'Depois é 😀' });
    for (const ask of [post, get]) expect(await ask()).toContain('Depois é 😀');
  });
});
