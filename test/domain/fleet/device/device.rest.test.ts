import { describe, expect, it } from 'vitest';

import { fleet, ledgerOf } from '../../../support/fleet.js';
import { useServer } from '../../../support/server.js';

const server = useServer();

describe('/v1/devices', () => {
  it('contract 17: a new device is enabled and has no logical number and no report', async () => {
    const { client, caller } = server.acme;
    const created = await client.post('devices', { serial_number: '8000151501000080' });
    expect(created.status).toBe(201);
    expect(created.record('device')).toMatchObject({
      serial_number: '8000151501000080',
      enabled: true,
      logical_number_id: null,
      framework_version: null,
      created_by: caller.userId,
      created_via: 'api',
    });
    expect(created.record('device').meta).toEqual({});
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
});
