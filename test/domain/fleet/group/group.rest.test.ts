import { describe, expect, it } from 'vitest';

import { fleet, ledgerOf, softwareOf } from '../../../support/fleet.js';
import { useServer } from '../../../support/server.js';

const server = useServer();

describe('deleting a group', () => {
  it('RI-32 and contract 19: is refused while a logical number belongs to it, and changes nothing', async () => {
    const { client } = server.acme;
    const id = await fleet.group(client, 'with a number');
    await fleet.logicalNumber(client, 'member', { group_id: id });
    await client.post('parameters', { name: 'with a number', key: 'k', value: 'v' });
    const refused = await client.delete('groups/with%20a%20number');
    expect([refused.status, refused.body.code]).toEqual([409, 'group_not_empty']);
    expect((await client.get('parameters', { name: 'with a number' })).list('parameters')).toHaveLength(1);
    expect((await client.get('logical_numbers/member')).record('logical_number').group_id).toBe(id);

    await client.delete('logical_numbers/member');
    const deleted = await client.delete('groups/with%20a%20number');
    expect([deleted.status, deleted.body]).toEqual([200, {}]);
    expect((await client.get('groups/with%20a%20number')).status).toBe(404);
  });

  it('RI-32 and contract 19: is refused while an app version belongs to it', async () => {
    const { client } = server.acme;
    const id = await fleet.group(client, 'with a version');
    const software = softwareOf(client);
    const path = await software.app();
    const version = await software.version(path, { group_ids: [id] });
    const refused = await client.delete('groups/with%20a%20version');
    expect([refused.status, refused.body.code]).toEqual([409, 'group_not_empty']);
    await client.put(`${path}/${String(version.id)}`, { group_ids: [] });
    expect((await client.delete('groups/with%20a%20version')).status).toBe(200);
  });

  it('contract 19: takes its parameters and metacontents along', async () => {
    const { client } = server.acme;
    await fleet.group(client, 'leaving');
    await fleet.group(client, 'staying');
    const ids: [string, number][] = [];
    for (const kind of ['parameter', 'metacontent']) {
      for (const name of ['leaving', 'staying']) {
        const created = await client.post(`${kind}s`, { name, key: 'k', value: 'v' });
        if (name === 'leaving') ids.push([kind, created.record(`group_${kind}`).id as number]);
      }
    }
    expect((await client.delete('groups/leaving')).status).toBe(200);
    for (const [kind, id] of ids) {
      const entries = await ledgerOf(server, server.acme, kind, id);
      expect(entries).toMatchObject([{ action: 'create' }, { action: 'delete', before: { key: 'k' } }]);
      expect((await client.get(`${kind}s`, { name: 'staying' })).list(`${kind}s`)).toHaveLength(1);
    }
    await fleet.group(client, 'leaving');
    expect((await client.get('metacontents', { name: 'leaving' })).list('metacontents')).toEqual([]);
  });
});
