import { beforeAll, describe, expect, it } from 'vitest';

import { answered, type Connection, nodeId, refused } from '../../../support/dashboard.js';
import { fleet } from '../../../support/fleet.js';
import { mutated } from '../../../support/mutations.js';
import { populate } from '../../../support/populated.js';
import { type Fields, type Member, useServer } from '../../../support/server.js';

const server = useServer();
let acme: Member;
let device = 0;
let group = 0;
beforeAll(async () => {
  acme = server.acme;
  await populate(server, acme, 3);
  device = await fleet.device(acme.client, 'TRACED');
  group = await fleet.group(acme.client, 'traced group');
  await acme.client.put('devices/TRACED', { enabled: false });
  await acme.client.delete('groups/traced%20group');
});

interface Entry extends Fields {
  readonly sequence: number;
  readonly action: string;
  readonly entityType: string;
  readonly entityId: number | null;
  readonly entity: (Fields & { readonly __typename: string }) | null;
}
type Entries = Connection<Entry>;

const LIST = `query ($filter: LedgerEntryFilter, $orderBy: LedgerEntryOrder, $first: Int, $after: String) {
  ledger(filter: $filter, orderBy: $orderBy, first: $first, after: $after) { totalCount
    nodes { id databaseId sequence at company { name } actor { databaseId } channel action entityType entityId
      before after entity { __typename id ... on Device { serialNumber enabled } } }
    pageInfo { hasNextPage endCursor } } }`;
const ledger = async (member: Member, variables: Fields = {}): Promise<Entries> =>
  (await answered<{ ledger: Entries }>(member, LIST, variables)).ledger;

describe('the history of one record', () => {
  it('is the ledger by entityType and entityId, with the record as it is now', async () => {
    const { nodes, totalCount } = await ledger(acme, {
      filter: { entityType: { eq: 'device' }, entityId: { eq: device } },
    });
    const entity = { __typename: 'Device', serialNumber: 'TRACED', enabled: false };
    expect([nodes, totalCount]).toMatchObject([
      [
        { action: 'create', entityId: device, entity },
        { action: 'update', entityId: device, entity },
      ],
      2,
    ]);
  });

  it('has no record once it was deleted', async () => {
    const { nodes } = await ledger(acme, {
      filter: { entityType: { eq: 'group' }, entityId: { in: [group, -1] } },
    });
    expect(nodes).toMatchObject([
      { action: 'create', entityId: group, entity: null },
      { action: 'delete', entityId: group, entity: null },
    ]);
  });

  it('is that of every type with this number without entityType, and of none where there is no number', async () => {
    const of = await ledger(acme, { filter: { entityId: { eq: 1 } }, first: 100 });
    expect(of.nodes.every(({ entityId }) => entityId === 1)).toBe(true);
    expect(new Set(of.nodes.map(({ entityType }) => entityType)).size).toBeGreaterThan(3);
    const without = await ledger(acme, { filter: { entityId: { isNull: true } } });
    expect(without.nodes.every(({ entityId }) => entityId === null)).toBe(true);
    expect((await ledger(acme, { filter: { entityId: { eq: 987_654 } } })).totalCount).toBe(0);
  });
});

describe('types and actions as enumerations', () => {
  const KINDS = `query ($filter: LedgerEntryFilter) { ledger(first: 100, filter: $filter) {
    nodes { sequence action actionKind entityType entityKind entityId } } }`;
  const kinds = async (filter: Fields | null): Promise<readonly Entry[]> =>
    (await answered<{ ledger: Entries }>(acme, KINDS, { filter })).ledger.nodes;

  it('stand beside the texts of each entry', async () => {
    const nodes = await kinds(null);
    const asTexts = nodes.map(({ actionKind, entityKind }) => [actionKind, entityKind]);
    expect(asTexts).toEqual(
      nodes.map(({ action, entityType }) => [action.toUpperCase(), entityType.toUpperCase()]),
    );
    expect(nodes.length).toBeGreaterThan(20);
  });

  it('select the entries that the texts select', async () => {
    const byText = { entityType: { in: ['device', 'group'] }, action: { eq: 'update' } };
    const found = await kinds({ entityKind: { in: ['DEVICE', 'GROUP'] }, actionKind: { eq: 'UPDATE' } });
    expect(found).toEqual(await kinds(byText));
    expect(found.map(({ entityType, entityId }) => [entityType, entityId])).toContainEqual([
      'device',
      device,
    ]);
    expect(await kinds({ actionKind: { in: ['SWITCH_COMPANY', 'ACCEPT_LOSS'] } })).toEqual([]);
  });
});

describe('the record behind a ledger entry', () => {
  it('has the type that entityType names; without such a type it is null', async () => {
    const { nodes } = await ledger(acme, { first: 100 });
    const types = new Map(
      nodes.flatMap(({ entityType, entity }) => (entity === null ? [] : [[entityType, entity.__typename]])),
    );
    expect(Object.fromEntries(types)).toMatchObject({
      access_token: 'ApiToken',
      app: 'App',
      app_version: 'AppVersion',
      company: 'Company',
      device: 'Device',
      file: 'File',
      group: 'Group',
      membership: 'Member',
      logical_number: 'LogicalNumber',
      metacontent: 'Metacontent',
      notification: 'Notification',
      parameter: 'Parameter',
      user: 'User',
    });
    const deviceId = nodeId('Device', device);
    await mutated(acme, 'deviceTokenIssue', { deviceId });
    const tokens = await ledger(acme, { filter: { entityType: { eq: 'device_token' } } });
    expect(tokens.nodes.at(-1)).toMatchObject({ action: 'issue', entity: null });
  });
});

describe('the ledger in GraphQL', () => {
  let operator: Member;
  let traced = 0;
  beforeAll(async () => {
    operator = await server.member('beta', 'operator');
    traced = await fleet.device(operator.client, 'TRACED');
    await operator.client.put('devices/TRACED', { enabled: false });
    await server.beta.client.delete('devices/TRACED');
    await fleet.device(server.acme.client, 'OF ACME');
  });

  it('shows who changed what and when, and the record before and after', async () => {
    const { nodes, totalCount } = await ledger(server.beta, { filter: { entityType: { eq: 'device' } } });
    expect(totalCount).toBe(3);
    const [created, updated, deleted] = nodes;
    expect(created).toMatchObject({
      id: nodeId('LedgerEntry', created?.sequence ?? 0),
      databaseId: created?.sequence,
      action: 'create',
      entityType: 'device',
      entityId: traced,
      channel: 'API',
      actor: { databaseId: operator.caller.userId },
      company: { name: 'Beta Cards' },
      before: null,
      after: { serialNumber: 'TRACED', enabled: true },
    });
    expect(updated).toMatchObject({ action: 'update', before: { enabled: true }, after: { enabled: false } });
    expect(deleted).toMatchObject({
      action: 'delete',
      after: null,
      actor: { databaseId: server.beta.caller.userId },
    });
    const at = nodes.map((entry) => String(entry.at));
    expect([...at].sort()).toEqual(at);
  });

  it.each<[string, () => Fields, string[]]>([
    [
      'an action',
      () => ({ entityType: { eq: 'device' }, action: { in: ['update', 'delete'] } }),
      ['update', 'delete'],
    ],
    ['an actor', () => ({ actorId: { eq: nodeId('User', operator.caller.userId) } }), ['create', 'update']],
    ['what is no user', () => ({ actorId: { eq: nodeId('Device', operator.caller.userId) } }), []],
    ['a channel', () => ({ entityType: { eq: 'device' }, channel: { eq: 'INTERFACE' } }), []],
    [
      'another channel',
      () => ({ entityType: { eq: 'device' }, channel: { in: ['API'] } }),
      ['create', 'update', 'delete'],
    ],
    ['a time', () => ({ entityType: { eq: 'device' }, at: { lt: '2001-01-01T00:00:00Z' } }), []],
    [
      'a time not long ago',
      () => ({ entityType: { eq: 'device' }, at: { gte: '2001-01-01T00:00:00Z' } }),
      ['create', 'update', 'delete'],
    ],
  ])('is narrowed by %s', async (_case, filter, actions) => {
    const { nodes, totalCount } = await ledger(server.beta, { filter: filter() });
    expect(nodes.map(({ action }) => action)).toEqual(actions);
    expect(totalCount).toBe(actions.length);
  });

  it('is for administrators of the company', async () => {
    expect((await refused(operator, '{ ledger { totalCount } }')).code).toBe('FORBIDDEN');
    const { nodes } = await ledger(server.beta, { filter: { entityType: { eq: 'device' } } });
    const id = nodes[0]?.id;
    const look = 'query ($id: ID!) { node(id: $id) { ... on LedgerEntry { company { name } } } }';
    expect(await answered(server.beta, look, { id })).toEqual({ node: { company: { name: 'Beta Cards' } } });
    // An entry of the other company has the same number.
    expect(await answered(server.acme, look, { id })).toEqual({
      node: { company: { name: 'Acme Pagamentos' } },
    });
    expect((await refused(operator, look, { id })).code).toBe('FORBIDDEN');
    const others = await ledger(acme, { filter: { entityType: { eq: 'device' } }, first: 100 });
    expect(others.nodes.every(({ company }) => (company as Fields).name === 'Acme Pagamentos')).toBe(true);
    expect(others.nodes.at(-1)).toMatchObject({ after: { serialNumber: 'OF ACME' } });
  });
});
