import { randomBytes } from 'node:crypto';

import type { Client, Fields } from './client.js';

export const simulatedSerials = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => `SN-${n}`);

/** Terminals of a new group, with an app that has a file, and a parameter; resolves to the id of the group. */
export async function createTerminals(client: Client, count: number): Promise<number> {
  const groupId = await create(client, 'groups', 'group', { name: 'Simulated terminals' });
  const form = new FormData();
  form.set('file', new Blob([randomBytes(20_000)]), 'bins.dat');
  const fileId = await create(client, 'files', 'file', form);
  const appId = await create(client, 'apps', 'app', { name: 'sale', language: 'posxml' });
  const versionId = await create(client, `apps/${appId}/versions`, 'app_version', {
    number: '1.0',
    displayable: true,
    pos_display_label: 'Sale',
    authorizer_url: 'https://a.example:7000',
    bytecode: randomBytes(40_000).toString('base64'),
    group_ids: [groupId],
    file_ids: [fileId],
    module_ids: [],
  });
  await create(client, 'parameters', 'group_parameter', {
    name: 'Simulated terminals',
    key: 'host.address',
    value: 'gw.example',
  });
  for (const serialNumber of simulatedSerials(count)) {
    const logicalNumberId = await create(client, 'logical_numbers', 'logical_number', {
      number: serialNumber.replace('SN', 'LN'),
      group_id: groupId,
      app_version_ids: [versionId],
    });
    const device = { serial_number: serialNumber, logical_number_id: logicalNumberId };
    await create(client, 'devices', 'device', device);
  }
  return groupId;
}

/** Resolves to the id. */
async function create(client: Client, path: string, key: string, body: Fields | FormData): Promise<number> {
  const reply = await client.post(path, body);
  if (reply.status !== 201) throw new Error(`${path}: ${reply.status} ${reply.text}`);
  return (reply.body[key] as { id: number }).id;
}
