import { describe, expect, it } from 'vitest';

import { changed, nodeId, type Page, type UserErrorShape } from '../../../support/dashboard.js';
import { fleet, ledgerOf, softwareOf, unique, rowsIn, wideFleet } from '../../../support/fleet.js';
import { useServer, type Fields } from '../../../support/server.js';

const server = useServer();

const SET = `mutation ($id: ID!, $appVersionIds: [ID!]!, $ifMatch: Int) {
  groupSetDefaultAppVersions(id: $id, appVersionIds: $appVersionIds, ifMatch: $ifMatch) {
    group { databaseId revision defaultAppVersions(first: 100) { totalCount nodes { databaseId } } }
    userErrors { message path code } } }`;

interface Payload {
  readonly group: (Fields & { readonly defaultAppVersions: Page<{ readonly databaseId: number }> }) | null;
  readonly userErrors: readonly UserErrorShape[];
}

const variables = (group: number, versions: readonly number[]): Fields => ({
  id: nodeId('Group', group),
  appVersionIds: versions.map((id) => nodeId('AppVersion', id)),
});
const set = (group: number, versions: readonly number[], more: Fields = {}) =>
  changed<Payload>(server.acme, SET, { ...variables(group, versions), ...more });
const newGroup = (): Promise<number> => fleet.group(server.acme.client, unique());
const versionOf = async (groups: readonly number[]): Promise<number> =>
  (await fleet.appVersions(server.acme.client, 1, groups))[0] ?? 0;
const rows = (group: number): Promise<number> =>
  rowsIn(server, 'group_default_versions', `group_id = ${group}`);
const ledgerOfGroup = (group: number) => ledgerOf(server, server.acme, 'group', group);
const read = async (number: string): Promise<Fields> =>
  (await server.acme.client.get(`logical_numbers/${number}`)).record('logical_number');
const versionsOf = async (number: string): Promise<unknown> => (await read(number)).app_version_ids;

async function created(fields: Fields): Promise<string> {
  const number = unique();
  await fleet.logicalNumber(server.acme.client, number, fields);
  return number;
}

describe('the default versions of a group', () => {
  it('are replaced, with a ledger entry of the group', async () => {
    const group = await newGroup();
    const [one, two] = [await versionOf([group]), await versionOf([group])];
    const having = (versions: readonly number[], revision: number) => ({
      group: {
        databaseId: group,
        revision,
        defaultAppVersions: {
          totalCount: versions.length,
          nodes: versions.map((databaseId) => ({ databaseId })),
        },
      },
      userErrors: [],
    });
    expect(await set(group, [two])).toEqual(having([two], 2));
    expect(await set(group, [two, one, two])).toEqual(having([one, two], 3));
    expect(await set(group, [one, two])).toEqual(having([one, two], 3));
    expect(await set(group, [])).toEqual(having([], 4));
    const [, first, second, third, ...more] = await ledgerOfGroup(group);
    expect(more).toEqual([]);
    expect(first).toMatchObject({
      action: 'update',
      before: { revision: 1, defaultAppVersionIds: [] },
      after: { revision: 2, defaultAppVersionIds: [two] },
    });
    expect(second?.after).toMatchObject({ defaultAppVersionIds: [one, two] });
    expect(third).toMatchObject({
      before: { defaultAppVersionIds: [one, two] },
      after: { defaultAppVersionIds: [] },
    });
  });

  it('must be attached to the group, which they are not if they are of another company or missing', async () => {
    const group = await newGroup();
    const [attached, elsewhere] = [await versionOf([group]), await versionOf([await newGroup()])];
    const [foreign = 0] = await fleet.appVersions(server.beta.client, 1, []);
    for (const id of [elsewhere, foreign, 9e6]) {
      expect(await set(group, [attached, id])).toEqual({
        group: null,
        userErrors: [
          {
            message: `must be app versions that are attached to the group: not ${id}`,
            path: ['appVersionIds'],
            code: 'INVALID',
          },
        ],
      });
    }
    expect([await rows(group), (await ledgerOfGroup(group)).length]).toEqual([0, 1]);
  });

  it('are at most one of each app', async () => {
    const group = await newGroup();
    const [one = 0, two = 0] = await fleet.appVersions(server.acme.client, 2, [group]);
    const { group: after, userErrors } = await set(group, [one, two]);
    expect(after).toBeNull();
    expect(userErrors).toMatchObject([
      {
        message: `must have at most one version of each app: ${one} and ${two} are of one app`,
        path: ['appVersionIds'],
      },
    ]);
  });

  it('are set for the revision that was read, in a group of their company', async () => {
    const group = await newGroup();
    const version = await versionOf([group]);
    expect(await set(group, [version], { ifMatch: 7 })).toMatchObject({
      group: null,
      userErrors: [{ code: 'STALE', path: ['ifMatch'] }],
    });
    const foreign = await fleet.group(server.beta.client, unique());
    for (const id of [foreign, 9e6]) {
      expect(await set(id, [])).toEqual({
        group: null,
        userErrors: [{ message: 'No such group.', path: ['id'], code: 'NOT_FOUND' }],
      });
    }
    expect(await rows(group)).toBe(0);
  });

  it('are those no more that are detached from the group or deleted', async () => {
    const [group, other] = [await newGroup(), await newGroup()];
    const path = await softwareOf(server.acme.client).app();
    const detached = (await softwareOf(server.acme.client).version(path, { group_ids: [group, other] }))
      .id as number;
    const [deleted, kept] = [await versionOf([group, other]), await versionOf([group])];
    await set(group, [detached, deleted, kept]);
    await set(other, [detached, deleted]);
    const put = await server.acme.client.put(`${path}/${detached}`, { group_ids: [other] });
    expect(put.status, put.text).toBe(200);
    expect([await rows(group), await rows(other)]).toEqual([2, 2]);
    await changed(server.acme, 'mutation ($id: ID!) { appVersionDelete(id: $id) { userErrors { code } } }', {
      id: nodeId('AppVersion', deleted),
    });
    expect([await rows(group), await rows(other)]).toEqual([1, 1]);
    await changed(
      server.acme,
      `mutation ($id: ID!, $appVersionIds: [ID!]!) {
        groupDetachAppVersions(id: $id, appVersionIds: $appVersionIds) { userErrors { code } } }`,
      variables(group, [kept]),
    );
    expect(await rows(group)).toBe(0);
    const deletion = await changed(
      server.acme,
      'mutation ($id: ID!) { groupDelete(id: $id) { deletedId userErrors { code } } }',
      { id: nodeId('Group', group) },
    );
    expect(deletion.userErrors).toEqual([]);
    expect(await server.place.check()).toEqual([]);
  });

  it('are those no more whose app is deleted', async () => {
    const { group, versions, app } = await wideFleet(server, server.acme, 300);
    await set(group, [versions[0]]);
    await changed(
      server.acme,
      'mutation ($id: ID!) { appDelete(id: $id) { deletedId userErrors { code } } }',
      { id: nodeId('App', app) },
    );
    expect(await rows(group)).toBe(0);
    expect(await versionsOf(await created({ group_id: group }))).toEqual([]);
    expect(await server.place.check()).toEqual([]);
  });
});

const CREATE = `mutation ($input: LogicalNumberCreateInput!) {
  logicalNumberCreate(input: $input) { logicalNumber { id number } userErrors { message code } } }`;
const MOVE = `mutation ($id: ID!, $groupId: ID) {
  logicalNumberMove(id: $id, groupId: $groupId) { userErrors { message code } } }`;
const UPDATE = `mutation ($id: ID!, $input: LogicalNumberUpdateInput!) {
  logicalNumberUpdate(id: $id, input: $input) { userErrors { message code } } }`;

describe('a logical number', () => {
  it('gets the default versions of the group that it is created in', async () => {
    const group = await newGroup();
    const [one, two, other] = [await versionOf([group]), await versionOf([group]), await versionOf([group])];
    await set(group, [two, one]);
    const rest = await created({ group_id: group });
    expect(await versionsOf(rest)).toEqual([one, two]);
    const [entry, ...more] = await ledgerOf(
      server,
      server.acme,
      'logical_number',
      (await read(rest)).id as number,
    );
    expect([entry?.action, entry?.after?.appVersionIds, more]).toEqual(['create', [one, two], []]);
    const number = unique();
    const made = await changed(server.acme, CREATE, { input: { number, groupId: nodeId('Group', group) } });
    expect([made.userErrors, await versionsOf(number)]).toEqual([[], [one, two]]);
    expect(await versionsOf(await created({}))).toEqual([]);
    // A list that the client gives is the whole list.
    expect(await versionsOf(await created({ group_id: group, app_version_ids: [other] }))).toEqual([other]);
    expect(await versionsOf(await created({ group_id: group, app_version_ids: [] }))).toEqual([]);
  });

  it('gets the default versions of the group that it is moved to', async () => {
    const [from, group] = [await newGroup(), await newGroup()];
    const [kept, lost, added] = [
      await versionOf([from, group]),
      await versionOf([from]),
      await versionOf([group]),
    ];
    await set(group, [added]);
    const start = { group_id: from, app_version_ids: [kept, lost] };
    const moves: readonly ((number: string, id: string) => Promise<unknown>)[] = [
      (number) => server.acme.client.put(`logical_numbers/${number}`, { group_id: group }),
      (_number, id) => changed(server.acme, MOVE, { id, groupId: nodeId('Group', group) }),
      (_number, id) => changed(server.acme, UPDATE, { id, input: { groupId: nodeId('Group', group) } }),
    ];
    for (const move of moves) {
      const number = await created(start);
      const id = (await read(number)).id as number;
      await move(number, nodeId('LogicalNumber', id));
      expect(await versionsOf(number)).toEqual([kept, added]);
      const entries = await ledgerOf(server, server.acme, 'logical_number', id);
      expect(entries).toHaveLength(2);
      expect(entries[1]).toMatchObject({
        before: { groupId: from, appVersionIds: [kept, lost] },
        after: { groupId: group, appVersionIds: [kept, added] },
      });
    }
    const number = await created(start);
    await server.acme.client.put(`logical_numbers/${number}`, { group_id: group, app_version_ids: [kept] });
    expect(await versionsOf(number)).toEqual([kept]);
  });

  it('keeps its version of an app instead of the default version, if it may keep it in the group', async () => {
    const [from, group] = [await newGroup(), await newGroup()];
    const path = await softwareOf(server.acme.client).app();
    const version = async (groups: readonly number[]): Promise<number> =>
      (await softwareOf(server.acme.client).version(path, { group_ids: groups })).id as number;
    const [own, lost, standard] = [
      await version([from, group]),
      await version([from]),
      await version([group]),
    ];
    await set(group, [standard]);
    const move = async (versions: readonly number[]): Promise<unknown> => {
      const number = await created({ group_id: from, app_version_ids: versions });
      await server.acme.client.put(`logical_numbers/${number}`, { group_id: group });
      return await versionsOf(number);
    };
    expect(await move([own, lost])).toEqual([own]);
    expect(await move([lost])).toEqual([standard]);
    expect(await move([])).toEqual([standard]);
  });

  it('gets nothing when the default versions change, or when it stays in its group', async () => {
    const group = await newGroup();
    const version = await versionOf([group]);
    const number = await created({ group_id: group });
    await set(group, [version]);
    expect(await versionsOf(number)).toEqual([]);
    await server.acme.client.put(`logical_numbers/${number}`, { group_id: group });
    expect(await versionsOf(number)).toEqual([]);
    await server.acme.client.put(`logical_numbers/${number}`, { group_id: null });
    expect(await versionsOf(number)).toEqual([]);
    await server.acme.client.put(`logical_numbers/${number}`, { group_id: group });
    expect(await versionsOf(number)).toEqual([version]);
  });

  it('gets one default version in as many statements as several', async () => {
    const count = async (versions: number): Promise<number> => {
      const group = await newGroup();
      const ids: number[] = [];
      for (let n = 0; n < versions; n += 1) ids.push(await versionOf([group]));
      await set(group, ids);
      const create = () => created({ group_id: group });
      await create();
      return (await server.statements(create)).statements.length;
    };
    expect(await count(5)).toBe(await count(1));
  });
});
