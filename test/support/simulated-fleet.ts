import { randomBytes } from 'node:crypto';

import type { Client, Fields } from './client.js';
import { created, createdId, fleet } from './fleet.js';

export const simulatedSerials = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => `SN-${n}`);

/** Terminals that are created at the same time. */
const TOGETHER = 16;

/** Terminals of a new group, with an app that has a file, and a parameter; resolves to the id of the group. */
export async function createTerminals(client: Client, count: number): Promise<number> {
  const groupId = await fleet.group(client, 'Simulated terminals');
  const fileId = await fleet.file(client, 'bins.dat', randomBytes(20_000));
  const appId = await fleet.app(client, 'sale', { language: 'posxml' });
  const versionId = await addVersion(client, appId, '1.0', { group_ids: [groupId], file_ids: [fileId] });
  const parameter = { name: 'Simulated terminals', key: 'host.address', value: 'gw.example' };
  await created(client, 'parameters', 'group_parameter', parameter);
  const serials = simulatedSerials(count);
  for (let start = 0; start < count; start += TOGETHER) {
    const create = async (serialNumber: string): Promise<void> => {
      const more = { group_id: groupId, app_version_ids: [versionId] };
      const numberId = await fleet.logicalNumber(client, serialNumber.replace('SN', 'LN'), more);
      await fleet.device(client, serialNumber, { logical_number_id: numberId });
    };
    await Promise.all(serials.slice(start, start + TOGETHER).map(create));
  }
  return groupId;
}

/** Adds a version with other bytes to the app of `createTerminals`, which their group may get. */
export async function releaseVersion(client: Client, groupId: number, number: string): Promise<void> {
  const [app] = (await client.get('apps')).list('apps');
  await addVersion(client, Number(app?.id), number, { group_ids: [groupId], file_ids: [] });
}

const addVersion = (client: Client, appId: number, number: string, links: Fields): Promise<number> =>
  createdId(client, `apps/${appId}/versions`, 'app_version', {
    number,
    displayable: true,
    pos_display_label: 'Sale',
    authorizer_url: 'https://a.example:7000',
    bytecode: randomBytes(40_000).toString('base64'),
    module_ids: [],
    ...links,
  });
