import { beforeAll, describe, expect, it } from 'vitest';

import { answered, changed, listed, nodeId } from '../../../support/dashboard.js';
import { fleet, ledgerOf } from '../../../support/fleet.js';
import { useServer, type Fields } from '../../../support/server.js';

const server = useServer();

const FIELDS = 'serialNumber enabled logicalNumber { number }';
const ERRORS = 'userErrors { message path code }';
const CREATE = `mutation ($input: DeviceCreateInput!) { deviceCreate(input: $input) { device { ${FIELDS} } ${ERRORS} } }`;
const ASSIGN = `mutation ($id: ID!, $logicalNumberId: ID) {
  deviceAssign(id: $id, logicalNumberId: $logicalNumberId) { device { ${FIELDS} } ${ERRORS} } }`;
const switching = (mutation: string): string =>
  `mutation ($id: ID!) { ${mutation}(id: $id) { device { ${FIELDS} } ${ERRORS} } }`;

describe('a device in GraphQL', () => {
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

  it.each([
    ['null for enabled', 'enabled', null],
    ['the id of something else', 'logicalNumberId', nodeId('Group', 1)],
    ['what is no id', 'logicalNumberId', '1 OR 1=1'],
  ])('is refused in userErrors with %s', async (_case, field, value) => {
    const input = { serialNumber: 'N', [field]: value };
    const { device, userErrors } = await changed(server.acme, CREATE, { input });
    expect(device).toBeNull();
    expect(userErrors).toMatchObject([{ path: ['input', field], code: 'INVALID' }]);
    expect(await answered(server.acme, '{ device(serialNumber: "N") { id } }')).toEqual({ device: null });
  });
});

describe('the list of devices', () => {
  const serials = (variables: Fields) => listed(server.beta, 'Device', 'serialNumber', variables);
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
});
