import { beforeAll, describe, expect, it } from 'vitest';

import { answered, changed, listed, nodeId } from '../../../support/dashboard.js';
import { actionsOf, fleet, ledgerOf, rowsIn, totalIn } from '../../../support/fleet.js';
import { expectRefused, mutated } from '../../../support/mutations.js';
import { useServer, type Fields, type Member } from '../../../support/server.js';

const server = useServer();

describe('a device in GraphQL', () => {
  it('is enabled, disabled, assigned and unassigned, each with an entry in the ledger', async () => {
    const { acme } = server;
    const logicalNumberId = nodeId('LogicalNumber', await fleet.logicalNumber(acme.client, 'assigned'));
    const databaseId = await fleet.device(acme.client, 'SWITCHED');
    const id = nodeId('Device', databaseId);
    const fields = 'device { enabled logicalNumber { number } }';
    for (const [mutation, variables, device] of [
      ['deviceDisable', {}, { enabled: false, logicalNumber: null }],
      ['deviceAssign', { logicalNumberId }, { enabled: false, logicalNumber: { number: 'assigned' } }],
      ['deviceEnable', {}, { enabled: true, logicalNumber: { number: 'assigned' } }],
    ] as const) {
      expect(await mutated(acme, mutation, { id, ...variables }, fields)).toEqual({ device });
    }
    const absent = 'is required; it may be null';
    await expectRefused(acme, 'deviceAssign', { id }, 'INVALID logicalNumberId', absent);
    const query = '{ device(serialNumber: "SWITCHED") { logicalNumber { number } } }';
    expect(await answered(acme, query)).toEqual({ device: { logicalNumber: { number: 'assigned' } } });
    const device = { enabled: true, logicalNumber: null };
    expect(await mutated(acme, 'deviceAssign', { id, logicalNumberId: null }, fields)).toEqual({ device });
    const actions = ['create', 'update', 'update', 'update', 'update'];
    expect(await actionsOf(server, acme, 'device', databaseId)).toEqual(actions);
  });

  it('is refused in userErrors with null for enabled', async () => {
    const input = { serialNumber: 'N', enabled: null };
    await expectRefused(server.acme, 'deviceCreate', { input }, 'INVALID input.enabled');
    expect(await rowsIn(server, 'devices', "serial_number = 'N'")).toBe(0);
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
    const input = { meta: { 'a"$.b': 'x', level: 80 } };
    await mutated(server.beta, 'deviceReport', { serialNumber: 'B-1', input });
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
    [{ meta: { key: 'a"$.b', eq: 'x' } }, ['B-1']],
    [{ meta: { key: 'a"$.b', eq: 'X' } }, []],
    [{ meta: { key: 'level', eq: '80' } }, ['B-1']],
    [{ meta: { key: 'b', eq: 'x' } }, []],
    [{ not: { meta: { key: 'level', eq: '81' } } }, ['B-2', 'A-1', 'B-1']],
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

describe('/v1/devices', () => {
  it('contract 17: a new device is enabled, has no number and no report, and is read by id only', async () => {
    const { client } = server.acme;
    const id = await fleet.device(client, '8000151501000080');
    expect((await client.get(`devices/${id}`)).record('device')).toMatchObject({
      serial_number: '8000151501000080',
      enabled: true,
      logical_number_id: null,
      framework_version: null,
      meta: {},
    });
    expect((await client.get('devices/8000151501000080')).status).toBe(404);
  });
});

const BULK = `mutation ($serialNumbers: [String!]!, $errorPolicy: BulkErrorPolicy) {
  deviceBulkCreate(serialNumbers: $serialNumbers, errorPolicy: $errorPolicy) {
    count results { index device { databaseId serialNumber } userErrors { message path code } }
    userErrors { message path code } } }`;
const BAD = ['NEW-1', 'KNOWN', '', 'NEW-1', 'NEW-2', ' NEW-3'];
const row = (index: number, serialNumber: string | null, message?: string, code?: string): Fields => ({
  index,
  device: serialNumber === null ? null : { serialNumber },
  userErrors: message === undefined ? [] : [{ message, path: ['serialNumbers', String(index)], code }],
});
const total = () => totalIn(server.acme.client, 'devices');

describe('deviceBulkCreate', () => {
  beforeAll(async () => {
    await fleet.device(server.acme.client, 'KNOWN');
  });

  it('creates nothing if a row is invalid, and reports the errors of each row', async () => {
    const before = await total();
    for (const errorPolicy of [undefined, null, 'REJECT_EVERYTHING']) {
      const payload = await changed(server.acme, BULK, { serialNumbers: BAD, errorPolicy });
      expect(payload).toEqual({
        count: 0,
        results: [
          row(0, null),
          row(1, null, 'exists already', 'TAKEN'),
          row(2, null, 'must not be empty', 'INVALID'),
          row(3, null, 'is given twice', 'INVALID'),
          row(4, null),
          row(5, null, 'must not begin or end with a space', 'INVALID'),
        ],
        userErrors: [],
      });
    }
    expect(await total()).toBe(before);
  });

  it('creates the valid rows with REJECT_FAILED_ROWS', async () => {
    const before = await total();
    const variables = { serialNumbers: BAD, errorPolicy: 'REJECT_FAILED_ROWS' };
    const none = { device: null };
    expect(await changed(server.acme, BULK, variables)).toMatchObject({
      count: 2,
      results: [row(0, 'NEW-1'), none, none, none, row(4, 'NEW-2'), none],
    });
    expect(await total()).toBe(before + 2);
  });

  it('creates the devices in the order given, each with its ledger entry, whatever other companies have', async () => {
    await fleet.device(server.beta.client, 'Z-1');
    const serialNumbers = ['Z-9', 'Z-1', 'Z-5'];
    const payload = await changed<{ results: { device: { databaseId: number } }[] }>(server.acme, BULK, {
      serialNumbers,
    });
    expect(payload.results).toMatchObject(
      serialNumbers.map((serialNumber, index) => row(index, serialNumber)),
    );
    const entries = await ledgerOf(server, server.acme, 'device', payload.results[2]?.device.databaseId ?? 0);
    expect(entries).toMatchObject([{ action: 'create', after: { serialNumber: 'Z-5' } }]);
  });

  it('takes two more statements for each further 200 rows, and refuses 1001 rows', async () => {
    const serials = (prefix: string, count: number): string[] =>
      Array.from({ length: count }, (_, n) => `${prefix} ${n}`);
    const statements = async (serialNumbers: string[]): Promise<number> =>
      (await server.statements(() => changed(server.beta, BULK, { serialNumbers }))).statements.length;
    await statements(serials('first', 2));
    const few = await statements(serials('few', 2));
    // Each insert of devices and of ledger entries has 200 rows: longer ones would hold the event loop.
    expect(await statements(serials('thousand', 1000))).toBe(few + 2 * 4);
    const more = { serialNumbers: serials('more', 1001) };
    const message = 'must have at most 1000 entries';
    await expectRefused(server.beta, 'deviceBulkCreate', more, 'INVALID serialNumbers', message);
  });
});

let ingest: Member;

const report = async (input: Fields, serialNumber = 'SN é'): Promise<unknown> => {
  const fields = 'device { serialNumber frameworkVersion meta }';
  return (await mutated(ingest, 'deviceReport', { serialNumber, input }, fields)).device;
};
const entries = () =>
  server.place.sql(
    `select action, user_id from ledger
     where company_id = $1 and entity_type = 'device' and action = 'report' order by position`,
    [ingest.caller.companyId],
  );

describe('deviceReport', () => {
  beforeAll(async () => {
    ingest = await server.member('acme', 'operator', ['ingest']);
    await fleet.device(server.acme.client, 'SN é');
    await fleet.device(server.beta.client, 'SN-BETA');
  });

  it('replaces what the device reported before; absent fields stay', async () => {
    const meta = { brand: 'Verifone', battery_level: '80' };
    const serialNumber = 'SN é';
    const first = { serialNumber, frameworkVersion: '8.31.2', meta };
    expect(await report({ frameworkVersion: '8.31.2', meta })).toEqual(first);
    const second = { ...first, frameworkVersion: '8.32.0' };
    expect(await report({ frameworkVersion: '8.32.0' })).toEqual(second);
    const third = { ...second, meta: { model: 'V240m' } };
    expect(await report({ meta: { model: 'V240m' } }, 'SN e\u0301')).toEqual(third);
    const put = await server.acme.client.put(`devices/${encodeURIComponent(serialNumber)}`, {
      enabled: false,
    });
    expect(put.record('device')).toMatchObject({ framework_version: '8.32.0', meta: { model: 'V240m' } });
  });

  it('records a report in the ledger, and one without any change not at all', async () => {
    await report({ frameworkVersion: '9', meta: { brand: 'Acme', model: 'X' } });
    const before = await entries();
    await report({ frameworkVersion: '9', meta: { model: 'X', brand: 'Acme' } });
    await report({});
    expect(await entries()).toEqual(before);
    await report({ frameworkVersion: null });
    expect((await entries()).slice(before.length)).toEqual([
      { action: 'report', user_id: ingest.caller.userId },
    ]);
  });

  it('takes numbers and booleans in meta as their text', async () => {
    const device = await report({ meta: { battery_level: 80, charging: true, level: 1.5 } });
    expect(device).toMatchObject({ meta: { battery_level: '80', charging: 'true', level: '1.5' } });
  });

  it.each<[string, Fields]>([
    ['an object as a property', { meta: { battery_level: {} } }],
    ['null as a property', { meta: { battery_level: null } }],
    ['a whole number beyond 2^53', { meta: { iccid: 2 ** 60 } }],
    ['a list', { meta: ['a'] }],
    [
      'too many properties',
      { meta: Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`p${n}`, 'x'])) },
    ],
    ['null', { meta: null }],
    ['a value that is too long', { meta: { brand: 'x'.repeat(1025) } }],
    ['a key that is too long', { meta: { ['k'.repeat(65)]: 'x' } }],
    ['NUL in a value', { meta: { brand: 'a\0b' } }],
  ])('refuses %s as meta and changes nothing', async (_what, input) => {
    const before = await entries();
    const variables = { serialNumber: 'SN é', input: { frameworkVersion: '77', ...input } };
    await expectRefused(ingest, 'deviceReport', variables, 'INVALID input.meta');
    expect(await entries()).toEqual(before);
  });

  it('AT-12 does not find a device of another company', async () => {
    for (const serialNumber of ['SN-BETA', 'SN-NOWHERE', '']) {
      const variables = { serialNumber, input: { frameworkVersion: '1' } };
      const refusal = 'NOT_FOUND serialNumber';
      await expectRefused(ingest, 'deviceReport', variables, refusal, 'No such device.');
    }
  });

  it('shows nothing of the fleet around the device to the scope ingest', async () => {
    const nested = `mutation { deviceReport(serialNumber: "SN é", input: {}) {
      device { %s } userErrors { code } } }`;
    for (const field of ['transactions { totalCount }', 'createdBy { name }']) {
      const { body } = await ingest.graphql(nested.replace('%s', field));
      expect(body.errors?.map(({ extensions }) => extensions.code)).toEqual(['FORBIDDEN']);
    }
  });
});
