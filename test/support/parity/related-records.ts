import { nodeId } from '../dashboard.js';
import { fleet, softwareOf } from '../fleet.js';
import type { Member } from '../server.js';

export type RelatedRecords = Awaited<ReturnType<typeof createRelatedRecords>>;

/** Creates records that other records refer to: their REST ids and names. The version belongs to the group. */
export async function createRelatedRecords({ client }: Member) {
  const [groupName, numberName] = ['related group', 'related number'];
  const software = softwareOf(client);
  const group = await fleet.group(client, groupName);
  const app = await fleet.app(client, 'related app');
  const version = await software.version(`apps/${app}/versions`, { number: 'taken', group_ids: [group] });
  return {
    group,
    groupName,
    emptyGroup: await fleet.group(client, 'empty group'),
    number: await fleet.logicalNumber(client, numberName, { group_id: group }),
    numberName,
    app,
    version: version.id as number,
    module: await software.module(),
    file: await software.file(),
  };
}

/** Global ids of GraphQL for the numbers of REST. */
export const ids = {
  group: (id: number): string => nodeId('Group', id),
  number: (id: number): string => nodeId('LogicalNumber', id),
  device: (id: number): string => nodeId('Device', id),
  app: (id: number): string => nodeId('App', id),
  version: (id: number): string => nodeId('AppVersion', id),
  file: (id: number): string => nodeId('File', id),
};
