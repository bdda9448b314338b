import { expect } from 'vitest';

import { fleet, softwareOf } from './fleet.js';
import type { Member } from './server.js';
import { issueToken } from './terminals.js';

export const base64 = (bytes: string | Uint8Array): string => Buffer.from(bytes).toString('base64');

export type StockedTerminal = Awaited<ReturnType<typeof stockedTerminal>>;

/** Creates a device with software whose names begin with `name`, and with parameters of its number and its group. */
export async function stockedTerminal(
  { client, ...member }: Member,
  name: string,
  bytecode: string | Uint8Array = `bytecode of ${name}`,
) {
  const software = softwareOf(client);
  const groupId = await fleet.group(client, `group of ${name}`);
  const modulePath = await software.app({ name: `${name}-module`, kind: 'module' });
  const module = await software.version(modulePath, { number: '2.0', bytecode: base64(`module of ${name}`) });
  const fileId = await fleet.file(client, `${name}.dat`, `file of ${name}`);
  const versionPath = await software.app({ name });
  const version = await software.version(versionPath, {
    number: '1.0',
    displayable: true,
    pos_display_label: `Menu ${name}`,
    bytecode: base64(bytecode),
    group_ids: [groupId],
    module_ids: [module.id],
    file_ids: [fileId],
  });
  const logicalNumber = `number of ${name}`;
  const more = { group_id: groupId, app_version_ids: [version.id] };
  const numberId = await fleet.logicalNumber(client, logicalNumber, more);
  for (const [owner, key, value] of [
    [{ name: `group of ${name}` }, 'host', 'group.example'],
    [{ name: `group of ${name}` }, 'port', '7000'],
    [{ number: logicalNumber }, 'host', 'own.example'],
  ] as const) {
    expect((await client.post('parameters', { ...owner, key, value })).status).toBe(201);
  }
  const serialNumber = `SN-${name}`;
  const deviceId = await fleet.device(client, serialNumber, { logical_number_id: numberId });
  const token = await issueToken(member, deviceId);
  return {
    serialNumber,
    logicalNumber,
    numberId,
    groupId,
    deviceId,
    token,
    fileId,
    versionPath,
    /** Version of app `<name>.posxml`, with a module `<name>-module.posxml` and a file `<name>.dat`. */
    versionId: version.id as number,
    moduleId: module.id as number,
  };
}

/** Gives the logical number of a terminal these app versions, and no others. */
export async function setVersions(
  { client }: Member,
  { logicalNumber }: StockedTerminal,
  ...versionIds: unknown[]
): Promise<void> {
  const path = `logical_numbers/${encodeURIComponent(logicalNumber)}`;
  expect((await client.put(path, { app_version_ids: versionIds })).status).toBe(200);
}
