import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startServer, type TestServer } from '../../../support/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.stop();
});

interface GroupNode {
  readonly id: string;
  readonly databaseId: number;
  readonly name: string;
}

interface GroupPage {
  readonly groups: {
    readonly totalCount: number;
    readonly nodes: readonly GroupNode[];
    readonly edges: readonly { readonly cursor: string; readonly node: GroupNode }[];
    readonly pageInfo: {
      readonly hasNextPage: boolean;
      readonly hasPreviousPage: boolean;
      readonly startCursor: string | null;
      readonly endCursor: string | null;
    };
  };
}

interface GroupPayload {
  readonly group: GroupNode | null;
  readonly userErrors: readonly {
    readonly message: string;
    readonly path: string[];
    readonly code: string;
  }[];
}

const CREATE = `mutation ($name: String!) {
  groupCreate(input: { name: $name }) { group { id databaseId name } userErrors { message path code } } }`;
const UPDATE = `mutation ($id: ID!, $input: GroupUpdateInput!) {
  groupUpdate(id: $id, input: $input) { group { id databaseId name } userErrors { message path code } } }`;
const DELETE = `mutation ($id: ID!) {
  groupDelete(id: $id) { deletedId userErrors { message path code } } }`;
const PAGE = `query ($first: Int, $after: String, $last: Int, $before: String, $orderBy: GroupOrder,
  $filter: GroupFilter) {
  groups(first: $first, after: $after, last: $last, before: $before, orderBy: $orderBy, filter: $filter) {
    totalCount nodes { id databaseId name } edges { cursor node { name } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;

async function page(variables: Record<string, unknown>): Promise<GroupPage['groups']> {
  const { body } = await server.acme.graphql<GroupPage>(PAGE, variables);
  expect(body.errors).toBeUndefined();
  return body.data.groups;
}

const names = (list: GroupPage['groups']): string[] => list.nodes.map((node) => node.name);

describe('groups in GraphQL', () => {
  const made = new Map<string, GroupNode>();
  beforeAll(async () => {
    for (const name of ['delta', 'alpha', 'echo', 'bravo', 'charlie']) {
      const { body } = await server.acme.graphql<{ groupCreate: GroupPayload }>(CREATE, { name });
      expect(body.errors).toBeUndefined();
      const { group } = body.data.groupCreate;
      if (group === null) throw new Error(JSON.stringify(body));
      made.set(name, group);
    }
    await server.beta.graphql(CREATE, { name: 'alpha' });
  });
  const idOf = (name: string): string => made.get(name)?.id ?? '';

  it('are found by each key, with their creator', async () => {
    const { id, databaseId } = made.get('alpha') ?? { id: '', databaseId: 0 };
    const fields = '{ id databaseId name createdVia createdAt updatedAt createdBy { databaseId name } }';
    const { status, body } = await server.acme.graphql(
      `query ($id: ID!, $databaseId: Int!) { a: group(id: $id) ${fields}
        b: group(databaseId: $databaseId) ${fields} c: group(name: "alpha") ${fields} }`,
      { id, databaseId },
    );
    expect(status).toBe(200);
    expect(body.errors).toBeUndefined();
    expect(body.data.a).toMatchObject({
      ...{ id, databaseId, name: 'alpha', createdVia: 'API' },
      createdBy: { databaseId: server.acme.caller.userId },
    });
    expect(body.data.b).toEqual(body.data.a);
    expect(body.data.c).toEqual(body.data.a);
  });

  it('are null for unknown keys; no key or two keys are an error', async () => {
    const none = await server.acme
      .graphql(`{ a: group(databaseId: 999999) { id } b: group(name: "none") { id }
      c: group(id: "nonsense") { id } }`);
    expect(none.body).toMatchObject({ data: { a: null, b: null, c: null } });
    for (const query of ['{ group { id } }', '{ group(databaseId: 1, name: "alpha") { id } }']) {
      const { body } = await server.acme.graphql(query);
      expect(body.errors?.[0]).toMatchObject({
        message: 'Give exactly one of id, databaseId, name.',
        extensions: { code: 'BAD_USER_INPUT' },
      });
    }
  });

  it('are read forward by cursors without gaps or repeats', async () => {
    const walked: string[] = [];
    let after: string | null = null;
    do {
      const part: GroupPage['groups'] = await page({
        first: 2,
        after,
        orderBy: { field: 'NAME', direction: 'DESC' },
      });
      expect(part.totalCount).toBe(5);
      expect(part.pageInfo.hasPreviousPage).toBe(after !== null);
      expect(part.pageInfo.startCursor).toBe(part.edges[0]?.cursor);
      walked.push(...names(part));
      after = part.pageInfo.hasNextPage ? part.pageInfo.endCursor : null;
    } while (after !== null);
    expect(walked).toEqual(['echo', 'delta', 'charlie', 'bravo', 'alpha']);
  });

  it('are read backward by cursors, each page in the order of the list', async () => {
    const end = await page({ last: 2, orderBy: { field: 'NAME' } });
    expect(names(end)).toEqual(['delta', 'echo']);
    expect(end.pageInfo).toMatchObject({ hasPreviousPage: true, hasNextPage: false });
    const before = await page({ last: 2, before: end.pageInfo.startCursor, orderBy: { field: 'NAME' } });
    expect(names(before)).toEqual(['bravo', 'charlie']);
    const first = await page({ last: 2, before: before.pageInfo.startCursor, orderBy: { field: 'NAME' } });
    expect(names(first)).toEqual(['alpha']);
    expect(first.pageInfo).toMatchObject({ hasPreviousPage: false, hasNextPage: true });
  });

  it.each([
    [{ name: { eq: 'alpha' } }, ['alpha']],
    [{ name: { in: ['alpha', 'echo', 'nobody'] } }, ['alpha', 'echo']],
    [{ name: { startsWith: 'al' } }, ['alpha']],
    [{ name: { contains: 'l' } }, ['delta', 'alpha', 'charlie']],
    [{ not: { name: { contains: 'l' } } }, ['echo', 'bravo']],
    [{ or: [{ name: { eq: 'echo' } }, { name: { eq: 'bravo' } }] }, ['echo', 'bravo']],
    [{ and: [{ name: { contains: 'a' } }, { not: { name: { contains: 'l' } } }] }, ['bravo']],
  ])('is narrowed by %j, in the order of ids', async (filter, expected) => {
    const list = await page({ filter });
    expect(names(list)).toEqual(expected);
    expect(list.totalCount).toBe(expected.length);
  });

  it('are filtered by at most a hundred comparisons, however they are combined', async () => {
    const some = (count: number) => Array.from({ length: count }, () => ({ name: { eq: 'alpha' } }));
    expect(names(await page({ filter: { or: some(100) } }))).toEqual(['alpha']);
    for (const filter of [{ or: some(1_100) }, { and: [{ or: some(60) }, { not: { or: some(60) } }] }]) {
      const { body } = await server.acme.graphql(PAGE, { filter });
      expect(body.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
      expect(body.errors?.[0]?.message).toMatch(/^A filter takes at most 100 comparisons, not 1[0-9]+\.$/);
    }
  });

  it.each([
    [{ first: -1 }, /first and last take 0 to 100, not -1/],
    [{ last: -1 }, /first and last take 0 to 100, not -1/],
    [{ first: 101 }, /first and last take 0 to 100, not 101/],
    [{ first: 1, last: 1 }, /first or last, not both/],
    [{ first: 1, before: 'x' }, /Give after only with first, and before only with last/],
    [{ first: 1, after: 'x' }, /not a cursor/],
  ])('refuses %j in words', async (variables, message) => {
    const { body } = await server.acme.graphql(PAGE, variables);
    expect(body.errors?.[0]?.message).toMatch(message);
    expect(body.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
  });

  it.each([{ first: 0 }, { last: 0 }])('have an empty page, with their total, for %j', async (size) => {
    const all = await page({ first: 100 });
    const empty = await page(size);
    expect(names(empty)).toEqual([]);
    expect(empty.totalCount).toBe(all.totalCount);
    expect(empty.pageInfo).toEqual({
      hasNextPage: 'first' in size,
      hasPreviousPage: 'last' in size,
      startCursor: null,
      endCursor: null,
    });
    const after = await page({ first: 0, after: all.pageInfo.endCursor });
    expect(after.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
  });

  it('are listed, counted and joined with their creators in one statement each', async () => {
    const query = '{ groups { totalCount nodes { name createdBy { name } } } }';
    await server.acme.graphql(query);
    const { statements } = await server.statements(() => server.acme.graphql(query));
    expect(statements).toHaveLength(3);
  });

  it('are renamed and deleted, with correctable errors in userErrors', async () => {
    const { graphql } = server.acme;
    const taken = await graphql<{ groupCreate: GroupPayload }>(CREATE, { name: 'echo' });
    expect(taken.body.data.groupCreate).toEqual({
      group: null,
      userErrors: [
        {
          ...{ message: 'A group with this name exists already.', code: 'TAKEN' },
          path: ['input', 'name'],
        },
      ],
    });
    const empty = await graphql<{ groupCreate: GroupPayload }>(CREATE, { name: '' });
    expect(empty.body.data.groupCreate.userErrors[0]).toMatchObject({
      code: 'INVALID',
      path: ['input', 'name'],
    });
    const renamed = await graphql(UPDATE, { id: idOf('echo'), input: { name: 'foxtrot' } });
    expect(renamed.body.data).toMatchObject({
      groupUpdate: { group: { id: idOf('echo'), name: 'foxtrot' }, userErrors: [] },
    });
    const kept = await graphql(UPDATE, { id: idOf('echo'), input: {} });
    expect(kept.body.data).toMatchObject({ groupUpdate: { group: { name: 'foxtrot' } } });
    const deleted = await graphql(DELETE, { id: idOf('echo') });
    expect(deleted.body.data).toEqual({ groupDelete: { deletedId: idOf('echo'), userErrors: [] } });
    expect((await graphql('{ group(name: "foxtrot") { id } }')).body.data).toEqual({ group: null });
  });

  it('of another company are reported as not found', async () => {
    const { graphql } = server.beta;
    const foreign = idOf('alpha');
    const missing = Buffer.from('Group:999999').toString('base64url');
    const inputs = { name: 'stolen' };
    for (const [query, input] of [
      [UPDATE, inputs],
      [DELETE, undefined],
    ] as const) {
      const variables = input === undefined ? {} : { input };
      const of = async (id: string) => (await graphql(query, { id, ...variables })).body;
      const answer = await of(foreign);
      expect(answer).toEqual(await of(missing));
      expect(Object.values(answer.data)[0]).toMatchObject({ userErrors: [{ code: 'NOT_FOUND' }] });
    }
    const { body } = await graphql('query ($id: ID!) { group(id: $id) { name } }', { id: foreign });
    expect(body.data).toEqual({ group: null });
    const still = await server.acme.graphql('{ group(name: "alpha") { name } }');
    expect(still.body.data).toEqual({ group: { name: 'alpha' } });
  });
});
