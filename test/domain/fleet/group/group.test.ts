import { beforeAll, describe, expect, it } from 'vitest';

import { answered, type Connection, refused } from '../../../support/dashboard.js';
import { fleet, softwareOf, totalIn } from '../../../support/fleet.js';
import { useServer, type Fields } from '../../../support/server.js';

const server = useServer();

type GroupPage = Connection<{ readonly name: string }> & {
  readonly edges: readonly { readonly cursor: string }[];
};

const PAGE = `query ($first: Int, $after: String, $last: Int, $before: String, $orderBy: GroupOrder,
  $filter: GroupFilter) {
  groups(first: $first, after: $after, last: $last, before: $before, orderBy: $orderBy, filter: $filter) {
    totalCount nodes { name } edges { cursor }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;

const page = async (variables: Fields): Promise<GroupPage> =>
  (await answered<{ groups: GroupPage }>(server.acme, PAGE, variables)).groups;
const names = (list: GroupPage): string[] => list.nodes.map((node) => node.name);

describe('groups in GraphQL', () => {
  beforeAll(async () => {
    for (const name of ['delta', 'alpha', 'echo', 'bravo', 'charlie'])
      await fleet.group(server.acme.client, name);
    await fleet.group(server.beta.client, 'alpha');
  });

  it('are null for unknown keys; no key or two keys are an error', async () => {
    const none = `{ a: group(databaseId: 999999) { id } b: group(name: "none") { id }
      c: group(id: "nonsense") { id } }`;
    expect(await answered(server.acme, none)).toEqual({ a: null, b: null, c: null });
    for (const query of ['{ group { id } }', '{ group(databaseId: 1, name: "alpha") { id } }']) {
      expect(await refused(server.acme, query)).toEqual({
        message: 'Give exactly one of id, databaseId, name.',
        code: 'BAD_USER_INPUT',
      });
    }
  });

  it('are read backward by cursors, each page in the order of the list', async () => {
    const end = await page({ last: 2, orderBy: { field: 'NAME' } });
    expect(names(end)).toEqual(['delta', 'echo']);
    expect(end.pageInfo).toMatchObject({ hasPreviousPage: true, hasNextPage: false });
    expect(end.pageInfo.startCursor).toBe(end.edges[0]?.cursor);
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
      const { code, message } = await refused(server.acme, PAGE, { filter });
      expect(code).toBe('BAD_USER_INPUT');
      expect(message).toMatch(/^A filter takes at most 100 comparisons, not 1[0-9]+\.$/);
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
    const refusal = await refused(server.acme, PAGE, variables);
    expect(refusal.message).toMatch(message);
    expect(refusal.code).toBe('BAD_USER_INPUT');
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
});

describe('deleting a group', () => {
  it.each(['logical number', 'app version'])(
    'RI-32 and contract 19: is refused while a %s belongs to it, and changes nothing',
    async (kind) => {
      const { client } = server.acme;
      const path = `groups/${encodeURIComponent(`with a ${kind}`)}`;
      const id = await fleet.group(client, `with a ${kind}`);
      let member = 'logical_numbers/member';
      if (kind === 'logical number') await fleet.logicalNumber(client, 'member', { group_id: id });
      else {
        const software = softwareOf(client);
        const versions = await software.app();
        member = `${versions}/${String((await software.version(versions, { group_ids: [id] })).id)}`;
      }
      await client.post('parameters', { name: `with a ${kind}`, key: 'k', value: 'v' });
      const before = (await client.get(member)).text;
      const refused = await client.delete(path);
      expect([refused.status, refused.body.code]).toEqual([409, 'group_not_empty']);
      expect((await client.get(member)).text).toBe(before);
      expect(await totalIn(client, 'parameters', { name: `with a ${kind}` })).toBe(1);
      await client.delete(member);
      expect((await client.delete(path)).status).toBe(200);
    },
  );
});
