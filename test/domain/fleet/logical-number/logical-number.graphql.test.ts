import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Fields } from '../../../support/client.js';
import { answered, changed, nodeId, refused, statementsFor, type Page } from '../../../support/dashboard.js';
import { fleet, ledgerOf } from '../../../support/fleet.js';
import { startServer, type TestServer } from '../../../support/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.stop();
});

const FIELDS = `id databaseId number group { id name } createdVia createdBy { databaseId }`;
const ERRORS = 'userErrors { message path code }';
const PAYLOAD = `{ logicalNumber { ${FIELDS} } ${ERRORS} }`;
const CREATE = `mutation ($input: LogicalNumberCreateInput!) { logicalNumberCreate(input: $input) ${PAYLOAD} }`;
const UPDATE = `mutation ($id: ID!, $input: LogicalNumberUpdateInput!) {
  logicalNumberUpdate(id: $id, input: $input) ${PAYLOAD} }`;
const DELETE = `mutation ($id: ID!) { logicalNumberDelete(id: $id) { deletedId ${ERRORS} } }`;
const MOVE = `mutation ($id: ID!, $groupId: ID) { logicalNumberMove(id: $id, groupId: $groupId) ${PAYLOAD} }`;
const SET = `mutation ($id: ID!, $appVersionIds: [ID!]!) {
  logicalNumberSetAppVersions(id: $id, appVersionIds: $appVersionIds) ${PAYLOAD} }`;

const versionIds = (...ids: number[]) => ids.map((id) => nodeId('AppVersion', id));
const versionsOf = async (number: string): Promise<unknown> =>
  (await server.acme.client.get(`logical_numbers/${number}`)).record('logical_number').app_version_ids;

describe('a logical number in GraphQL', () => {
  it('is created with the given fields and found by each of its keys', async () => {
    const { acme } = server;
    const group = await fleet.group(acme.client, 'of the created');
    const [version = 0, other = 0] = await fleet.appVersions(acme.client, 2, [group]);
    const input = {
      number: '100',
      groupId: nodeId('Group', group),
      appVersionIds: versionIds(other, version),
    };
    const { logicalNumber } = await changed<{ logicalNumber: { id: string; databaseId: number } }>(
      acme,
      CREATE,
      {
        input,
      },
    );
    const { id, databaseId } = logicalNumber;
    expect(logicalNumber).toEqual({
      ...{ id: nodeId('LogicalNumber', databaseId), databaseId, number: '100', createdVia: 'API' },
      group: { id: nodeId('Group', group), name: 'of the created' },
      createdBy: { databaseId: acme.caller.userId },
    });
    expect(await versionsOf('100')).toEqual([version, other]);
    const found = await answered(
      acme,
      `query ($id: ID!, $databaseId: Int!) { a: logicalNumber(id: $id) { ${FIELDS} }
        b: logicalNumber(databaseId: $databaseId) { ${FIELDS} } c: logicalNumber(number: "100") { ${FIELDS} } }`,
      { id, databaseId },
    );
    expect(found).toEqual({ a: logicalNumber, b: logicalNumber, c: logicalNumber });
  });

  it('keeps absent fields and clears fields that are null', async () => {
    const { acme } = server;
    const group = await fleet.group(acme.client, 'kept');
    const [version = 0] = await fleet.appVersions(acme.client, 1, [group]);
    const more = { group_id: group, app_version_ids: [version] };
    const id = nodeId('LogicalNumber', await fleet.logicalNumber(acme.client, '101', more));
    const update = async (input: Fields) => await changed(acme, UPDATE, { id, input });
    const kept = { group: { name: 'kept' } };
    expect(await update({})).toMatchObject({ logicalNumber: { number: '101', ...kept } });
    expect(await update({ number: '101a' })).toMatchObject({ logicalNumber: { number: '101a', ...kept } });
    expect(await versionsOf('101a')).toEqual([version]);
    expect(await update({ appVersionIds: [] })).toMatchObject({ logicalNumber: kept });
    expect(await versionsOf('101a')).toEqual([]);
    expect(await update({ groupId: null })).toMatchObject({ logicalNumber: { group: null } });
    expect(await update({ number: null })).toMatchObject({
      logicalNumber: null,
      userErrors: [{ message: 'must be a string', path: ['input', 'number'], code: 'INVALID' }],
    });
  });

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

  it('is deleted; its devices stay without a number', async () => {
    const { acme } = server;
    const number = await fleet.logicalNumber(acme.client, '105');
    await fleet.device(acme.client, 'ORPHAN', { logical_number_id: number });
    const id = nodeId('LogicalNumber', number);
    expect(await changed(acme, DELETE, { id })).toEqual({ deletedId: id, userErrors: [] });
    expect(
      await answered(
        acme,
        '{ device(serialNumber: "ORPHAN") { logicalNumber { id } } logicalNumber(number: "105") { id } }',
      ),
    ).toEqual({ device: { logicalNumber: null }, logicalNumber: null });
    expect(await changed(acme, DELETE, { id })).toMatchObject({
      deletedId: null,
      userErrors: [{ message: 'No such logical number.', path: ['id'], code: 'NOT_FOUND' }],
    });
  });

  it.each([
    ['a number that exists', { number: 'KNOWN' }, 'number', 'TAKEN'],
    ['a comma', { number: '1,2' }, 'number', 'INVALID'],
    [
      'a group that the company does not have',
      { number: 'N', groupId: nodeId('Group', 9e6) },
      'groupId',
      'INVALID',
    ],
    ['the id of something else', { number: 'N', groupId: nodeId('Device', 1) }, 'groupId', 'INVALID'],
    [
      'app versions without a group',
      { number: 'N', appVersionIds: [nodeId('AppVersion', 1)] },
      'appVersionIds',
      'INVALID',
    ],
  ])('is refused in userErrors with %s', async (_case, input, field, code) => {
    await server.acme.client.post('logical_numbers', { number: 'KNOWN' });
    const { logicalNumber, userErrors } = await changed(server.acme, CREATE, { input });
    expect(logicalNumber).toBeNull();
    expect(userErrors).toMatchObject([{ path: ['input', field], code }]);
  });

  it('can be read but not changed by viewers', async () => {
    const viewer = await server.member('acme', 'viewer');
    const id = nodeId('LogicalNumber', await fleet.logicalNumber(server.acme.client, '106'));
    expect(await answered(viewer, '{ logicalNumber(number: "106") { number } }')).toEqual({
      logicalNumber: { number: '106' },
    });
    for (const [mutation, variables] of [
      [CREATE, { input: { number: 'V' } }],
      [UPDATE, { id, input: {} }],
      [DELETE, { id }],
      [MOVE, { id, groupId: null }],
      [SET, { id, appVersionIds: [] }],
    ] as const) {
      expect((await refused(viewer, mutation, variables)).code).toBe('FORBIDDEN');
    }
  });
});

describe('the list of logical numbers', () => {
  const LIST = `query ($filter: LogicalNumberFilter, $orderBy: LogicalNumberOrder) {
    logicalNumbers(filter: $filter, orderBy: $orderBy) { totalCount nodes { number } } }`;
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
    const variables = typeof given === 'function' ? given() : given;
    const { logicalNumbers } = await answered<{ logicalNumbers: Page<{ number: string }> }>(
      server.beta,
      LIST,
      variables,
    );
    expect(logicalNumbers.nodes.map(({ number }) => number)).toEqual(expected);
    expect(logicalNumbers.totalCount).toBe(expected.length);
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

  it('takes one statement for each level and one for its counts, for any number of groups', async () => {
    const query = `{ groups(first: 40) { totalCount nodes { name
      logicalNumbers(first: 5) { totalCount nodes { number createdBy { name } group { name } } } } } }`;
    const member = await server.member('beta', 'operator');
    const few = await statementsFor(server, member, query);
    for (let n = 0; n < 10; n += 1) {
      const id = await fleet.group(member.client, `many ${n}`);
      await fleet.logicalNumber(member.client, `many ${n}`, { group_id: id });
    }
    const many = await statementsFor(server, member, query);
    expect(many).toHaveLength(few.length);
    expect(many).toHaveLength(6);
  });
});
