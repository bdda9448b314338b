import { describe, expect, it } from 'vitest';

import { fleet } from '../support/fleet.js';
import { useServer, type Client, type Fields } from '../support/server.js';

const server = useServer();

describe("another company's records", () => {
  it('AT-11 cannot be referenced; the error is that of an id that does not exist', async () => {
    const { acme, beta } = server;
    const group = await fleet.group(acme.client, 'of acme');
    const number = await fleet.logicalNumber(acme.client, 'of acme', { group_id: group });
    const [version = 0] = await fleet.appVersions(acme.client, 1, [group]);
    const own = await fleet.group(beta.client, 'own');
    await fleet.logicalNumber(beta.client, 'own', { group_id: own });
    await fleet.device(beta.client, 'own');

    const attempts: [string, string, string, Fields][] = [
      ['PUT', 'logical_numbers/own', 'group_id', { group_id: group }],
      ['PUT', 'logical_numbers/own', 'app_version_ids', { app_version_ids: [version] }],
      ['POST', 'logical_numbers', 'group_id', { number: 'new', group_id: group }],
      [
        'POST',
        'logical_numbers',
        'app_version_ids',
        { number: 'new', group_id: own, app_version_ids: [version] },
      ],
      ['PUT', 'devices/own', 'logical_number_id', { logical_number_id: number }],
      ['POST', 'devices', 'logical_number_id', { serial_number: 'new', logical_number_id: number }],
    ];
    for (const [method, path, field, body] of attempts) {
      const foreign = await beta.client.request(method, path, body);
      const unknown = await beta.client.request(method, path, {
        ...body,
        [field]: field.endsWith('s') ? [9e6] : 9e6,
      });
      expect([foreign.status, unknown.status], path).toEqual([422, 422]);
      const words = (reply: typeof foreign): string =>
        JSON.stringify(reply.body.errors).replaceAll(/\d+/g, 'N');
      expect(words(foreign)).toBe(words(unknown));
    }
    expect((await beta.client.get('logical_numbers/own')).record('logical_number')).toMatchObject({
      group_id: own,
      app_version_ids: [],
    });
    expect((await beta.client.get('logical_numbers/new')).status).toBe(404);
    for (const selector of [{ number: 'of acme' }, { name: 'of acme' }]) {
      expect((await beta.client.get('parameters', selector)).status).toBe(404);
      expect((await beta.client.post('metacontents', { ...selector, key: 'k', value: 1 })).status).toBe(404);
    }
  });

  it('AT-12 may have the same names: each company reads, changes and deletes its own', async () => {
    const { acme, beta } = server;
    const fill = async (client: Client): Promise<number> => {
      await fleet.group(client, 'g');
      await fleet.logicalNumber(client, '100');
      await client.post('parameters', { number: '100', key: 'k', value: 'v' });
      await client.post('metacontents', { name: 'g', key: 'k', value: {} });
      return await fleet.device(client, 'X');
    };
    const [deviceOfAcme, deviceOfBeta] = [await fill(acme.client), await fill(beta.client)];
    expect((await acme.client.get(`devices/${deviceOfBeta}`)).status).toBe(404);

    expect((await beta.client.put('devices/X', { enabled: false })).record('device').id).toBe(deviceOfBeta);
    expect((await acme.client.get(`devices/${deviceOfAcme}`)).record('device').enabled).toBe(true);
    for (const path of ['devices/X', 'logical_numbers/100', 'groups/g']) {
      expect((await beta.client.delete(path)).status, path).toBe(200);
      expect((await beta.client.delete(path)).status, path).toBe(404);
    }
    expect((await acme.client.get(`devices/${deviceOfAcme}`)).status).toBe(200);
    expect((await acme.client.get('logical_numbers/100')).status).toBe(200);
    expect((await acme.client.get('parameters', { number: '100' })).list('parameters')).toHaveLength(1);
    expect((await acme.client.get('metacontents', { name: 'g' })).list('metacontents')).toHaveLength(1);
    expect((await beta.client.get('parameters', { number: '100' })).status).toBe(404);
  });
});
