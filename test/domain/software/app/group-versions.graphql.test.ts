import { describe, expect, it } from 'vitest';

import { nodeId } from '../../../support/dashboard.js';
import {
  fleet,
  ledgerOf,
  rowsIn,
  softwareOf,
  unique,
  versionIdsOf,
  wideFleet,
} from '../../../support/fleet.js';
import { expectRefused, mutated } from '../../../support/mutations.js';
import { type Fields, useServer } from '../../../support/server.js';

const server = useServer();

const [ATTACH, DETACH] = ['groupAttachAppVersions', 'groupDetachAppVersions'] as const;

const newGroup = (): Promise<number> => fleet.group(server.acme.client, unique());
const versions = (count: number, groups: readonly number[] = []): Promise<number[]> =>
  fleet.appVersions(server.acme.client, count, groups);
const variables = (group: number, ids: readonly number[]) => ({
  id: nodeId('Group', group),
  appVersionIds: ids.map((id) => nodeId('AppVersion', id)),
});
const link = (mutation: string, group: number, ids: readonly number[]) =>
  mutated(
    server.acme,
    mutation,
    variables(group, ids),
    'group { databaseId appVersions(first: 100) { totalCount nodes { databaseId } } }',
  );
const having = (group: number, ids: readonly number[]) => ({
  group: {
    databaseId: group,
    appVersions: { totalCount: ids.length, nodes: ids.map((databaseId) => ({ databaseId })) },
  },
});
const versionsOf = (number: string): Promise<unknown> => versionIdsOf(server.acme.client, number);
const ledger = (type: string, id: number) => ledgerOf(server, server.acme, type, id);

describe('app versions of a group', () => {
  it('are attached with one ledger entry each; attached versions are not changed', async () => {
    const [before, group] = [await newGroup(), await newGroup()];
    const [known = 0] = await versions(1, [group]);
    const [one = 0, two = 0] = await versions(2, [before]);
    server.clock.advance(60_000);
    expect(await link(ATTACH, group, [two, known, one, two])).toEqual(having(group, [known, one, two]));
    for (const id of [one, two]) {
      const [, attached] = await ledger('app_version', id);
      const { revision, updatedAt } = attached?.before ?? {};
      expect(attached).toMatchObject({
        action: 'update',
        before: { groupIds: [before] },
        after: { groupIds: [before, group], revision: Number(revision) + 1 },
      });
      expect(attached?.after?.updatedAt).not.toBe(updatedAt);
    }
    expect(await ledger('app_version', known)).toHaveLength(1);
    expect(await ledger('group', group)).toHaveLength(1);
  });

  it('are detached from the group and from its own logical numbers only', async () => {
    const { client } = server.acme;
    const [group, other] = [await newGroup(), await newGroup()];
    const [shared = 0, kept = 0, loose = 0] = [
      ...(await versions(1, [group, other])),
      ...(await versions(1, [group])),
      ...(await versions(1)),
    ];
    const number = async (name: string, groupId: number, ids: number[]): Promise<number> =>
      await fleet.logicalNumber(client, name, { group_id: groupId, app_version_ids: ids });
    const [here, there] = [
      await number('here', group, [shared, kept]),
      await number('there', other, [shared]),
    ];
    expect(await link(DETACH, group, [shared, loose])).toEqual(having(group, [kept]));
    expect([await versionsOf('here'), await versionsOf('there')]).toEqual([[kept], [shared]]);
    expect((await ledger('app_version', shared)).at(-1)).toMatchObject({
      action: 'update',
      before: { groupIds: [group, other] },
      after: { groupIds: [other] },
    });
    expect((await ledger('logical_number', here)).at(-1)?.after).toMatchObject({ appVersionIds: [kept] });
    expect(await ledger('logical_number', there)).toHaveLength(1);
    expect(await ledger('app_version', loose)).toHaveLength(1);
  });

  it.each([ATTACH, DETACH])('change nothing if one id is invalid: %s', async (mutation) => {
    const group = await newGroup();
    const [attached = 0] = await versions(1, [group]);
    const [version = 0] = await versions(1);
    const [foreign = 0] = await fleet.appVersions(server.beta.client, 1, []);
    const expectInvalid = async (message: string, ...ids: string[]): Promise<void> => {
      const given = variables(group, [attached, version]);
      const appVersionIds = [...given.appVersionIds, ...ids];
      await expectRefused(
        server.acme,
        mutation,
        { ...given, appVersionIds },
        'INVALID appVersionIds',
        message,
      );
    };
    for (const id of [9e6, foreign])
      await expectInvalid('must hold ids of app versions only', nodeId('AppVersion', id));
    for (const id of [nodeId('App', version), 'x'])
      await expectInvalid('must be the id of an app version', id);
    const many = Array.from({ length: 1001 }, (_, n) => nodeId('AppVersion', 1e6 + n));
    await expectInvalid('must have at most 1000 entries', ...many);
    expect(await ledger('app_version', attached)).toHaveLength(1);
    expect(await ledger('app_version', version)).toHaveLength(1);
  });

  it('are attached and detached with a constant number of statements', async () => {
    const group = await newGroup();
    const all = await versions(12);
    const count = async (query: string, ids: readonly number[]): Promise<number> =>
      (await server.statements(() => link(query, group, ids))).statements.length;
    await link(ATTACH, group, all);
    await fleet.logicalNumber(server.acme.client, unique(), { group_id: group, app_version_ids: all });
    await fleet.logicalNumber(server.acme.client, unique(), { group_id: group, app_version_ids: all });
    // The last one stays: the records of an empty page are not read.
    const [few, many] = [all.slice(0, 2), all.slice(2, -1)];
    const detached = [await count(DETACH, few), await count(DETACH, many)];
    const attached = [await count(ATTACH, few), await count(ATTACH, many)];
    expect(detached[1]).toBe(detached[0]);
    expect(attached[1]).toBe(attached[0]);
  });
});

const SET = 'groupSetDefaultAppVersions';
const set = (group: number, versions: readonly number[]) =>
  mutated(
    server.acme,
    SET,
    variables(group, versions),
    'group { revision defaultAppVersions(first: 100) { totalCount nodes { databaseId } } }',
  );
const expectNotSet = (given: Fields, refusal: string, message?: string) =>
  expectRefused(server.acme, SET, given, refusal, message);
const versionOf = async (groups: readonly number[]): Promise<number> =>
  (await fleet.appVersions(server.acme.client, 1, groups))[0] ?? 0;
const rows = (group: number): Promise<number> =>
  rowsIn(server, 'group_default_versions', `group_id = ${group}`);
const read = async (number: string): Promise<Fields> =>
  (await server.acme.client.get(`logical_numbers/${number}`)).record('logical_number');

const remove = (type: 'App' | 'AppVersion' | 'Group', id: number) =>
  mutated(server.acme, `${type.charAt(0).toLowerCase()}${type.slice(1)}Delete`, { id: nodeId(type, id) });

async function created(fields: Fields): Promise<string> {
  const number = unique();
  await fleet.logicalNumber(server.acme.client, number, fields);
  return number;
}

describe('the default versions of a group', () => {
  it('are replaced, with a ledger entry of the group', async () => {
    const group = await newGroup();
    const [one, two] = [await versionOf([group]), await versionOf([group])];
    const having = (versions: readonly number[], revision: number) => {
      const nodes = versions.map((databaseId) => ({ databaseId }));
      return { group: { revision, defaultAppVersions: { totalCount: versions.length, nodes } } };
    };
    expect(await set(group, [two])).toEqual(having([two], 2));
    expect(await set(group, [two, one, two])).toEqual(having([one, two], 3));
    expect(await set(group, [one, two])).toEqual(having([one, two], 3));
    expect(await set(group, [])).toEqual(having([], 4));
    const [, first, second, third, ...more] = await ledger('group', group);
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
      const message = `must be app versions that are attached to the group: not ${id}`;
      await expectNotSet(variables(group, [attached, id]), 'INVALID appVersionIds', message);
    }
    expect([await rows(group), (await ledger('group', group)).length]).toEqual([0, 1]);
  });

  it('are at most one of each app', async () => {
    const group = await newGroup();
    const [one = 0, two = 0] = await fleet.appVersions(server.acme.client, 2, [group]);
    const message = `must have at most one version of each app: ${one} and ${two} are of one app`;
    await expectNotSet(variables(group, [one, two]), 'INVALID appVersionIds', message);
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
    await remove('AppVersion', deleted);
    expect([await rows(group), await rows(other)]).toEqual([1, 1]);
    await link(DETACH, group, [kept]);
    expect(await rows(group)).toBe(0);
    await remove('Group', group);
    expect(await server.place.check()).toEqual([]);
  });

  it('are those no more whose app is deleted', async () => {
    const { group, versions, app } = await wideFleet(server, server.acme, 300);
    await set(group, [versions[0]]);
    await remove('App', app);
    expect(await rows(group)).toBe(0);
    expect(await versionsOf(await created({ group_id: group }))).toEqual([]);
    expect(await server.place.check()).toEqual([]);
  });
});

describe('a logical number', () => {
  it('gets the default versions of the group that it is created in', async () => {
    const group = await newGroup();
    const [one, two, other] = [await versionOf([group]), await versionOf([group]), await versionOf([group])];
    await set(group, [two, one]);
    const rest = await created({ group_id: group });
    expect(await versionsOf(rest)).toEqual([one, two]);
    const [entry, ...more] = await ledger('logical_number', (await read(rest)).id as number);
    expect([entry?.action, entry?.after?.appVersionIds, more]).toEqual(['create', [one, two], []]);
    const number = unique();
    await mutated(server.acme, 'logicalNumberCreate', { input: { number, groupId: nodeId('Group', group) } });
    expect(await versionsOf(number)).toEqual([one, two]);
    expect(await versionsOf(await created({}))).toEqual([]);
    // A list that the client gives is the whole list.
    expect(await versionsOf(await created({ group_id: group, app_version_ids: [other] }))).toEqual([other]);
    expect(await versionsOf(await created({ group_id: group, app_version_ids: [] }))).toEqual([]);
  });

  it('contract 24: keeps what the group has that it is moved to, and gets its default versions', async () => {
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
      (_number, id) => mutated(server.acme, 'logicalNumberMove', { id, groupId: nodeId('Group', group) }),
      (_number, id) =>
        mutated(server.acme, 'logicalNumberUpdate', { id, input: { groupId: nodeId('Group', group) } }),
    ];
    for (const move of moves) {
      const number = await created(start);
      const id = (await read(number)).id as number;
      await move(number, nodeId('LogicalNumber', id));
      expect(await versionsOf(number)).toEqual([kept, added]);
      const entries = await ledger('logical_number', id);
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
