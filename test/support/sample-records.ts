import { beforeAll } from 'vitest';

import { createdId, fleet } from './fleet.js';
import { recordAll } from './recording.js';
import type { PathValue } from './route-requests.js';
import type { Member, TestServer } from './server.js';

/** One record of every kind. */
export interface SampleRecords {
  /** By type of GraphQL. */
  readonly ids: Readonly<Record<SampleType, number>>;
  /** By placeholder of a path: `group_name`, `app_id`. */
  readonly values: Readonly<Record<string, string>>;
}

export type SampleType =
  | 'Group'
  | 'LogicalNumber'
  | 'Device'
  | 'App'
  | 'AppVersion'
  | 'File'
  | 'Parameter'
  | 'Metacontent'
  | 'Notification'
  | 'User';

export const OWNER_NUMBER = 'sample number';

/** The value of a placeholder that no record has. */
export const missing: PathValue = (placeholder) =>
  placeholder.endsWith('_id') ? '987654321' : 'unknown name';

/** Creates one record of every kind for a company, whose names begin with `name`. */
export async function createSampleRecords(
  server: TestServer,
  { client, caller }: Member,
  name = 'sample',
): Promise<SampleRecords> {
  const [number, serialNumber] = [`${name} number`, `${name} serial`];
  const group = await fleet.group(client, `${name} group`);
  const app = await fleet.app(client, `${name} app`);
  const versionFields = { number: '1.0', group_ids: [group] };
  const version = await createdId(client, `apps/${app}/versions`, 'app_version', versionFields);
  const numberFields = { group_id: group, app_version_ids: [version] };
  const numberId = await fleet.logicalNumber(client, number, numberFields);
  const owned = { number, key: 'key', value: 'value' };
  const device = await fleet.device(client, serialNumber, { logical_number_id: numberId });
  const file = await fleet.file(client, `${name} file`, 'content');
  const parameter = await createdId(client, 'parameters', 'logical_number_parameter', owned);
  const metacontent = await createdId(client, 'metacontents', 'logical_number_metacontent', owned);
  await client.post('notifications', { content: 'Hello', range: 'group', group_id: group });
  const [notification] = (await client.get('notifications')).list('notifications');
  await server.app.units.write(caller, (work) =>
    recordAll(work, [
      {
        transactionType: 'switch',
        serialNumber,
        logicalNumber: number,
        appName: `${name} app`,
        status: 'success',
        startedAt: work.now,
        finishedAt: work.now,
      },
    ]),
  );
  const ids = {
    Group: group,
    LogicalNumber: numberId,
    Device: device,
    App: app,
    AppVersion: version,
    File: file,
    Parameter: parameter,
    Metacontent: metacontent,
    Notification: Number(notification?.id),
    User: caller.userId,
  };
  const idValues = Object.entries(ids).map(([type, id]) => [
    `${type.replace('AppVersion', 'Version').toLowerCase()}_id`,
    String(id),
  ]);
  const values = { group_name: `${name} group`, logical_number: number, serial_number: serialNumber };
  return { ids, values: { ...values, ...(Object.fromEntries(idValues) as object) } };
}

/** Creates these records of acme before the tests of a file; returns their values in paths. */
export function useSampleRecords(server: TestServer): PathValue {
  let named: SampleRecords['values'] = {};
  beforeAll(async () => {
    ({ values: named } = await createSampleRecords(server, server.acme));
  });
  return (placeholder) => named[placeholder] ?? 'no fixture';
}
