import { describe, expect, it } from 'vitest';

import { fleet, ledgerOf } from '../../../support/fleet.js';
import { useServer, type Fields } from '../../../support/server.js';

const server = useServer();

const read = async (number: string): Promise<Fields> =>
  (await server.acme.client.get(`logical_numbers/${number}`)).record('logical_number');

describe('/v1/logical_numbers', () => {
  it('contract 18: the create response has no app_version_ids, every other has', async () => {
    const { client } = server.acme;
    const created = await client.post('logical_numbers', { number: '112233' });
    expect(created.status).toBe(201);
    expect(created.record('logical_number')).not.toHaveProperty('app_version_ids');
    const others = [
      (await client.get('logical_numbers/112233')).record('logical_number'),
      (await client.put('logical_numbers/112233', {})).record('logical_number'),
      (await client.get('logical_numbers')).list('logical_numbers')[0] ?? {},
    ];
    for (const fields of others) expect(fields).toMatchObject({ number: '112233', app_version_ids: [] });
  });

  it.each(['1,2', ',', 'x'.repeat(65), '', ' 1'])('contract 18: refuses the number "%s"', async (number) => {
    const { client } = server.acme;
    const refused = await client.post('logical_numbers', { number });
    expect([refused.status, Object.keys(refused.body.errors as object)]).toEqual([422, ['number']]);
  });

  it('contract 18: a number is unique in the company, on create and on update', async () => {
    const { client } = server.acme;
    await fleet.logicalNumber(client, 'taken');
    await fleet.logicalNumber(client, 'free');
    expect((await client.post('logical_numbers', { number: 'taken' })).status).toBe(409);
    expect((await client.put('logical_numbers/free', { number: 'taken' })).status).toBe(409);
    expect((await client.put('logical_numbers/taken', { number: 'taken' })).status).toBe(200);
  });

  it('contract 18: deleting one deletes its settings and leaves its devices without a number', async () => {
    const { client } = server.acme;
    const id = await fleet.logicalNumber(client, 'owner');
    await fleet.logicalNumber(client, 'bystander');
    const devices = [1, 2, 3].map((n) => fleet.device(client, `D-${n}`, { logical_number_id: id }));
    const settings: Record<string, number> = {};
    for (const kind of ['parameter', 'metacontent']) {
      const created = await client.post(`${kind}s`, { number: 'owner', key: 'k', value: 'v' });
      settings[kind] = created.record(`logical_number_${kind}`).id as number;
      expect((await client.post(`${kind}s`, { number: 'bystander', key: 'k', value: 'v' })).status).toBe(201);
    }
    expect((await client.delete('logical_numbers/owner')).status).toBe(200);

    for (const device of await Promise.all(devices)) {
      const left = (await client.get(`devices/${device}`)).record('device');
      expect(left.logical_number_id).toBeNull();
      expect(await ledgerOf(server, server.acme, 'device', device)).toMatchObject([
        { action: 'create' },
        { action: 'update', before: { logicalNumberId: id }, after: { logicalNumberId: null } },
      ]);
    }
    for (const [kind, setting] of Object.entries(settings)) {
      const entries = await ledgerOf(server, server.acme, kind, setting);
      expect(entries.map((entry) => entry.action)).toEqual(['create', 'delete']);
      const kept = await client.get(`${kind}s`, { number: 'bystander' });
      expect(kept.list(`${kind}s`)).toHaveLength(1);
    }
    await fleet.logicalNumber(client, 'owner');
    expect((await client.get('parameters', { number: 'owner' })).list('parameters')).toEqual([]);
  });

  it('deletes one in a constant number of statements', async () => {
    const { client } = server.acme;
    const removal = async (number: string, things: number): Promise<number> => {
      const id = await fleet.logicalNumber(client, number);
      for (let n = 0; n < things; n += 1) {
        await fleet.device(client, `${number}-${n}`, { logical_number_id: id });
        await client.post('parameters', { number, key: `k${n}`, value: 'v' });
        await client.post('metacontents', { number, key: `k${n}`, value: {} });
      }
      const { statements } = await server.statements(() => client.delete(`logical_numbers/${number}`));
      return statements.length;
    };
    expect(await removal('rich', 12)).toBe(await removal('poor', 1));
  });
});

describe("a logical number's app versions", () => {
  it('contract 24: must be linked to its group', async () => {
    const { client } = server.acme;
    const group = await fleet.group(client, 'linked');
    const other = await fleet.group(client, 'not linked');
    const versions = await fleet.appVersions(server.acme.client, 3, [group]);
    const [strange = 0] = await fleet.appVersions(server.acme.client, 1, [other]);
    const [first = 0, second = 0, third = 0] = versions;

    await fleet.logicalNumber(client, 'L-1', { group_id: group, app_version_ids: [third, first, third] });
    expect((await read('L-1')).app_version_ids).toEqual([first, third]);
    const changed = await client.put('logical_numbers/L-1', { app_version_ids: [third, second] });
    expect(changed.record('logical_number').app_version_ids).toEqual([second, third]);

    const refused = await client.put('logical_numbers/L-1', { app_version_ids: [first, strange] });
    expect(refused.status).toBe(422);
    expect(refused.body.errors).toEqual({
      app_version_ids: [`must be app versions linked to the number's group: not ${strange}`],
    });
    expect((await read('L-1')).app_version_ids).toEqual([second, third]);
    const listed = (await client.get('logical_numbers')).list('logical_numbers');
    expect(listed.find(({ number }) => number === 'L-1')).toMatchObject({ app_version_ids: [second, third] });
    const fresh = { number: 'L-2', group_id: group, app_version_ids: [strange] };
    expect((await client.post('logical_numbers', fresh)).status).toBe(422);
    expect((await client.post('logical_numbers', { ...fresh, group_id: null })).status).toBe(422);
    expect((await client.get('logical_numbers/L-2')).status).toBe(404);
  });

  it('contract 24: a change of group removes the app versions that are not linked there', async () => {
    const { client } = server.acme;
    const from = await fleet.group(client, 'from');
    const to = await fleet.group(client, 'to');
    const [only = 0] = await fleet.appVersions(server.acme.client, 1, [from]);
    const [both = 0] = await fleet.appVersions(server.acme.client, 1, [from, to]);
    const id = await fleet.logicalNumber(client, 'mover', { group_id: from, app_version_ids: [only, both] });

    await client.put('logical_numbers/mover', { number: 'moving' });
    expect(await read('moving')).toMatchObject({ group_id: from, app_version_ids: [only, both] });
    await client.put('logical_numbers/moving', { group_id: to });
    expect(await read('moving')).toMatchObject({ group_id: to, app_version_ids: [both] });
    await client.put('logical_numbers/moving', { group_id: null });
    expect(await read('moving')).toMatchObject({ group_id: null, app_version_ids: [] });
    const entries = await ledgerOf(server, server.acme, 'logical_number', id);
    expect(entries.slice(-2)).toMatchObject([
      { before: { appVersionIds: [only, both] }, after: { appVersionIds: [both] } },
      { before: { appVersionIds: [both] }, after: { groupId: null, appVersionIds: [] } },
    ]);
  });
});
