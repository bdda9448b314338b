import { randomBytes } from 'node:crypto';

import type { Client } from './client.js';
import { created, createdId, fleet } from './fleet.js';

export const simulatedSerials = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => `SN-${n}`);

/** Terminals of a new group, with an app that has a file, and a parameter; resolves to the id of the group. */
export async function createTerminals(client: Client, count: number): Promise<number> {
  const groupId = await fleet.group(client, 'Simulated terminals');
  const fileId = await fleet.file(client, 'bins.dat', randomBytes(20_000));
  const appId = await fleet.app(client, 'sale', { language: 'posxml' });
  const versionId = await createdId(client, `apps/${appId}/versions`, 'app_version', {
    number: '1.0',
    displayable: true,
    pos_display_label: 'Sale',
    authorizer_url: 'https://a.example:7000',
    bytecode: randomBytes(40_000).toString('base64'),
    group_ids: [groupId],
    file_ids: [fileId],
    module_ids: [],
  });
  const parameter = { name: 'Simulated terminals', key: 'host.address', value: 'gw.example' };
  await created(client, 'parameters', 'group_parameter', parameter);
  for (const serialNumber of simulatedSerials(count)) {
    const more = { group_id: groupId, app_version_ids: [versionId] };
    const numberId = await fleet.logicalNumber(client, serialNumber.replace('SN', 'LN'), more);
    await fleet.device(client, serialNumber, { logical_number_id: numberId });
  }
  return groupId;
}
