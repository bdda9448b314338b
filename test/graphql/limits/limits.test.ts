import { beforeAll, describe, expect, it } from 'vitest';

import type { GraphqlReply } from '../../support/graphql.js';
import { useServer, type Fields } from '../../support/server.js';

const server = useServer();
beforeAll(async () => {
  await server.acme.graphql('{ viewer { role } }');
});

/** Sends an operation; checks that a refused one ran no statement. */
async function ask(query: string, variables?: Record<string, unknown>): Promise<GraphqlReply<unknown>> {
  const { result, statements } = await server.statements(() => server.acme.graphql(query, variables));
  if (result.status !== 200) expect(statements, query.slice(0, 200)).toEqual([]);
  return result;
}

function expectAnswer(reply: GraphqlReply<unknown>): void {
  expect(reply.status, reply.text).toBe(200);
  expect(reply.body.errors, reply.text).toBeUndefined();
}

function expectRefusal(reply: GraphqlReply<unknown>, limit: string, maximum: number): void {
  expect(reply.status, reply.text).toBe(400);
  expect(reply.body.data).toBeUndefined();
  expect(reply.body.errors).toHaveLength(1);
  expect(reply.body.errors?.[0]).toMatchObject({
    message: expect.stringContaining(`at most ${maximum}.`) as string,
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED', limit, maximum },
  });
}

/** A group, its logical numbers, their group and so on, nested `depth` fields deep. */
function chain(depth: number, wrap: (inner: string, step: number) => string): string {
  const around = ['logicalNumbers(first: 1)', 'nodes', 'group'];
  const steps = ['group(databaseId: 1)'];
  while (steps.length < depth - 1) steps.push(around[(steps.length - 1) % 3] ?? '');
  const leaf = ['name', 'totalCount', 'number'][(steps.length - 1) % 3] ?? '';
  return steps.reduceRight((inner, step, place) => `${step} { ${wrap(inner, place)} }`, leaf);
}

const ways: readonly [string, (depth: number) => string][] = [
  ['plain fields', (depth) => `{ ${chain(depth, (inner) => inner)} }`],
  ['inline fragments', (depth) => `{ ${chain(depth, (inner) => `... { ${inner} }`)} }`],
  ['aliases', (depth) => `{ ${chain(depth, (inner, step) => inner.replace(/^(\w+)/, `a${step}: $1`))} }`],
  [
    'named fragments',
    (depth) => {
      const types = ['Group', 'LogicalNumberConnection', 'LogicalNumber'];
      const fragments: string[] = [];
      const query = chain(depth, (inner, step) => {
        fragments.push(`fragment F${step} on ${types[step % 3] ?? ''} { ${inner} }`);
        return `...F${step}`;
      });
      return `{ ${query} } ${fragments.join(' ')}`;
    },
  ],
];

describe('the depth of an operation', () => {
  it.each(ways)('GQ-02 is 12 at most, through %s', async (_way, query) => {
    expectAnswer(await ask(query(12)));
    const refused = await ask(query(13));
    expectRefusal(refused, 'depth', 12);
    expect(refused.body.errors?.[0]?.message).toBe('The operation is nested too deeply: 13, at most 12.');
  });
});

describe('the width of an operation', () => {
  const aliases = (count: number): string =>
    `{ group(databaseId: 1) { ${Array.from({ length: count }, (_, n) => `a${n}: name`).join(' ')} } }`;

  it('GQ-03 has at most 30 aliases, and at most 30 root fields', async () => {
    expectAnswer(await ask(aliases(30)));
    expectRefusal(await ask(aliases(31)), 'aliases', 30);
    const roots = (count: number): string => `{ ${'viewer { role } '.repeat(count)} }`;
    expectAnswer(await ask(roots(30)));
    expectRefusal(await ask(roots(31)), 'rootFields', 30);
    expect((await ask(aliases(2_000))).status).toBe(400);
  });

  it('GQ-03 counts the aliases of a fragment wherever it is used', async () => {
    const spread = (times: number): string =>
      `{ ${'group(databaseId: 1) { ...F }'.repeat(times)} } fragment F on Group { a: name b: name c: name }`;
    expectAnswer(await ask(spread(10)));
    expectRefusal(await ask(spread(11)), 'aliases', 30);
  });

  it('GQ-03 reads a record once per request, however often it is selected', async () => {
    const { result, statements } = await server.statements(() =>
      server.acme.graphql('{ a: group(databaseId: 1) { id } b: group(databaseId: 1) { id } }'),
    );
    expectAnswer(result);
    expect(statements).toHaveLength(1);
  });

  it.each([
    ['a look-up by name', 'group(name: "nobody") { id }'],
    ['a summary', 'transactionSummary(by: [APP_NAME], filter: { status: { eq: FAIL } }) { count }'],
  ])('GQ-03 reads %s once per request, also where another field fails', async (_what, field) => {
    const read = async (query: string): Promise<number> =>
      (await server.statements(() => server.acme.graphql(query))).statements.length;
    const once = await read(`{ a: ${field} }`);
    expect(await read(`{ a: ${field} b: ${field} }`)).toBe(once);
    // The error ends the operation, which then reads nothing more.
    expect(await read(`{ a: ${field} groups(first: 101) { totalCount } }`)).toBeLessThanOrEqual(once);
  });

  it('has at most 1,000 fields in the document, and 10,000 with its fragments expanded', async () => {
    expectAnswer(await ask(`{ viewer { ${'role '.repeat(500)} } }`));
    const repeated = await ask(`{ viewer { ${'role '.repeat(999)} } }`);
    expect(repeated.body.errors?.[0]?.message).toBe('The document selects the same fields too often.');
    expectRefusal(await ask(`{ viewer { ${'role '.repeat(1_000)} } }`), 'selections', 1_000);
    const bomb = Array.from(
      { length: 30 },
      (_, n) => `fragment F${n} on Group { ${`...F${n + 1} `.repeat(2)} }`,
    );
    const query = `{ group(databaseId: 1) { ...F0 } } ${bomb.join(' ')} fragment F30 on Group { name }`;
    expectRefusal(await ask(query), 'expandedSelections', 10_000);
  });

  it('has at most 5,000 tokens', async () => {
    const { status, body } = await ask(`{ viewer { ${'role '.repeat(5_000)} } }`);
    expect(status).toBe(400);
    expect(body.errors?.[0]).toMatchObject({
      message: 'Syntax Error: the document has too many tokens: at most 5000.',
      extensions: { code: 'GRAPHQL_PARSE_FAILED', limit: 'tokens', maximum: 5_000 },
    });
  });
});

describe('mutations of secrets', () => {
  const create = (name: string): string =>
    `apiTokenCreate(input: { name: "${name}", scopes: [READ] }) { userErrors { message } }`;

  it('GQ-04 are allowed once per document, with or without aliases and fragments', async () => {
    expectAnswer(await server.acme.graphql(`mutation { ${create('one')} }`));
    for (const query of [
      `mutation { a: ${create('two')} b: ${create('three')} }`,
      `mutation { ...F } fragment F on Mutation { a: ${create('two')} b: ${create('three')} }`,
      `mutation { ${create('two')} apiTokenRevoke(id: "x") { userErrors { message } } }`,
    ]) {
      await server.acme.graphql('{ viewer { role } }');
      expectRefusal(await ask(query), 'sensitiveMutations', 1);
    }
  });
});

describe('the cost of an operation', () => {
  const wide = (outer: number | string, inner: number | string): string =>
    `groups(first: ${outer}) { nodes { logicalNumbers(first: ${inner}) { nodes { number } } } }`;

  const numbers = (selected: string): string => `{ logicalNumbers(first: 2) { nodes { ${selected} } } }`;

  it.each<[rule: string, query: string, requested: number, variables?: Fields]>([
    ['a connection counts its page size', '{ groups(first: 7) { nodes { name } } }', 7],
    ['thirty where none is given', '{ groups { nodes { name } } }', 30],
    ['from the end too', '{ groups(last: 5) { edges { node { name } } } }', 5],
    ['a total counts nothing', '{ groups { __typename totalCount } }', 0],
    ['places are read with their page', '{ groups(first: 9) { pageInfo { hasNextPage } } }', 9],
    ['cursors too', '{ groups(first: 9) { ...F } } fragment F on GroupConnection { edges { cursor } }', 9],
    ['once with its records', '{ groups(first: 9) { nodes { id } pageInfo { endCursor } } }', 9],
    ['null is no default', `query ($a: Int = 1) { ${wide('$a', '$a')} }`, 930, { a: null }],
    ['names are names', 'query ($toString: Int = 9) { groups(first: $toString) { nodes { id } } }', 9],
    ['a page of size 0 counts nothing', `{ ${wide(0, 100)} }`, 0],
    ['nor does one of each record', `{ ${wide(10, 0)} }`, 10],
    ['nested ones multiply', `{ ${wide(10, 20)} }`, 210],
    ['edges and nodes both count', '{ groups(first: 3) { nodes { id } edges { node { id } } } }', 6],
    ['records around a record', '{ groups(first: 4) { nodes { createdBy { name } } } }', 8],
    ['variables count', `query ($a: Int, $b: Int) { ${wide('$a', '$b')} }`, 8, { a: 2, b: 3 }],
    ['their defaults too', `query ($a: Int = 5, $b: Int) { ${wide('$a', '$b')} }`, 10, { b: 1 }],
    ['a list of ids counts each', '{ nodes(ids: ["a", "b", "c"]) { id } }', 3],
    ['given as a variable too', 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', 2, { ids: ['a', 'b'] }],
    ['records in whole lists count a page', numbers('effectiveParameters { overridden { key } }'), 62],
    ['values in it count none', numbers('effectiveParameters { key }'), 2],
    ['a summary counts what it reads', '{ transactionSummary(by: [STATUS]) { count } }', 1_000],
    ['and what its rows show', `{ transactionSummary(by: [GROUP]) { group ${numbers('id')} } }`, 1_090],
    ['so does a search', '{ transactions(filter: { appName: { contains: "x" } }) { totalCount } }', 1_000],
    ['and nothing without one', '{ transactions { totalCount } }', 0],
    ['fragments count', `{ ...F } fragment F on Query { ${wide(2, 2)} }`, 6],
  ])('%s: %s', async (_rule, query, requested, variables) => {
    const { body } = await server.acme.graphql(query, variables);
    expect(body.extensions).toMatchObject({ cost: { requested } });
  });

  it('GQ-05 is at most 10,000 records, the product of page sizes', async () => {
    expectAnswer(await ask(`{ ${wide(99, 100)} }`));
    expectRefusal(await ask(`{ ${wide(100, 100)} }`), 'cost', 10_000);
    expectRefusal(await ask(`query ($n: Int) { ${wide('$n', '$n')} }`, { n: 100 }), 'cost', 10_000);
    const devices = `{ devices(first: 100) { nodes { logicalNumber { group { logicalNumbers(first: 100) { nodes {
      parameters(first: 100) { nodes { key } } } } } } } } }`;
    const refused = await ask(devices);
    expectRefusal(refused, 'cost', 10_000);
    expect(refused.body.errors?.[0]?.message).toBe(
      'The operation could answer too many records: 1010300, at most 10000.',
    );
  });

  it('is reported as requested and actual', async () => {
    const member = await server.member('beta', 'operator');
    for (const name of ['a', 'b']) {
      await member.graphql('mutation ($n: String!) { groupCreate(input: { name: $n }) { group { id } } }', {
        n: name,
      });
    }
    const list = await member.graphql('{ groups { nodes { name createdBy { name } } } }');
    expect(list.body.extensions).toEqual({ cost: { requested: 60, actual: 4 } });
    const one = await member.graphql('{ group(name: "a") { name } }');
    expect(one.body.extensions).toEqual({ cost: { requested: 1, actual: 1 } });
    const none = await member.graphql('{ nothing }');
    expect(none.body.extensions).toEqual({ cost: { requested: 0, actual: 0 } });
  });

  it('depends on the variables and the operation of a document', async () => {
    const query = `query A($n: Int) { groups(first: $n) { nodes { name } } } query B { groups { nodes { name } } }`;
    const cost = async (operationName: string, n?: number): Promise<unknown> =>
      (await server.acme.graphql(query, { n }, { operationName })).body.extensions;
    expect(await cost('A', 3)).toMatchObject({ cost: { requested: 3 } });
    expect(await cost('B')).toMatchObject({ cost: { requested: 30 } });
    expect(await cost('A', 4)).toMatchObject({ cost: { requested: 4 } });
  });
});
