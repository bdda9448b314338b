import { describe, expect, it, beforeAll } from 'vitest';

import { answered, listed, nodeId } from '../../../support/dashboard.js';
import { fleet, ledgerOf, versionIdsOf } from '../../../support/fleet.js';
import { expectRefused, mutated } from '../../../support/mutations.js';
import { useServer, type Fields } from '../../../support/server.js';

const server = useServer();

const read = async (number: string): Promise<Fields> =>
  (await server.acme.client.get(`logical_numbers/${number}`)).record('logical_number');

describe('/v1/logical_numbers', () => {
  it('contract 18: the create response has no app_version_ids, every other has', async () => {
    const { client } = server.acme;
    const created = await client.post('logical_numbers', { number: '112233' });
    expect(created.record('logical_number')).not.toHaveProperty('app_version_ids');
    const others = [
      await read('112233'),
      (await client.put('logical_numbers/112233', {})).record('logical_number'),
      (await client.get('logical_numbers')).list('logical_numbers')[0] ?? {},
    ];
    for (const fields of others) expect(fields).toMatchObject({ number: '112233', app_version_ids: [] });
  });

  it('contract 18: deleting one leaves its devices without a number', async () => {
    const { client } = server.acme;
    const id = await fleet.logicalNumber(client, 'owner');
    const devices = [1, 2, 3].map((n) => fleet.device(client, `D-${n}`, { logical_number_id: id }));
    expect((await client.delete('logical_numbers/owner')).status).toBe(200);
    for (const device of await Promise.all(devices)) {
      const left = (await client.get(`devices/${device}`)).record('device');
      expect(left.logical_number_id).toBeNull();
      expect(await ledgerOf(server, server.acme, 'device', device)).toMatchObject([
        { action: 'create' },
        { action: 'update', before: { logicalNumberId: id }, after: { logicalNumberId: null } },
      ]);
    }
  });

  it('deletes one in a constant number of statements', async () => {
    const { client } = server.acme;
    const removal = async (number: string, things: number): Promise<number> => {
      const id = await fleet.logicalNumber(client, number);
      for (let n = 0; n < things; n += 1) {
        await fleet.device(client, `${number}-${n}`, { logical_number_id: id });
        await client.post('parameters', { number, key: `k${n}`, value: 'v' });
        await client.post('metacontents', { number, key: `k${n}`, value: {} });
      }
      const { statements } = await server.statements(() => client.delete(`logical_numbers/${number}`));
      return statements.length;
    };
    expect(await removal('rich', 12)).toBe(await removal('poor', 1));
  });
});

describe("a logical number's app versions", () => {
  it('contract 24: must be linked to its group', async () => {
    const { client } = server.acme;
    const group = await fleet.group(client, 'linked');
    const other = await fleet.group(client, 'not linked');
    const [first = 0, second = 0, third = 0] = await fleet.appVersions(client, 3, [group]);
    const [strange = 0] = await fleet.appVersions(client, 1, [other]);
    await fleet.logicalNumber(client, 'L-1', { group_id: group, app_version_ids: [third, first, third] });
    expect((await read('L-1')).app_version_ids).toEqual([first, third]);
    const changed = await client.put('logical_numbers/L-1', { app_version_ids: [third, second] });
    expect(changed.record('logical_number').app_version_ids).toEqual([second, third]);

    const refused = await client.put('logical_numbers/L-1', { app_version_ids: [first, strange] });
    expect(refused.status).toBe(422);
    expect(refused.body.errors).toEqual({
      app_version_ids: [`must be app versions linked to the number's group: not ${strange}`],
    });
    expect((await read('L-1')).app_version_ids).toEqual([second, third]);
    const listed = (await client.get('logical_numbers')).list('logical_numbers');
    expect(listed.find(({ number }) => number === 'L-1')).toMatchObject({ app_version_ids: [second, third] });
  });
});

const versionIds = (...ids: number[]) => ids.map((id) => nodeId('AppVersion', id));

describe('a logical number in GraphQL', () => {
  it('is moved between groups and out of them, and keeps only app versions that are attached to the new group', async () => {
    const { acme } = server;
    const [from, to] = [await fleet.group(acme.client, 'left'), await fleet.group(acme.client, 'entered')];
    const [left = 0] = await fleet.appVersions(acme.client, 1, [from]);
    const [both = 0] = await fleet.appVersions(acme.client, 1, [from, to]);
    const more = { group_id: from, app_version_ids: [left, both] };
    const databaseId = await fleet.logicalNumber(acme.client, '102', more);
    const id = nodeId('LogicalNumber', databaseId);
    const move = (groupId: string | null) =>
      mutated(acme, 'logicalNumberMove', { id, groupId }, 'logicalNumber { group { name } }');
    expect(await move(nodeId('Group', to))).toEqual({ logicalNumber: { group: { name: 'entered' } } });
    expect(await versionIdsOf(acme.client, '102')).toEqual([both]);
    const absent = 'is required; it may be null';
    await expectRefused(acme, 'logicalNumberMove', { id }, 'INVALID groupId', absent);
    expect(await move(null)).toEqual({ logicalNumber: { group: null } });
    expect(await versionIdsOf(acme.client, '102')).toEqual([]);
    const unknown = { id, groupId: nodeId('Group', 9e6) };
    await expectRefused(acme, 'logicalNumberMove', unknown, 'INVALID groupId');
    const entries = await ledgerOf(server, acme, 'logical_number', databaseId);
    expect(entries.map(({ after }) => after?.groupId)).toEqual([from, to, null]);
  });

  it('is read again after each change of one operation', async () => {
    const { acme } = server;
    const group = await fleet.group(acme.client, 'grows');
    const numberOf = async (number: string) =>
      nodeId('LogicalNumber', await fleet.logicalNumber(acme.client, number));
    const [a, b] = [await numberOf('103a'), await numberOf('103b')];
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
    const set = (...ids: number[]) =>
      mutated(acme, 'logicalNumberSetAppVersions', { id, appVersionIds: versionIds(...ids) });
    await set(two);
    for (const refusedId of [...versionIds(stranger, 9e6), nodeId('Group', group)]) {
      const appVersionIds = [...versionIds(two), refusedId];
      await expectRefused(
        acme,
        'logicalNumberSetAppVersions',
        { id, appVersionIds },
        'INVALID appVersionIds',
      );
    }
    expect(await versionIdsOf(acme.client, '104')).toEqual([two]);
    await set();
    expect(await versionIdsOf(acme.client, '104')).toEqual([]);
  });

  it('is refused in userErrors with app versions without a group', async () => {
    const input = { number: 'N', appVersionIds: [nodeId('AppVersion', 1)] };
    await expectRefused(server.acme, 'logicalNumberCreate', { input }, 'INVALID input.appVersionIds');
  });
});

describe('the list of logical numbers', () => {
  let group = 0;
  let version: number;
  beforeAll(async () => {
    const { client } = server.beta;
    group = await fleet.group(client, 'listed');
    [version = 0] = await fleet.appVersions(client, 1, [group]);
    await fleet.logicalNumber(client, 'b', { group_id: group, app_version_ids: [] });
    const number = await fleet.logicalNumber(client, 'c');
    await fleet.device(client, 'of c', { logical_number_id: number });
    await fleet.logicalNumber(client, 'a', { group_id: group, app_version_ids: [version] });
  });

  it.each<[Fields | (() => Fields), string[]]>([
    [{ orderBy: { field: 'NUMBER' } }, ['a', 'b', 'c']],
    [{ orderBy: { field: 'ID', direction: 'DESC' } }, ['a', 'c', 'b']],
    [{ orderBy: { field: 'CREATED_AT' } }, ['b', 'c', 'a']],
    [{ filter: { number: { in: ['c', 'a', 'z'] } } }, ['c', 'a']],
    [{ filter: { groupId: { isNull: true } } }, ['c']],
    [() => ({ filter: { groupId: { eq: nodeId('Group', group) } } }), ['b', 'a']],
    [() => ({ filter: { groupId: { eq: nodeId('LogicalNumber', group) } } }), []],
    [{ filter: { hasDevice: { eq: true } } }, ['c']],
    [{ filter: { hasDevice: { eq: false } } }, ['b', 'a']],
    [() => ({ filter: { version: { in: [nodeId('AppVersion', version)] } } }), ['a']],
    [() => ({ filter: { not: { version: { eq: nodeId('AppVersion', version) } } } }), ['b', 'c']],
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
