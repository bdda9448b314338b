import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { reportDevice, getDevice } from '../../../../src/domain/fleet/device/device.service.js';
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

interface DeviceNode {
  readonly id: string;
  readonly databaseId: number;
  readonly serialNumber: string;
  readonly enabled: boolean;
  readonly logicalNumber: { readonly number: string } | null;
}

const FIELDS = `id databaseId serialNumber enabled meta frameworkVersion createdVia createdBy { databaseId }
  logicalNumber { id number }`;
const ERRORS = 'userErrors { message path code }';
const CREATE = `mutation ($input: DeviceCreateInput!) { deviceCreate(input: $input) { device { ${FIELDS} } ${ERRORS} } }`;
const UPDATE = `mutation ($id: ID!, $input: DeviceUpdateInput!) {
  deviceUpdate(id: $id, input: $input) { device { ${FIELDS} } ${ERRORS} } }`;
const DELETE = `mutation ($id: ID!) { deviceDelete(id: $id) { deletedId ${ERRORS} } }`;
const ASSIGN = `mutation ($id: ID!, $logicalNumberId: ID) {
  deviceAssign(id: $id, logicalNumberId: $logicalNumberId) { device { ${FIELDS} } ${ERRORS} } }`;
const switching = (mutation: string): string =>
  `mutation ($id: ID!) { ${mutation}(id: $id) { device { ${FIELDS} } ${ERRORS} } }`;

describe('a device in GraphQL', () => {
  it('is created with the given fields and found by each of its keys', async () => {
    const { acme } = server;
    const number = await fleet.logicalNumber(acme.client, 'of the created');
    const input = {
      serialNumber: 'CREATED',
      enabled: false,
      logicalNumberId: nodeId('LogicalNumber', number),
    };
    const { device, userErrors } = await changed<{ device: DeviceNode; userErrors: [] }>(acme, CREATE, {
      input,
    });
    expect(userErrors).toEqual([]);
    const { id, databaseId } = device;
    expect(device).toEqual({
      ...{ id: nodeId('Device', databaseId), databaseId, serialNumber: 'CREATED', enabled: false },
      ...{ meta: {}, frameworkVersion: null, createdVia: 'API' },
      createdBy: { databaseId: acme.caller.userId },
      logicalNumber: { id: nodeId('LogicalNumber', number), number: 'of the created' },
    });
    const found = await answered(
      acme,
      `query ($id: ID!, $databaseId: Int!) { a: device(id: $id) { ${FIELDS} }
        b: device(databaseId: $databaseId) { ${FIELDS} } c: device(serialNumber: "CREATED") { ${FIELDS} } }`,
      { id, databaseId },
    );
    expect(found).toEqual({ a: device, b: device, c: device });
  });

  it('shows the properties that the device reported', async () => {
    const id = await fleet.device(server.acme.client, 'TALKS');
    const report = { meta: { brand: 'Acme', model: 'X-1' }, frameworkVersion: '8.1' };
    await server.app.units.write(server.acme.caller, async (work) =>
      reportDevice(work, await getDevice(work, id), report),
    );
    const query = '{ device(serialNumber: "TALKS") { meta frameworkVersion } }';
    expect(await answered(server.acme, query)).toEqual({ device: report });
  });

  it('keeps absent fields and clears fields that are null', async () => {
    const { acme } = server;
    const number = await fleet.logicalNumber(acme.client, 'kept');
    const id = nodeId('Device', await fleet.device(acme.client, 'KEEPS', { logical_number_id: number }));
    const update = async (input: Fields) => await changed(acme, UPDATE, { id, input });
    expect(await update({})).toMatchObject({ device: { enabled: true, logicalNumber: { number: 'kept' } } });
    expect(await update({ enabled: false })).toMatchObject({
      device: { enabled: false, logicalNumber: { number: 'kept' } },
    });
    expect(await update({ logicalNumberId: null })).toMatchObject({
      device: { enabled: false, logicalNumber: null },
    });
    expect(await update({ enabled: null })).toMatchObject({
      device: null,
      userErrors: [{ message: 'must be true or false', path: ['input', 'enabled'], code: 'INVALID' }],
    });
  });

  it('is enabled, disabled, assigned and unassigned, each with an entry in the ledger', async () => {
    const { acme } = server;
    const number = await fleet.logicalNumber(acme.client, 'assigned');
    const databaseId = await fleet.device(acme.client, 'SWITCHED');
    const id = nodeId('Device', databaseId);
    const logicalNumberId = nodeId('LogicalNumber', number);
    const steps: [string, Fields, Fields][] = [
      [switching('deviceDisable'), {}, { enabled: false, logicalNumber: null }],
      [ASSIGN, { logicalNumberId }, { enabled: false, logicalNumber: { number: 'assigned' } }],
      [switching('deviceEnable'), {}, { enabled: true, logicalNumber: { number: 'assigned' } }],
      [ASSIGN, { logicalNumberId: null }, { enabled: true, logicalNumber: null }],
    ];
    for (const [mutation, variables, expected] of steps) {
      const payload = await changed(acme, mutation, { id, ...variables });
      expect(payload).toMatchObject({ device: expected, userErrors: [] });
    }
    const entries = await ledgerOf(server, acme, 'device', databaseId);
    expect(entries.map((entry) => entry.action)).toEqual(['create', 'update', 'update', 'update', 'update']);
  });

  it('is not unassigned by an absent argument', async () => {
    const { acme } = server;
    const number = await fleet.logicalNumber(acme.client, 'stays');
    const id = nodeId('Device', await fleet.device(acme.client, 'STAYS', { logical_number_id: number }));
    expect(await changed(acme, ASSIGN, { id })).toEqual({
      device: null,
      userErrors: [{ message: 'is required; it may be null', path: ['logicalNumberId'], code: 'INVALID' }],
    });
    const query = '{ device(serialNumber: "STAYS") { logicalNumber { number } } }';
    expect(await answered(server.acme, query)).toEqual({ device: { logicalNumber: { number: 'stays' } } });
  });

  it('is deleted', async () => {
    const id = nodeId('Device', await fleet.device(server.acme.client, 'GONE'));
    expect(await changed(server.acme, DELETE, { id })).toEqual({ deletedId: id, userErrors: [] });
    expect(await answered(server.acme, '{ device(serialNumber: "GONE") { id } }')).toEqual({ device: null });
    expect(await changed(server.acme, DELETE, { id })).toMatchObject({
      deletedId: null,
      userErrors: [{ message: 'No such device.', path: ['id'], code: 'NOT_FOUND' }],
    });
  });

  it.each([
    ['a serial number that exists', { serialNumber: 'KNOWN' }, 'serialNumber', 'TAKEN'],
    ['no serial number', { serialNumber: '' }, 'serialNumber', 'INVALID'],
    [
      'a logical number that the company does not have',
      { serialNumber: 'N', logicalNumberId: nodeId('LogicalNumber', 9e6) },
      'logicalNumberId',
      'INVALID',
    ],
    [
      'the id of something else',
      { serialNumber: 'N', logicalNumberId: nodeId('Group', 1) },
      'logicalNumberId',
      'INVALID',
    ],
    ['what is no id', { serialNumber: 'N', logicalNumberId: '1 OR 1=1' }, 'logicalNumberId', 'INVALID'],
  ])('is refused in userErrors with %s', async (_case, input, field, code) => {
    await server.acme.client.post('devices', { serial_number: 'KNOWN' });
    const { device, userErrors } = await changed(server.acme, CREATE, { input });
    expect(device).toBeNull();
    expect(userErrors).toMatchObject([{ path: ['input', field], code }]);
    expect(await answered(server.acme, '{ device(serialNumber: "N") { id } }')).toEqual({ device: null });
  });

  it('can be read but not changed by viewers', async () => {
    const viewer = await server.member('acme', 'viewer');
    const id = nodeId('Device', await fleet.device(server.acme.client, 'READ ONLY'));
    expect(await answered(viewer, 'query ($id: ID!) { device(id: $id) { enabled } }', { id })).toEqual({
      device: { enabled: true },
    });
    for (const [mutation, variables] of [
      [CREATE, { input: { serialNumber: 'V' } }],
      [UPDATE, { id, input: {} }],
      [DELETE, { id }],
      [ASSIGN, { id, logicalNumberId: null }],
      [switching('deviceDisable'), { id }],
    ] as const) {
      expect((await refused(viewer, mutation, variables)).code).toBe('FORBIDDEN');
    }
  });
});

describe('the list of devices', () => {
  const LIST = `query ($filter: DeviceFilter, $orderBy: DeviceOrder) {
    devices(filter: $filter, orderBy: $orderBy) { totalCount nodes { serialNumber } } }`;
  const serials = async (variables: Fields): Promise<string[]> => {
    const { devices } = await answered<{ devices: Page<DeviceNode> }>(server.beta, LIST, variables);
    expect(devices.totalCount).toBe(devices.nodes.length);
    return devices.nodes.map((node) => node.serialNumber);
  };
  let number = 0;
  beforeAll(async () => {
    const { client } = server.beta;
    number = await fleet.logicalNumber(client, 'listed');
    await fleet.device(client, 'B-2', { logical_number_id: number });
    await fleet.device(client, 'A-1', { enabled: false });
    await fleet.device(client, 'B-1', { logical_number_id: number, enabled: false });
  });

  it.each([
    [{ field: 'SERIAL_NUMBER' }, ['A-1', 'B-1', 'B-2']],
    [{ field: 'SERIAL_NUMBER', direction: 'DESC' }, ['B-2', 'B-1', 'A-1']],
    [{ field: 'CREATED_AT' }, ['B-2', 'A-1', 'B-1']],
    [{ field: 'UPDATED_AT', direction: 'DESC' }, ['B-1', 'A-1', 'B-2']],
    [{ field: 'ID', direction: 'DESC' }, ['B-1', 'A-1', 'B-2']],
  ])('is ordered by %j', async (orderBy, expected) => {
    expect(await serials({ orderBy })).toEqual(expected);
  });

  it.each([
    [{ enabled: { eq: false } }, ['A-1', 'B-1']],
    [{ logicalNumberId: { isNull: true } }, ['A-1']],
    [{ logicalNumberId: { isNull: false }, enabled: { eq: true } }, ['B-2']],
    [{ serialNumber: { startsWith: 'B-' } }, ['B-2', 'B-1']],
    [{ createdAt: { lt: '2001-01-01T00:00:00Z' } }, []],
    [{ createdAt: { gte: '2001-01-01T00:00:00Z' } }, ['B-2', 'A-1', 'B-1']],
    [{ frameworkVersion: { eq: '1' } }, []],
    [{ not: { frameworkVersion: { eq: '1' } } }, ['B-2', 'A-1', 'B-1']],
    [{ not: { not: { frameworkVersion: { eq: '1' } } } }, []],
    [{ not: { logicalNumberId: { in: [nodeId('LogicalNumber', 987_654)] } } }, ['B-2', 'A-1', 'B-1']],
  ])('is narrowed by %j', async (filter, expected) => {
    expect(await serials({ filter })).toEqual(expected);
  });

  it('is filtered by the id of a logical number, not by ids of other types', async () => {
    const narrowed = (id: string) => serials({ filter: { logicalNumberId: { in: [id] } } });
    expect(await narrowed(nodeId('LogicalNumber', number))).toEqual(['B-2', 'B-1']);
    expect(await narrowed(nodeId('Group', number))).toEqual([]);
    expect(await narrowed(String(number))).toEqual([]);
  });

  it('takes one statement for each level and one for its counts, for any number of records', async () => {
    const query = `{ logicalNumbers(first: 50) { totalCount nodes { number
      devices(first: 5) { totalCount nodes { serialNumber createdBy { name } logicalNumber { number } } } } } }`;
    const member = await server.member('acme', 'operator');
    const few = await statementsFor(server, member, query);
    for (let n = 0; n < 20; n += 1) {
      const id = await fleet.logicalNumber(member.client, `many ${n}`);
      await fleet.device(member.client, `MANY ${n}`, { logical_number_id: id });
    }
    const many = await statementsFor(server, member, query);
    expect(many).toHaveLength(few.length);
    expect(many).toHaveLength(6);
  });
});
