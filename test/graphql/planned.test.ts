import fc from 'fast-check';
import { execute, validate, type ExecutionResult, type GraphQLError } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';

import { GraphqlContext } from '../../src/graphql/execution/context.js';
import type { Executable } from '../../src/graphql/execution/long-input.js';
import { errorsShown } from '../../src/graphql/execution/mask.js';
import { plannedResult, type PlanOptions } from '../../src/graphql/plan/plan.js';
import { HOUR } from '../../src/platform/clock.js';
import { nodeId } from '../support/dashboard.js';
import { insertRows } from '../support/databases/rows.js';
import { populate } from '../support/populated.js';
import { useServer, type Member } from '../support/server.js';
import { fails } from '../support/terminals.js';
import { overHttp, overSocket, overStream, responseIn } from '../support/transports.js';
import { DrawnQueries } from './drawn-query.js';
import { parsed, schema, servicesOf } from './ways.js';

const ODD = 'odd "text" \\ / \u0001\t\u2028 é 😀 </script> %_';

const server = useServer();
let viewer: Member;
beforeAll(async () => {
  await populate(server, server.acme, 3);
  viewer = await server.member('acme', 'viewer');
  const { place, acme } = server;
  const ago = (hours: number): Date => new Date(server.clock.now().getTime() - hours * HOUR);
  for (const [device, hours] of [
    [1, 0],
    [2, 1],
    [3, 25],
  ] as const) {
    const own = [ago(hours), acme.caller.companyId, device];
    await place.sql(
      'update device_presence set last_seen_at = $1 where company_id = $2 and device_id = $3',
      own,
    );
  }
  const id = 900;
  const common = { company_id: acme.caller.companyId, id, revision: 7, created_via: 'interface' };
  const at = { created_at: new Date(1), updated_at: new Date(Date.UTC(2026, 10, 22)) };
  const audit = { ...common, ...at, created_by: acme.caller.userId };
  await insertRows(place, 'groups', [{ ...audit, name: ODD }]);
  await insertRows(place, 'logical_numbers', [{ ...audit, number: ODD, group_id: id }]);
  const meta = '{ "b" : 1.50,"a":["\\u2028",null ,"\\ud800"], "1":{"x":1e3} }';
  await insertRows(place, 'devices', [
    { ...audit, serial_number: ODD, enabled: false, meta, logical_number_id: id, framework_version: ODD },
    { ...audit, id: id + 1, serial_number: `${ODD}2`, enabled: true, meta: '{}', logical_number_id: id },
  ]);
});

/** The answers of plans and of graphql-js, and the records that each has counted. */
async function answersTo(query: string, variables: Record<string, unknown>, { caller }: Member) {
  const { document, operation } = parsed(query);
  expect(validate(schema, document), query).toEqual([]);
  const contexts = [1, 2].map(() => new GraphqlContext(caller, servicesOf(server)));
  const [context, other] = contexts as [GraphqlContext, GraphqlContext];
  const executable = { schema, document, operation, variables };
  const executed = async (
    part: Pick<Executable, 'document' | 'operation'>,
    contextValue: GraphqlContext,
  ): Promise<ExecutionResult> => {
    const args = { schema, document: part.document, variableValues: variables, contextValue };
    const found = await execute(args);
    if (found.errors === undefined) return found;
    return { ...found, errors: errorsShown({ ...executable, ...part }, found.errors) };
  };
  // The second one begins when the first one has left its connection: some reads have few places.
  const result = await plannedResult(
    { ...executable, context },
    async (others) => await executed(others, context),
    PLANS,
  ).finally(() => context.loaders.finish());
  const expected = await executed(executable, other).finally(() => other.loaders.finish());
  const [counted, expectedCount] = contexts.map(({ counters: { nodes, entries } }) => ({ nodes, entries }));
  return { result, expected, counted, expectedCount };
}

const PLANS: PlanOptions = { usesPlans: true, countQuery: () => undefined, onError: fails };

/** Errors by their paths: fields that are read at the same time may fail in any order. */
const inOrder = (errors: readonly GraphQLError[] | undefined): readonly GraphQLError[] | undefined =>
  errors?.toSorted((one, other) => JSON.stringify(one.path).localeCompare(JSON.stringify(other.path)));

/** Whether fields of the query were planned; then its answer is the same. */
async function isPlanned(query: string, variables: Record<string, unknown> = {}, member = server.acme) {
  const { result, expected, counted, expectedCount } = await answersTo(query, variables, member);
  const shown = `${query} ${JSON.stringify(variables)}`;
  if (result?.planned === undefined) {
    expect(counted).toEqual({ nodes: 0, entries: 0 });
    return false;
  }
  const { data, errors, planned } = result;
  expect(inOrder(errors), shown).toEqual(inOrder(expected.errors));
  const texts = planned.keys.map(
    (key) => `${JSON.stringify(key)}:${planned.texts.get(key) ?? JSON.stringify(data?.[key])}`,
  );
  expect(data === null, shown).toBe(expected.data === null);
  if (data === null) return true;
  // Placeholders of contents are random.
  const withoutPlaceholders = (text: string): string =>
    text.replaceAll(/"content:[0-9a-f]+:\d+;/g, '"content');
  expect(withoutPlaceholders(`{${texts.join()}}`), shown).toBe(
    withoutPlaceholders(JSON.stringify(expected.data)),
  );
  // A record that appears several times is read once and counted each time.
  expect(counted, shown).toEqual(expectedCount);
  return true;
}

/** Draws queries; resolves to how many were planned. Cursors of their answers go into later ones. */
async function drawPlans(numRuns: number): Promise<number> {
  const root = schema.getQueryType();
  if (root == null) throw new Error('No queries');
  const texts = ['populated 0', 'populated 1', ODD, 'of colleague', '1', 'shared'];
  const types = ['Group', 'Device', 'LogicalNumber', 'App', 'AppVersion', 'File'];
  const ids = types.flatMap((type) => [1, 2, 900].map((id) => nodeId(type, id)));
  const cursors: string[] = [];
  let planned = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(1_000), { minLength: 60, maxLength: 160 }), async (choices) => {
      const { query, variables } = new DrawnQueries(choices, { texts, ids, cursors }).query(root);
      const member = (choices[1] ?? 0) % 5 === 0 ? viewer : server.acme;
      if (await isPlanned(query, variables, member)) planned += 1;
      const reply = await member.graphql(query, variables);
      for (const [, cursor = ''] of reply.text.matchAll(/ursor":"([^"]+)"/g)) {
        if (cursors.length < 300) cursors.push(cursor);
      }
    }),
    { numRuns },
  );
  return planned;
}

/** Statements that read columns, not whole records. */
const planned = (statements: readonly string[]): string[] =>
  statements.filter((text) => /"(groups|logical_numbers|members)" as/.test(text));

describe('a planned query', () => {
  it('answers the same bytes as graphql-js, and counts the same records', async () => {
    expect(await drawPlans(120)).toBeGreaterThan(8);
  });

  it.each([
    '{ devices { nodes { id databaseId serialNumber enabled meta frameworkVersion revision createdAt updatedAt createdVia createdBy { email name } logicalNumber { number group { name } } } } }',
    '{ devices { totalCount nodes { presence lastSeenAt again: presence logicalNumber { devices { nodes { presence } } } } } device(databaseId: 2) { presence lastSeenAt } }',
    '{ devices(orderBy: { field: LAST_SEEN_AT, direction: DESC }, filter: { presence: { in: [ONLINE, OFFLINE, NEVER_SEEN] } }) { totalCount pageInfo { endCursor } nodes { id lastSeenAt presence } } }',
    '{ device(databaseId: 1) { id serialNumber createdBy { email } } other: device(databaseId: 99) { id } }',
    '{ device(serialNumber: "populated 1") { id } none: device(serialNumber: "x") { id } a: app(name: "populated 1.posxml") { kind language communicationFormat } }',
    '{ groups(first: 10) { totalCount nodes { name logicalNumbers(first: 20) { totalCount nodes { number appVersions(first: 2) { totalCount pageInfo { hasNextPage endCursor startCursor hasPreviousPage } nodes { number app { name } files(first: 3) { nodes { name crc size } } } } } } } } }',
    '{ appVersions(last: 2) { edges { cursor node { __typename uuid size groups(last: 1) { edges { node { name } cursor } } modules(orderBy: { field: NUMBER, direction: DESC }) { nodes { number } } } } } }',
    '{ devices(first: 0) { nodes { id } edges { cursor } pageInfo { hasNextPage endCursor } totalCount } }',
    '{ parameters { totalCount nodes { id key value description createdBy { name } group { name } logicalNumber { number } } } }',
    '{ groups { nodes { metacontents { nodes { key value again: value } } parameters(first: 1) { nodes { key } } } } }',
    '{ ledger(first: 50, orderBy: { field: SEQUENCE, direction: DESC }) { nodes { sequence at channel action entityType entityId before after actor { name } } } }',
    '{ notifications { nodes { content kind range expiresAt group { name } app { name } } } }',
    '{ transactions { totalCount nodes { transactionType serialNumber logicalNumber appName detail frameworkVersion status startedAt finishedAt reference } } }',
    '{ __proto__: groups { nodes { __proto__: name } } }',
    '{ appVersions { nodes { number sha256 files { nodes { name sha256 again: sha256 } } } } }',
    '{ transactions { nodes { databaseId parsed { amount } } } }',
    '{ appVersions { nodes { reach { __typename granted current } } } }',
    '{ logicalNumbers { nodes { effectiveParameters { key source overridden { id key createdAt group { name } } } } } }',
    '{ appVersions { nodes { reach { granted overdue again: overdue } logicalNumbers { nodes { appVersions { nodes { reach { overdue } } } } } } } }',
    '{ devices { nodes { paramsDat { name crc since } files { name isCurrent } manifest { etag paramsDat apps { name modules { name } } files { name } omissions { kind reason } } lastRefusal { __typename } } } }',
    '{ devices { nodes { software { state since attempts device { serialNumber logicalNumber { devices { nodes { software { appVersion { number sha256 } } } } } } } } } }',
    '{ ledger(first: 100) { nodes { jobId entityKind changes { field before after recordIds } } } }',
    '{ alertRules { nodes { problems webhookId recipientIds on { refused { __typename } deliveriesFailed { __typename } } } } alerts { nodes { rule { name problems } } } }',
    '{ rollouts { nodes { waves { state passedByPerson payments { from } } stopWhen { __typename } deadline window { from } terminals { nodes { wave device { serialNumber } } } } } }',
    '{ notifications { nodes { content summary { queued sent delivered } } } webhooks { nodes { state nextAttemptAt } } }',
    '{ devices { nodes { serialNumber transactions(first: 2) { totalCount nodes { databaseId status } } } } }',
    '{ logicalNumbers { nodes { a: devices(filter: { serialNumber: { eq: "$5 $x" } }) { totalCount } b: devices(filter: { serialNumber: { eq: "$5 $x" } }) { totalCount } } } }',
    '{ groups { nodes { name a: logicalNumbers(first: 2) { nodes { number } } b: logicalNumbers(first: 2) { totalCount nodes { appVersions { nodes { a: app { name } b: app { ...A } } } } } } } } fragment A on App { kind files: __typename }',
    '{ transactions { nodes { appName device { serialNumber logicalNumber { number } } app { name kind } } } }',
  ])('answers %s', async (query) => {
    expect(await isPlanned(query)).toBe(true);
  });

  it.each([
    ['an interface', `{ node(id: "${nodeId('Group', 1)}") { id } }`],
    ['no key', '{ device { id } }'],
    ['an argument out of range', '{ groups(first: 101) { nodes { name } } }'],
    ['a cursor that is none', '{ groups(after: "x") { nodes { name } } }'],
    ['two keys', '{ device(databaseId: 1, serialNumber: "x") { id } }'],
    ['bytes', '{ files { nodes { name content } } }'],
    ['a value that only its resolver can read', '{ ledger { nodes { entity { id } } } }'],
    ['what the schema says of itself', '{ __type(name: "Group") { name } }'],
  ])('leaves %s to the resolvers', async (_what, query) => {
    expect(await isPlanned(query)).toBe(false);
  });

  it.each([
    '{ viewer { role } groups { nodes { name } } }',
    `{ first: groups(first: 1) { nodes { name } } node(id: "${nodeId('Group', 1)}") { id } last: groups(last: 1) { totalCount } }`,
    '{ deviceSummary { total } devices(first: 2) { nodes { serialNumber } } ... on Query { apps { totalCount } } }',
    '{ groups { totalCount } node(id: "x") { id } }',
  ])('answers the declared fields of %s, and graphql-js the others', async (query) => {
    expect(await isPlanned(query)).toBe(true);
  });

  it('leaves variables that are none to the resolvers', async () => {
    const query = 'query ($first: Int!) { groups(first: $first) { totalCount } }';
    expect(await isPlanned(query, { first: 'x' })).toBe(false);
    expect(await isPlanned(query, { first: 1 })).toBe(true);
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

  it('leaves what its caller may not see to the resolvers', async () => {
    const query = '{ groups(first: 1) { nodes { createdBy { email } } } }';
    expect(await isPlanned(query, {}, viewer)).toBe(false);
    expect(await isPlanned(query)).toBe(true);
    expect(await isPlanned('{ users { totalCount } }', {}, viewer)).toBe(false);
    expect(await isPlanned('{ groups(first: 1) { nodes { createdBy { name } } } }', {}, viewer)).toBe(true);
  });

  it('reads one statement for each relation, however many records there are', async () => {
    const query = (first: number): string =>
      `{ groups(first: ${first}) { nodes { name logicalNumbers(first: ${first}) { nodes { number
        appVersions(first: ${first}) { nodes { number app { name } files(first: ${first}) { nodes { name } } } } } } } } }`;
    for (const first of [1, 3]) {
      const { statements } = await server.statements(() => server.acme.graphql(query(first)));
      const reads = statements.filter((text) =>
        /"(groups|logical_numbers|app_versions|apps|files)" as/.test(text),
      );
      expect(reads).toHaveLength(5);
      for (const text of reads) expect(text).toMatch(/company_id"?(?: = |, "\w+"."id"\) in \(select )/);
    }
  });

  it('reads a relation that is selected twice once, by one statement for all records', async () => {
    const twice = (first: number): string =>
      `{ groups(first: ${first}) { nodes { logicalNumbers(first: ${first}) { nodes { number a: group { name } b: group { id } } } } } }`;
    const ofGroups = async (query: string): Promise<number> => {
      const { statements } = await server.statements(() => server.acme.graphql(query));
      return statements.filter((text) => text.includes('from "groups" as')).length;
    };
    for (const first of [1, 3]) expect(await ofGroups(twice(first))).toBe(2);
  });

  it('is planned over GET, sockets and streams too, with the same response', async () => {
    const query = `{ groups(first: 3) { nodes { id name createdAt createdBy { name } logicalNumbers(first: 2) { totalCount nodes { number } } } } }`;
    const read = async (send: () => Promise<string>) => {
      const { result, statements } = await server.statements(send);
      return { response: responseIn(result), statements: planned(statements) };
    };
    const expected = await read(() => overHttp(server, server.acme, query));
    const url = `${server.url}/graphql?query=${encodeURIComponent(query)}&access_token=${server.acme.token}`;
    const headers = { 'apollo-require-preflight': '1' };
    expect(await read(async () => (await fetch(url, { headers })).text())).toEqual(expected);
    for (const send of [overStream, overSocket]) {
      expect(await read(() => send(server, server.acme, query))).toEqual(expected);
    }
  });
});
