import { beforeAll, describe, expect, it } from 'vitest';

import { answered, listed, nodeId } from '../../../support/dashboard.js';
import { fleet, softwareOf } from '../../../support/fleet.js';
import { useServer, type Fields } from '../../../support/server.js';

const server = useServer();

const of = (...numbers: string[]) => numbers.map((number) => ({ number }));

describe('the list of app versions', () => {
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
    expect(await listed(server.beta, 'AppVersion', 'number', given)).toEqual(expected);
  });
});

describe('records linked to app versions', () => {
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
});
