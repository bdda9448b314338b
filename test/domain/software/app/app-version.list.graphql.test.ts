import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Fields } from '../../../support/client.js';
import { answered, nodeId, type Page, statementsFor } from '../../../support/dashboard.js';
import { fleet } from '../../../support/fleet.js';
import { type Member, startServer, type TestServer } from '../../../support/server.js';
import { softwareOf, unique } from '../../../support/software.js';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.stop();
});

const DIGITS = Buffer.from('123456789').toString('base64');
const of = (...numbers: string[]) => numbers.map((number) => ({ number }));

describe('the list of app versions', () => {
  const LIST = `query ($filter: AppVersionFilter, $orderBy: AppVersionOrder) {
    appVersions(filter: $filter, orderBy: $orderBy) { totalCount nodes { number } } }`;
  let first = 0;
  beforeAll(async () => {
    const beta = softwareOf(server.beta.client);
    const path = await beta.app();
    first = Number(path.split('/')[1]);
    await beta.version(path, { number: 'b' });
    await beta.version(path, { number: 'c' });
    await beta.version(await beta.app(), { number: 'a' });
  });

  it.each<[Fields | (() => Fields), string[]]>([
    [{}, ['b', 'c', 'a']],
    [{ orderBy: { field: 'NUMBER' } }, ['a', 'b', 'c']],
    [{ orderBy: { field: 'ID', direction: 'DESC' } }, ['a', 'c', 'b']],
    [{ orderBy: { field: 'CREATED_AT' } }, ['b', 'c', 'a']],
    [{ filter: { number: { in: ['c', 'a', 'z'] } } }, ['c', 'a']],
    [() => ({ filter: { appId: { eq: nodeId('App', first) } } }), ['b', 'c']],
    [() => ({ filter: { not: { appId: { in: [nodeId('App', first)] } } } }), ['a']],
    [() => ({ filter: { appId: { eq: nodeId('AppVersion', first) } } }), []],
  ])('is ordered and narrowed: case %#', async (given, expected) => {
    const variables = typeof given === 'function' ? given() : given;
    const { appVersions } = await answered<{ appVersions: Page<{ number: string }> }>(
      server.beta,
      LIST,
      variables,
    );
    expect(appVersions.nodes).toEqual(of(...expected));
    expect(appVersions.totalCount).toBe(expected.length);
  });
});

describe('records linked to app versions', () => {
  /** A group with a logical number for each of its app versions, each made of two modules. */
  async function fill({ client }: Member, versions: number): Promise<void> {
    const software = softwareOf(client);
    const group = await fleet.group(client, unique());
    const modules = [await software.module(), await software.module()];
    const ids: number[] = [];
    const path = await software.app();
    for (let n = 0; n < versions; n += 1) {
      ids.push(
        (await software.version(path, { group_ids: [group], module_ids: modules, bytecode: DIGITS }))
          .id as number,
      );
    }
    for (let n = 0; n < versions; n += 1) {
      await fleet.logicalNumber(client, unique(), { group_id: group, app_version_ids: ids });
    }
  }

  it('are the same from both sides, on each page and in each order', async () => {
    const { client } = server.acme;
    const software = softwareOf(client);
    const [north, south] = [await fleet.group(client, 'north'), await fleet.group(client, 'south')];
    const path = await software.app({ name: 'linked' });
    const make = async (number: string, fields: Fields): Promise<number> =>
      (await software.version(path, { number, ...fields })).id as number;
    const both = await make('2', { group_ids: [north, south] });
    const one = await make('1', { group_ids: [north] });
    const three = await make('3', { group_ids: [north] });
    const more = { group_id: north, app_version_ids: [three, both, one] };
    await fleet.logicalNumber(client, 'of all', more);
    await fleet.logicalNumber(client, 'of one', { group_id: north, app_version_ids: [both] });
    const page = '(first: 2, orderBy: { field: NUMBER, direction: DESC })';
    const found = await answered(
      server.acme,
      `query ($both: Int!) {
        group(name: "north") { appVersions${page} { totalCount nodes { number } pageInfo { hasNextPage endCursor } } }
        south: group(name: "south") { appVersions { totalCount nodes { number } } }
        logicalNumber(number: "of all") { appVersions${page} { totalCount nodes { number } }
          narrowed: appVersions(filter: { number: { eq: "1" } }) { totalCount nodes { number } } }
        appVersion(databaseId: $both) { app { name } groups(orderBy: { field: NAME, direction: DESC }) {
            totalCount nodes { name } }
          logicalNumbers(last: 1) { totalCount nodes { number } pageInfo { hasPreviousPage } } } }`,
      { both },
    );
    const pageOfNorth = found.group as { appVersions: { pageInfo: { endCursor: string } } };
    expect(found).toMatchObject({
      group: { appVersions: { totalCount: 3, nodes: of('3', '2'), pageInfo: { hasNextPage: true } } },
      south: { appVersions: { totalCount: 1, nodes: of('2') } },
      logicalNumber: {
        appVersions: { totalCount: 3, nodes: of('3', '2') },
        narrowed: { totalCount: 1, nodes: of('1') },
      },
      appVersion: {
        app: { name: 'linked.posxml' },
        groups: { totalCount: 2, nodes: [{ name: 'south' }, { name: 'north' }] },
        logicalNumbers: { totalCount: 2, nodes: of('of one'), pageInfo: { hasPreviousPage: true } },
      },
    });
    const { group } = await answered(
      server.acme,
      `query ($after: String!) { group(name: "north") { appVersions(first: 2, after: $after,
        orderBy: { field: NUMBER, direction: DESC }) { nodes { number } pageInfo { hasNextPage } } } }`,
      { after: pageOfNorth.appVersions.pageInfo.endCursor },
    );
    expect(group).toEqual({ appVersions: { nodes: of('1'), pageInfo: { hasNextPage: false } } });
  });

  it('contain only records of the company', async () => {
    const { client } = server.beta;
    const group = await fleet.group(client, 'north');
    const [version = 0] = await fleet.appVersions(client, 1, [group]);
    await fleet.logicalNumber(client, 'of all', { group_id: group, app_version_ids: [version] });
    const own = { totalCount: 1, nodes: [{ databaseId: version }] };
    expect(
      await answered(
        server.beta,
        `{ group(name: "north") { appVersions { totalCount nodes { databaseId } } }
          logicalNumber(number: "of all") { appVersions { totalCount nodes { databaseId } } } }`,
      ),
    ).toEqual({ group: { appVersions: own }, logicalNumber: { appVersions: own } });
  });

  it.each([
    [
      'from groups down to apps',
      `{ groups(first: 10) { totalCount nodes { name logicalNumbers(first: 20) { totalCount nodes { number
          appVersions(first: 5) { totalCount nodes { number app { name } } } } } } } }`,
      8,
    ],
    [
      'the sums of the bytecode of each',
      '{ appVersions(first: 50) { nodes { number crc sha256 app { versions { nodes { sha256 } } } } } }',
      4,
    ],
    [
      'from versions up to groups',
      `{ appVersions(first: 20) { totalCount nodes { number groups(first: 3) { totalCount nodes { name } }
          modules(first: 3) { totalCount nodes { number app { name kind } } }
          logicalNumbers(first: 5) { totalCount nodes { number group { name } } } } } }`,
      11,
    ],
  ])('takes one statement for each level and one for its counts: %s', async (_way, query, expected) => {
    const member = await server.member('beta', 'operator');
    await fill(member, 1);
    const few = await statementsFor(server, member, query);
    await fill(member, 4);
    await fill(member, 5);
    const many = await statementsFor(server, member, query);
    expect(few).toHaveLength(expected);
    expect(many).toHaveLength(expected);
  });
});
