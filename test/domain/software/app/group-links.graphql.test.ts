import { describe, expect, it } from 'vitest';

import { changed, nodeId, type Page, type UserErrorShape } from '../../../support/dashboard.js';
import { fleet, ledgerOf, unique } from '../../../support/fleet.js';
import { useServer, type Fields } from '../../../support/server.js';

const server = useServer();

const mutation = (name: string): string => `mutation ($id: ID!, $appVersionIds: [ID!]!) {
  ${name}(id: $id, appVersionIds: $appVersionIds) {
    group { databaseId appVersions(first: 100) { totalCount nodes { databaseId } } }
    userErrors { message path code } } }`;
const ATTACH = mutation('groupAttachAppVersions');
const DETACH = mutation('groupDetachAppVersions');

interface LinkPayload {
  readonly group: { readonly appVersions: Page<Fields> } | null;
  readonly userErrors: readonly UserErrorShape[];
}

const newGroup = (): Promise<number> => fleet.group(server.acme.client, unique());
const versions = (count: number, groups: readonly number[] = []): Promise<number[]> =>
  fleet.appVersions(server.acme.client, count, groups);
const variables = (group: number, ids: readonly number[]) => ({
  id: nodeId('Group', group),
  appVersionIds: ids.map((id) => nodeId('AppVersion', id)),
});
const link = async (query: string, group: number, ids: readonly number[]) =>
  await changed<LinkPayload>(server.acme, query, variables(group, ids));
const having = (group: number, ids: readonly number[]) => ({
  group: {
    databaseId: group,
    appVersions: { totalCount: ids.length, nodes: ids.map((databaseId) => ({ databaseId })) },
  },
  userErrors: [],
});
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
    const versionsOf = async (name: string): Promise<unknown> =>
      (await client.get(`logical_numbers/${name}`)).record('logical_number').app_version_ids;
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

  it('can be detached and attached again repeatedly', async () => {
    const group = await newGroup();
    const [version = 0] = await versions(1);
    for (const [query, ids] of [
      [ATTACH, [version]],
      [ATTACH, [version]],
      [DETACH, []],
      [DETACH, []],
    ] as const) {
      expect(await link(query, group, [version])).toEqual(having(group, ids));
    }
    expect(await ledger('app_version', version)).toHaveLength(3);
    expect(await link(ATTACH, group, [])).toEqual(having(group, []));
  });

  it.each([ATTACH, DETACH])('change nothing if one id is invalid: %s', async (query) => {
    const group = await newGroup();
    const [attached = 0] = await versions(1, [group]);
    const [version = 0] = await versions(1);
    const [foreign = 0] = await fleet.appVersions(server.beta.client, 1, []);
    const attempt = async (...ids: string[]) =>
      await changed<LinkPayload>(server.acme, query, {
        id: nodeId('Group', group),
        appVersionIds: [...variables(group, [attached, version]).appVersionIds, ...ids],
      });
    const nobodys = await attempt(nodeId('AppVersion', 9e6));
    expect(nobodys).toEqual({
      group: null,
      userErrors: [
        { message: 'must hold ids of app versions only', path: ['appVersionIds'], code: 'INVALID' },
      ],
    });
    expect(await attempt(nodeId('AppVersion', foreign))).toEqual(nobodys);
    for (const id of [nodeId('App', version), 'x']) {
      expect(await attempt(id)).toMatchObject({
        group: null,
        userErrors: [{ message: 'must be the id of an app version', path: ['appVersionIds'] }],
      });
    }
    const many = Array.from({ length: 1001 }, (_, n) => nodeId('AppVersion', 1e6 + n));
    expect(await attempt(...many)).toMatchObject({
      group: null,
      userErrors: [{ message: 'must have at most 1000 entries', path: ['appVersionIds'] }],
    });
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
    const detached = [await count(DETACH, all.slice(0, 2)), await count(DETACH, all.slice(2))];
    const attached = [await count(ATTACH, all.slice(0, 2)), await count(ATTACH, all.slice(2))];
    expect(detached[1]).toBe(detached[0]);
    expect(attached[1]).toBe(attached[0]);
  });
});
