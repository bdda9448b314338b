import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { instant } from '../../../../src/database/storage.js';
import { fleet, ledgerOf, statementsOf } from '../../../support/fleet.js';
import { startServer, type TestServer } from '../../../support/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.stop();
});

describe('/v1/devices', () => {
  it('contract 17: a new device is enabled and has no logical number and no report', async () => {
    const { client, caller } = server.acme;
    const created = await client.post('devices', { serial_number: '8000151501000080' });
    expect(created.status).toBe(201);
    expect(Object.keys(created.record('device'))).toEqual([
      'id',
      'serial_number',
      'enabled',
      'logical_number_id',
      'meta',
      'framework_version',
      'updated_at',
      'created_at',
      'created_by',
      'created_via',
    ]);
    expect(created.record('device')).toMatchObject({
      serial_number: '8000151501000080',
      enabled: true,
      logical_number_id: null,
      framework_version: null,
      created_by: caller.userId,
      created_via: 'api',
    });
    expect(created.record('device').meta).toEqual({});
    const id = String(created.record('device').id);
    expect((await client.get(`devices/${id}`)).body).toEqual(created.body);
  });

  it('reads by id, changes and deletes by serial number', async () => {
    const { client } = server.acme;
    const id = await fleet.device(client, 'SN/1 é');
    const path = `devices/${encodeURIComponent('SN/1 é')}`;
    expect((await client.get(path)).status).toBe(404);

    const changed = await client.put(path, { enabled: false });
    expect([changed.status, changed.record('device').enabled]).toEqual([200, false]);
    expect((await client.get(`devices/${id}`)).body).toEqual(changed.body);

    const deleted = await client.delete(path);
    expect([deleted.status, deleted.body]).toEqual([200, {}]);
    expect((await client.get(`devices/${id}`)).status).toBe(404);
    expect((await client.delete(path)).status).toBe(404);
    const entries = await ledgerOf(server, server.acme, 'device', id);
    expect(entries.map((entry) => entry.action)).toEqual(['create', 'update', 'delete']);
    expect(entries[1]).toMatchObject({ before: { enabled: true }, after: { enabled: false } });
  });

  it('contract 17: a serial number is unique in the company', async () => {
    const { client } = server.acme;
    await fleet.device(client, 'TWICE');
    const refused = await client.post('devices', { serial_number: 'TWICE' });
    expect([refused.status, refused.body.code]).toEqual([409, 'taken']);
    expect(Object.keys(refused.body.errors as object)).toEqual(['serial_number']);
  });

  it('sets a logical number, keeps it if absent and clears it with null', async () => {
    const { client } = server.acme;
    const number = await fleet.logicalNumber(client, 'for a device');
    const id = await fleet.device(client, 'LN-1', { logical_number_id: number, enabled: 'false' });
    const read = async () => (await client.get(`devices/${id}`)).record('device');
    expect(await read()).toMatchObject({ logical_number_id: number, enabled: false });
    await client.put('devices/LN-1', { enabled: true });
    expect(await read()).toMatchObject({ logical_number_id: number, enabled: true });
    await client.put('devices/LN-1', { logical_number_id: null });
    expect(await read()).toMatchObject({ logical_number_id: null, enabled: true });
  });

  it.each([
    ['one that never was', () => Promise.resolve(987_654)],
    ["another company's", () => fleet.logicalNumber(server.beta.client, 'of beta')],
  ])('AT-11 refuses a logical number of another company: %s', async (_case, idOf) => {
    const { client } = server.acme;
    const logical_number_id = await idOf();
    const serial_number = `AT-11 ${logical_number_id}`;
    const refused = await client.post('devices', { serial_number, logical_number_id });
    expect(refused.status).toBe(422);
    expect(refused.body.errors).toEqual({ logical_number_id: ['is not the id of a logical number'] });
    const id = await fleet.device(client, serial_number);
    expect((await client.put(`devices/${serial_number}`, { logical_number_id })).status).toBe(422);
    expect((await client.get(`devices/${id}`)).record('device').logical_number_id).toBeNull();
  });

  it("contract 28: a deleted device's transactions stay", async () => {
    const { client, caller } = server.acme;
    await fleet.device(client, 'WITH-HISTORY');
    const at = instant.toColumn(new Date('2026-01-01T00:00:00Z'));
    const transaction = {
      ...{ id: 1, company_id: caller.companyId, transaction_type: 'switch', serial_number: 'WITH-HISTORY' },
      ...{ logical_number: '1', app_name: 'pay', detail: '', status: 'success' },
      ...{ started_at: at, recorded_at: at },
    };
    await server.app.database.writes.insertInto('transactions').values(transaction).execute();
    expect((await client.delete('devices/WITH-HISTORY')).status).toBe(200);
    const query = { serial_number: 'WITH-HISTORY' };
    const left = await client.get('transactions', undefined, { query });
    expect(left.list('transactions')).toMatchObject([{ serial_number: 'WITH-HISTORY', status: 'success' }]);
  });

  it('lists in a constant number of statements', async () => {
    const { client } = server.beta;
    const list = () => client.get('devices', undefined, { query: { per_page: 100 } });
    await fleet.device(client, 'B-0');
    const few = await statementsOf(server, list);
    for (let n = 1; n <= 40; n += 1) await fleet.device(client, `B-${n}`);
    expect(await statementsOf(server, list)).toBe(few);
    expect(few).toBe(2);
    const page = await list();
    expect(page.body.pagination).toEqual({ page: 1, total_pages: 1, entries: 41, total_entries: 41 });
    const ids = page.list('devices').map((device) => device.id as number);
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
  });
});
