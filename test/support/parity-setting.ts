import { softwareOf } from './applications.js';
import { nodeId } from './dashboard.js';
import { fleet } from './fleet.js';
import type { Member } from './server.js';

/** Records that others refer to; of everything its number in REST. */
export interface Setting {
  readonly group: number;
  readonly groupName: string;
  readonly emptyGroup: number;
  readonly number: number;
  readonly numberName: string;
  readonly app: number;
  /** Of the group. */
  readonly version: number;
  readonly module: number;
  readonly file: number;
}

export async function createSetting({ client }: Member): Promise<Setting> {
  const [groupName, numberName] = ['group of the setting', 'number of the setting'];
  const software = softwareOf(client);
  const group = await fleet.group(client, groupName);
  const app = (await software.create('app', 'apps', { name: 'app of the setting' })).id as number;
  const version = await software.version(`apps/${app}/versions`, { number: 'taken', group_ids: [group] });
  return {
    group,
    groupName,
    emptyGroup: await fleet.group(client, 'group of nothing'),
    number: await fleet.logicalNumber(client, numberName, { group_id: group }),
    numberName,
    app,
    version: version.id as number,
    module: await software.module(),
    file: await software.file(),
  };
}

/** Ids of GraphQL for numbers of REST. */
export const ids = {
  group: (id: number): string => nodeId('Group', id),
  number: (id: number): string => nodeId('LogicalNumber', id),
  device: (id: number): string => nodeId('Device', id),
  app: (id: number): string => nodeId('App', id),
  version: (id: number): string => nodeId('AppVersion', id),
  file: (id: number): string => nodeId('File', id),
};

/** A form with a file, and other fields beside it. */
export function formWith(bytes: string | null, name: string, fields: Readonly<Record<string, string>> = {}) {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.set(field, value);
  if (bytes !== null) form.set('file', new Blob([bytes]), name);
  return form;
}
