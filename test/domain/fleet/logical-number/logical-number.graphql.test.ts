import { beforeAll, describe, expect, it } from 'vitest';

import { answered, changed, listed, nodeId } from '../../../support/dashboard.js';
import { fleet, ledgerOf } from '../../../support/fleet.js';
import { useServer, type Fields } from '../../../support/server.js';

const server = useServer();

const ERRORS = 'userErrors { message path code }';
const PAYLOAD = `{ logicalNumber { number group { name } } ${ERRORS} }`;
const CREATE = `mutation ($input: LogicalNumberCreateInput!) { logicalNumberCreate(input: $input) ${PAYLOAD} }`;
const MOVE = `mutation ($id: ID!, $groupId: ID) { logicalNumberMove(id: $id, groupId: $groupId) ${PAYLOAD} }`;
const SET = `mutation ($id: ID!, $appVersionIds: [ID!]!) {
  logicalNumberSetAppVersions(id: $id, appVersionIds: $appVersionIds) ${PAYLOAD} }`;

const versionIds = (...ids: number[]) => ids.map((id) => nodeId('AppVersion', id));
const versionsOf = async (number: string): Promise<unknown> =>
  (await server.acme.client.get(`logical_numbers/${number}`)).record('logical_number').app_version_ids;

describe('a logical number in GraphQL', () => {
  it('is moved between groups and out of them, and keeps only app versions that are attached to the new group', async () => {
    const { acme } = server;
    const [from, to] = [await fleet.group(acme.client, 'from'), await fleet.group(acme.client, 'to')];
    const [left = 0] = await fleet.appVersions(acme.client, 1, [from]);
    const [both = 0] = await fleet.appVersions(acme.client, 1, [from, to]);
    const more = { group_id: from, app_version_ids: [left, both] };
    const databaseId = await fleet.logicalNumber(acme.client, '102', more);
    const id = nodeId('LogicalNumber', databaseId);
    expect(await changed(acme, MOVE, { id, groupId: nodeId('Group', to) })).toMatchObject({
      logicalNumber: { group: { name: 'to' } },
      userErrors: [],
    });
    expect(await versionsOf('102')).toEqual([both]);
    expect(await changed(acme, MOVE, { id })).toMatchObject({
      logicalNumber: null,
      userErrors: [{ message: 'is required; it may be null', path: ['groupId'], code: 'INVALID' }],
    });
    expect(await changed(acme, MOVE, { id, groupId: null })).toMatchObject({
      logicalNumber: { group: null },
    });
    expect(await versionsOf('102')).toEqual([]);
    expect(await changed(acme, MOVE, { id, groupId: nodeId('Group', 9e6) })).toMatchObject({
      logicalNumber: null,
      userErrors: [{ path: ['groupId'], code: 'INVALID' }],
    });
    const entries = await ledgerOf(server, acme, 'logical_number', databaseId);
    expect(entries.map(({ after }) => after?.groupId)).toEqual([from, to, null]);
  });

  it('is read again after each change of one operation', async () => {
    const { acme } = server;
    const group = await fleet.group(acme.client, 'grows');
    const ids = [
      await fleet.logicalNumber(acme.client, '103a'),
      await fleet.logicalNumber(acme.client, '103b'),
    ];
    const [a, b] = ids.map((id) => nodeId('LogicalNumber', id));
    const fields = '{ logicalNumber { group { logicalNumbers { totalCount nodes { number } } } } }';
    const moves = await answered(
      acme,
      `mutation ($a: ID!, $b: ID!, $group: ID!) { first: logicalNumberMove(id: $a, groupId: $group) ${fields}
        second: logicalNumberMove(id: $b, groupId: $group) ${fields} }`,
      { a, b, group: nodeId('Group', group) },
    );
    const grown = (...numbers: string[]) => ({
      totalCount: numbers.length,
      nodes: numbers.map((number) => ({ number })),
    });
    expect(moves).toEqual({
      first: { logicalNumber: { group: { logicalNumbers: grown('103a') } } },
      second: { logicalNumber: { group: { logicalNumbers: grown('103a', '103b') } } },
    });
  });

  it('has its app versions replaced, by versions of its group only', async () => {
    const { acme } = server;
    const group = await fleet.group(acme.client, 'with versions');
    const [one = 0, two = 0] = await fleet.appVersions(acme.client, 2, [group]);
    const [stranger = 0] = await fleet.appVersions(acme.client, 1, []);
    const more = { group_id: group, app_version_ids: [one] };
    const id = nodeId('LogicalNumber', await fleet.logicalNumber(acme.client, '104', more));
    const set = async (...ids: number[]) =>
      await changed(acme, SET, { id, appVersionIds: versionIds(...ids) });
    expect(await set(two)).toMatchObject({ logicalNumber: { number: '104' }, userErrors: [] });
    expect(await versionsOf('104')).toEqual([two]);
    for (const refusedId of [stranger, 9e6]) {
      expect(await set(two, refusedId)).toMatchObject({
        logicalNumber: null,
        userErrors: [{ path: ['appVersionIds'], code: 'INVALID' }],
      });
    }
    expect(await changed(acme, SET, { id, appVersionIds: [nodeId('Group', group)] })).toMatchObject({
      userErrors: [{ path: ['appVersionIds'], code: 'INVALID' }],
    });
    expect(await versionsOf('104')).toEqual([two]);
    expect(await set()).toMatchObject({ userErrors: [] });
    expect(await versionsOf('104')).toEqual([]);
  });

  it.each([
    ['the id of something else', 'groupId', nodeId('Device', 1)],
    ['app versions without a group', 'appVersionIds', [nodeId('AppVersion', 1)]],
  ])('is refused in userErrors with %s', async (_case, field, value) => {
    const input = { number: 'N', [field]: value };
    const { logicalNumber, userErrors } = await changed(server.acme, CREATE, { input });
    expect(logicalNumber).toBeNull();
    expect(userErrors).toMatchObject([{ path: ['input', field], code: 'INVALID' }]);
  });
});

describe('the list of logical numbers', () => {
  let group = 0;
  beforeAll(async () => {
    const { client } = server.beta;
    group = await fleet.group(client, 'listed');
    await fleet.logicalNumber(client, 'b', { group_id: group });
    await fleet.logicalNumber(client, 'c');
    await fleet.logicalNumber(client, 'a', { group_id: group });
  });

  it.each<[Fields | (() => Fields), string[]]>([
    [{ orderBy: { field: 'NUMBER' } }, ['a', 'b', 'c']],
    [{ orderBy: { field: 'ID', direction: 'DESC' } }, ['a', 'c', 'b']],
    [{ orderBy: { field: 'CREATED_AT' } }, ['b', 'c', 'a']],
    [{ filter: { number: { in: ['c', 'a', 'z'] } } }, ['c', 'a']],
    [{ filter: { groupId: { isNull: true } } }, ['c']],
    [() => ({ filter: { groupId: { eq: nodeId('Group', group) } } }), ['b', 'a']],
    [() => ({ filter: { groupId: { eq: nodeId('LogicalNumber', group) } } }), []],
  ])('is ordered and narrowed: case %#', async (given, expected) => {
    expect(await listed(server.beta, 'LogicalNumber', 'number', given)).toEqual(expected);
  });

  it('is read for each group, page by page', async () => {
    const { group: answer } = await answered<{ group: Fields }>(
      server.beta,
      `{ group(name: "listed") { logicalNumbers(first: 1, orderBy: { field: NUMBER }) { totalCount
          nodes { number group { name } } pageInfo { hasNextPage } } } }`,
    );
    const nodes = [{ number: 'a', group: { name: 'listed' } }];
    expect(answer).toEqual({ logicalNumbers: { totalCount: 2, nodes, pageInfo: { hasNextPage: true } } });
  });
});
