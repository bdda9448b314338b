import { beforeAll } from 'vitest';

import { createAlertRule, openAlert } from '../../src/domain/base/alert/alert.service.js';
import { planRollout } from '../../src/domain/software/rollout/rollout-plan.service.js';
import { createRollout } from '../../src/domain/software/rollout/rollout.service.js';
import { DAY } from '../../src/platform/clock.js';
import { changed, nodeId } from './dashboard.js';
import { createdId, fleet, recordAll } from './fleet.js';
import { addWebhook } from './populated.js';
import type { PathValue } from './route-requests.js';
import type { Member, TestServer } from './server.js';

export type SampleRecords = Awaited<ReturnType<typeof createSampleRecords>>;
export type SampleType = keyof SampleRecords['ids'];

export const OWNER_NUMBER = 'sample number';

/** The value of a placeholder that no record has. */
export const missing: PathValue = (placeholder) =>
  placeholder.endsWith('_id') ? '987654321' : 'unknown name';

/**
 * Creates one record of every kind for a company, whose names begin with `name`. Resolves to their ids by type of GraphQL, and
 * to the values of placeholders of paths, for example of `group_name` and `app_id`.
 */
export async function createSampleRecords(
  server: TestServer,
  { client, caller, graphql }: Member,
  name = 'sample',
) {
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
  const { job } = await changed<{ readonly job: { readonly databaseId: number } }>(
    { graphql },
    `mutation ($ids: [ID!]!) { deviceBulkChange(target: { ids: $ids }, change: { enabled: true }) { job { databaseId } } }`,
    { ids: [nodeId('Device', device)] },
  );
  // The end of the job stands in the ledger before what follows, however busy the machine is.
  await server.app.steps.idle();
  const webhook = await addWebhook({ graphql });
  const alert = await server.app.units.write(caller, async (work) => {
    const rule = { name: `${name} rule`, on: { refused: { count: 1, within: DAY } } };
    return await openAlert(work, await createAlertRule(work, rule), {
      affected: 1,
      total: null,
      examples: [],
    });
  });
  const rollout = await server.app.units.write(caller, async (work) => {
    const startAt = new Date(work.now.getTime() + DAY);
    const input = { name: `${name} rollout`, appVersionIds: [version], waves: [{}], startAt };
    return await createRollout(work, await planRollout(work, input, { conditions: [], all: true }));
  });
  await server.app.steps.idle();
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
    Job: job.databaseId,
    Rollout: rollout.id,
    Webhook: webhook,
    AlertRule: alert.ruleId,
    Alert: alert.id,
    User: caller.userId,
  };
  const idValues = Object.entries(ids).map(([type, id]): [string, string] => [
    `${type.replace('AppVersion', 'Version').toLowerCase()}_id`,
    String(id),
  ]);
  const names = { group_name: `${name} group`, logical_number: number, serial_number: serialNumber };
  const values: Readonly<Record<string, string>> = { ...names, ...Object.fromEntries(idValues) };
  return { ids, values };
}

/** Creates these records of acme before the tests of a file; returns their values in paths. */
export function useSampleRecords(server: TestServer): PathValue {
  let named: SampleRecords['values'] = {};
  beforeAll(async () => {
    ({ values: named } = await createSampleRecords(server, server.acme));
  });
  return (placeholder) => named[placeholder] ?? 'no fixture';
}
