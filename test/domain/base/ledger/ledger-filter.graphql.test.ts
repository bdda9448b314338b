import { beforeAll, describe, expect, it } from 'vitest';

import { answered, nodeId, statementsFor, type Page } from '../../../support/dashboard.js';
import { fleet } from '../../../support/fleet.js';
import { populate } from '../../../support/populated.js';
import { useServer, type Fields, type Member } from '../../../support/server.js';

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
  readonly action: string;
  readonly entityType: string;
  readonly entityId: number | null;
  readonly entity: (Fields & { readonly __typename: string }) | null;
}

const LIST = `query ($filter: LedgerEntryFilter, $orderBy: LedgerEntryOrder, $first: Int, $after: String) {
  ledger(filter: $filter, orderBy: $orderBy, first: $first, after: $after) { totalCount
    nodes { sequence action entityType entityId entity { __typename id
      ... on Device { serialNumber enabled } } }
    pageInfo { endCursor } } }`;
const ledger = async (variables: Fields) =>
  (await answered<{ ledger: Page<Entry> & { pageInfo: { endCursor: string } } }>(acme, LIST, variables))
    .ledger;

describe('the history of one record', () => {
  it('is the ledger by entityType and entityId, with the record as it is now', async () => {
    const { nodes, totalCount } = await ledger({
      filter: { entityType: { eq: 'device' }, entityId: { eq: device } },
    });
    const entity = {
      __typename: 'Device',
      id: nodeId('Device', device),
      serialNumber: 'TRACED',
      enabled: false,
    };
    expect([nodes, totalCount]).toMatchObject([
      [
        { action: 'create', entityId: device, entity },
        { action: 'update', entityId: device, entity },
      ],
      2,
    ]);
  });

  it('has no record once it was deleted', async () => {
    const { nodes } = await ledger({
      filter: { entityType: { eq: 'group' }, entityId: { in: [group, -1] } },
    });
    expect(nodes).toMatchObject([
      { action: 'create', entityId: group, entity: null },
      { action: 'delete', entityId: group, entity: null },
    ]);
  });

  it('is that of every type with this number without entityType, and of none where there is no number', async () => {
    const of = await ledger({ filter: { entityId: { eq: 1 } }, first: 100 });
    expect(of.nodes.every(({ entityId }) => entityId === 1)).toBe(true);
    expect(new Set(of.nodes.map(({ entityType }) => entityType)).size).toBeGreaterThan(3);
    const without = await ledger({ filter: { entityId: { isNull: true } } });
    expect(without.nodes.every(({ entityId }) => entityId === null)).toBe(true);
    expect((await ledger({ filter: { entityId: { eq: 987_654 } } })).totalCount).toBe(0);
  });
});

describe('the record behind a ledger entry', () => {
  it('has the type that entityType names; without such a type it is null', async () => {
    const { nodes } = await ledger({ first: 100 });
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
      logical_number: 'LogicalNumber',
      metacontent: 'Metacontent',
      notification: 'Notification',
      parameter: 'Parameter',
      user: 'User',
    });
    const members = nodes.filter(({ entityType }) => entityType === 'membership');
    expect(members.length).toBeGreaterThan(0);
    expect(members.every(({ entity }) => entity === null)).toBe(true);
  });

  it('is read once for each type, however many entries there are', async () => {
    const query = (first: number): string =>
      `{ ledger(first: ${first}, filter: { entityType: { in: ["device", "group"] } }) { nodes { entity {
        ... on Device { logicalNumber { number } } ... on Group { name } } } } }`;
    const few = await statementsFor(server, acme, query(2));
    const many = await statementsFor(server, acme, query(100));
    // Five statements: examined rows of the filter, entries, devices, groups, and numbers of the devices.
    expect([few.length <= 5, many.length]).toEqual([true, 5]);
  });
});
