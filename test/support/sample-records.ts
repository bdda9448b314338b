import { beforeAll } from 'vitest';

import { fleet } from './fleet.js';
import { recordAll } from './recording.js';
import type { PathValue } from './route-requests.js';
import type { Member, TestServer } from './server.js';

/** For each placeholder of a path: the value of an existing record, and one that no record has. */
export type PathValues = Readonly<Record<string, { readonly real: string; readonly missing: string }>>;

export const OWNER_NUMBER = 'sample number';

/** Creates one record of every kind for a company; resolves to their values in paths. */
export async function createSampleRecords(server: TestServer, member: Member): Promise<PathValues> {
  const { client, caller } = member;
  const group = await fleet.group(client, 'sample group');
  const number = await fleet.logicalNumber(client, OWNER_NUMBER, { group_id: group });
  const device = await fleet.device(client, 'sample serial', { logical_number_id: number });
  const create = async (
    path: string,
    key: string,
    body: FormData | Record<string, unknown>,
  ): Promise<number> => Number((await client.post(path, body)).record(key).id);
  const app = await create('apps', 'app', { name: 'sample app' });
  const version = await create(`apps/${app}/versions`, 'app_version', { number: '1.0' });
  const form = new FormData();
  form.set('asset', new File(['content'], 'sample file'));
  const file = await create('files', 'file', form);
  const owned = { number: OWNER_NUMBER, key: 'key', value: 'value' };
  const parameter = await create('parameters', 'logical_number_parameter', owned);
  const metacontent = await create('metacontents', 'logical_number_metacontent', owned);
  await client.post('notifications', { content: 'Hello', range: 'group', group_id: group });
  const [notification] = (await client.get('notifications')).list('notifications');
  await server.app.units.write(caller, (work) =>
    recordAll(work, [
      {
        transactionType: 'switch',
        serialNumber: 'sample serial',
        logicalNumber: OWNER_NUMBER,
        appName: 'sample app',
        status: 'success',
        startedAt: work.now,
        finishedAt: work.now,
      },
    ]),
  );
  const id = (real: unknown) => ({ real: String(real), missing: '987654321' });
  const name = (real: string) => ({ real, missing: 'unknown name' });
  return {
    group_name: name('sample group'),
    logical_number: name(OWNER_NUMBER),
    serial_number: name('sample serial'),
    device_id: id(device),
    app_id: id(app),
    version_id: id(version),
    file_id: id(file),
    parameter_id: id(parameter),
    metacontent_id: id(metacontent),
    notification_id: id(notification?.id),
    user_id: id(caller.userId),
  };
}

/** Creates these records of acme before the tests of a file; returns their values in paths. */
export function useSampleRecords(server: TestServer): PathValue {
  let named: PathValues = {};
  beforeAll(async () => {
    named = await createSampleRecords(server, server.acme);
  });
  return (placeholder) => named[placeholder]?.real ?? 'no fixture';
}
