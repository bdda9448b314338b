import { beforeAll, describe, expect, it } from 'vitest';

import { answered, changed } from '../../../support/dashboard.js';
import { fleet, ledgerOf } from '../../../support/fleet.js';
import { useServer, type Fields } from '../../../support/server.js';

const server = useServer();
beforeAll(async () => {
  await fleet.device(server.acme.client, 'KNOWN');
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
const total = async (): Promise<unknown> =>
  (await answered<{ devices: Fields }>(server.acme, '{ devices { totalCount } }')).devices.totalCount;

describe('deviceBulkCreate', () => {
  it('creates nothing if a row is invalid, and reports the errors of each row', async () => {
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
    expect(await total()).toBe(1);
  });

  it('creates the valid rows with REJECT_FAILED_ROWS', async () => {
    const variables = { serialNumbers: BAD, errorPolicy: 'REJECT_FAILED_ROWS' };
    const { count, results } = await changed(server.acme, BULK, variables);
    expect(count).toBe(2);
    expect(results).toMatchObject([
      row(0, 'NEW-1'),
      { device: null },
      { device: null },
      { device: null },
      row(4, 'NEW-2'),
      { device: null },
    ]);
    expect(await total()).toBe(3);
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
    expect(await changed(server.beta, BULK, { serialNumbers: serials('more', 1001) })).toEqual({
      count: null,
      results: null,
      userErrors: [{ message: 'must have at most 1000 entries', path: ['serialNumbers'], code: 'INVALID' }],
    });
  });
});
