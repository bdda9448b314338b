import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Device } from '../../../../src/domain/fleet/device/device.model.js';
import {
  createDevices,
  getDevice,
  reportDevice,
} from '../../../../src/domain/fleet/device/device.service.js';
import type { BatchRow, ErrorPolicy } from '../../../../src/platform/requests.js';
import { fleet, ledgerOf } from '../../../support/fleet.js';
import { startServer, type TestServer } from '../../../support/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.stop();
});

describe('what a terminal reports', () => {
  const report = async (id: number, input: unknown) =>
    await server.app.units.write(server.acme.caller, async (work) =>
      reportDevice(work, await getDevice(work, id), input),
    );

  it('stands in meta and framework_version until the next report', async () => {
    const { client } = server.acme;
    const id = await fleet.device(client, 'REPORTS');
    await report(id, { meta: { brand: 'Acme', battery_level: '80' }, frameworkVersion: '9.1' });
    const first = (await client.get(`devices/${id}`)).record('device');
    expect(first).toMatchObject({
      meta: { brand: 'Acme', battery_level: '80' },
      framework_version: '9.1',
    });
    await report(id, { meta: { battery_level: '20' } });
    const second = (await client.get(`devices/${id}`)).record('device');
    expect([second.meta, second.framework_version]).toEqual([{ battery_level: '20' }, '9.1']);
    expect((await client.put('devices/REPORTS', { enabled: false })).record('device').meta).toEqual(
      second.meta,
    );
  });

  it('changes and records nothing where it says nothing new', async () => {
    const { client } = server.acme;
    const id = await fleet.device(client, 'REPEATS');
    const same = { meta: { brand: 'Acme', model: 'X' }, frameworkVersion: '1' };
    await report(id, same);
    const { headers } = await client.get(`devices/${id}`);
    await report(id, { ...same, meta: { model: 'X', brand: 'Acme' } });
    expect((await client.get(`devices/${id}`)).headers.get('etag')).toBe(headers.get('etag'));
    const entries = await ledgerOf(server, server.acme, 'device', id);
    expect(entries.map((entry) => entry.action)).toEqual(['create', 'report']);
  });

  it.each([
    ['a number beyond 2^53 as a value', { meta: { battery_level: 2 ** 60 } }],
    ['a nested object', { meta: { sim: { id: '1' } } }],
    ['a list', { meta: ['brand'] }],
    ['too many entries', { meta: Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`k${n}`, ''])) }],
    ['a value that is too long', { meta: { brand: 'x'.repeat(1025) } }],
    ['a key that is too long', { meta: { ['k'.repeat(65)]: 'x' } }],
    ['NUL in a value', { meta: { brand: 'a\0b' } }],
    ['a framework version that is no text', { frameworkVersion: 9 }],
  ])('is refused with %s', async (_case, input) => {
    const id = await fleet.device(server.acme.client, `REFUSED ${_case}`);
    await expect(report(id, input)).rejects.toMatchObject({ code: 'invalid' });
    expect(await ledgerOf(server, server.acme, 'device', id)).toHaveLength(1);
  });
});

describe('creating devices by the thousand', () => {
  const importAll = async (serials: readonly string[], policy: ErrorPolicy): Promise<BatchRow<Device>[]> =>
    await server.app.units.write(server.beta.caller, (work) => createDevices(work, serials, policy));
  const problemsOf = ({ problem }: BatchRow<Device>) => problem?.details.fields?.serialNumber ?? [];
  const total = async (): Promise<unknown> =>
    ((await server.beta.client.get('devices')).body.pagination as { total_entries: number }).total_entries;
  const MIXED = ['MIX-1', ' MIX-2', 'MIX-3', 'MIX-1', 'KNOWN', ''];
  const PROBLEMS = [
    [],
    ['must not begin or end with a space'],
    [],
    ['is given twice'],
    ['exists already'],
    ['must not be empty'],
  ];

  it('creates all of them, in the order given, each with its ledger entry', async () => {
    const rows = await importAll(['Z-9', 'Z-1', 'Z-5'], 'REJECT_EVERYTHING');
    expect(rows.map((row) => [row.record?.serialNumber, problemsOf(row)])).toEqual([
      ['Z-9', []],
      ['Z-1', []],
      ['Z-5', []],
    ]);
    const second = await server.beta.client.get(`devices/${rows[1]?.record?.id ?? 0}`);
    expect(second.record('device').serial_number).toBe('Z-1');
    const entries = await ledgerOf(server, server.beta, 'device', rows[2]?.record?.id ?? 0);
    expect(entries).toMatchObject([{ action: 'create', after: { serialNumber: 'Z-5' } }]);
  });

  it('creates nothing where a row has a problem and everything is to be rejected', async () => {
    await fleet.device(server.beta.client, 'KNOWN');
    const before = await total();
    const rows = await importAll(MIXED, 'REJECT_EVERYTHING');
    expect(rows.map(problemsOf)).toEqual(PROBLEMS);
    expect(rows.every((row) => row.record === null)).toBe(true);
    expect(await total()).toBe(before);
  });

  it('creates the rows without a problem where only failed rows are to be rejected', async () => {
    const rows = await importAll(MIXED, 'REJECT_FAILED_ROWS');
    expect(rows.map(problemsOf)).toEqual(PROBLEMS);
    expect(rows.map((row) => row.record?.serialNumber)).toEqual([
      'MIX-1',
      undefined,
      'MIX-3',
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("takes another company's serial numbers for new ones", async () => {
    await fleet.device(server.acme.client, 'SHARED');
    const [row] = await importAll(['SHARED'], 'REJECT_EVERYTHING');
    expect(row?.record?.serialNumber).toBe('SHARED');
  });

  it('needs a look-up, ids and sequences, and two inserts for each 200 (devices and ledger entries)', async () => {
    const count = async (prefix: string, rows: number): Promise<number> => {
      const serials = Array.from({ length: rows }, (_, n) => `${prefix}${n}`);
      const { result, statements } = await server.statements(() => importAll(serials, 'REJECT_EVERYTHING'));
      expect(result.filter((row) => row.record !== null)).toHaveLength(rows);
      return statements.length;
    };
    expect(await count('few ', 2)).toBe(3 + 2);
    expect(await count('thousand ', 1_000)).toBe(3 + 2 * 5);
    expect(await count('more ', 2_500)).toBe(3 + 2 * 13);
  });

  it('creates nothing out of nothing', async () => {
    expect(await importAll([], 'REJECT_EVERYTHING')).toEqual([]);
  });
});
