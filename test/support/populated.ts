import type { WriteWork } from '../../src/database/work.js';
import { acknowledgeAlert, createAlertRule, openAlert } from '../../src/domain/base/alert/alert.service.js';
import { startJob } from '../../src/domain/base/job/job.service.js';
import { createSavedFilter } from '../../src/domain/base/saved-filter/saved-filter.service.js';
import { DEVICE_CHANGE } from '../../src/domain/fleet/bulk/bulk-change.service.js';
import { findDevicesBySerialNumbers } from '../../src/domain/fleet/device/device.service.js';
import { sendCommand } from '../../src/domain/messages/command/command.service.js';
import { claimForTerminals } from '../../src/domain/messages/notification/dispatch.service.js';
import { planRollout } from '../../src/domain/software/rollout/rollout-plan.service.js';
import { changeRollout, createRollout } from '../../src/domain/software/rollout/rollout.service.js';
import { logPartOf } from '../../src/domain/terminals/device-log/device-log.model.js';
import { storePart } from '../../src/domain/terminals/device-log/device-log.service.js';
import {
  addUnknownTerminals,
  storeRefusals,
} from '../../src/domain/terminals/terminal/terminal.repository.js';
import { DAY } from '../../src/platform/clock.js';
import { changed, nodeId } from './dashboard.js';
import { fleet, softwareOf, recordAll } from './fleet.js';
import type { Member, TestServer } from './server.js';

const UNKNOWN = 999_999;

/** Creates `times` records of every kind in a company, each linked to records of every kind that it can refer to. */
export async function populate(server: TestServer, member: Member, times: number): Promise<void> {
  const { client } = member;
  const software = softwareOf(client);
  const all = Array.from({ length: times }, (_, n) => `populated ${n}`);
  const groups: number[] = [];
  for (const name of all) groups.push(await fleet.group(client, name));
  const modules = await repeat(times, () => software.module({ bytecode: 'Ynl0ZXM=' }));
  const files = await repeat(times, () => software.file());
  const apps: number[] = [];
  const versions: number[] = [];
  for (const name of all) {
    const id = await fleet.app(client, name);
    apps.push(id);
    const links = { group_ids: groups, module_ids: modules, file_ids: files, bytecode: 'Ynl0ZXM=' };
    versions.push(Number((await software.version(`apps/${id}/versions`, links)).id));
  }
  for (const group of groups) await setDefaultVersions(member, group, versions);
  for (const [n, name] of all.entries()) {
    const links = { group_id: groups[n], app_version_ids: versions };
    const number = await fleet.logicalNumber(client, name, links);
    await fleet.device(client, name, { logical_number_id: number });
    for (const owner of [{ number: name }, { name }]) {
      const settings = { ...owner, key: 'shared', value: 'value' };
      await client.post('parameters', settings);
      await client.post('metacontents', settings);
    }
    const message = { content: 'Hello', kind: 'processing', app_id: apps[n] };
    await client.post('notifications', { ...message, range: 'group', group_id: groups[n] });
    await addColleague(server);
    await addSchedule(member, name, await addWebhook(member));
  }
  await server.app.units.write(member.caller, async (work) => {
    const found = await findDevicesBySerialNumbers(work, all);
    const terminals = [...found.values()].map(({ id, serialNumber, logicalNumberId }) => {
      return { id, serialNumber, logicalNumberId: logicalNumberId ?? 0 };
    });
    await claimForTerminals(work, terminals);
    const deviceIds = [...found.values()].map(({ id }) => id);
    await sendCommand(work, { action: 'REBOOT' }, deviceIds);
    await storeRefusals(work, { code: 'terminal_disabled', deviceIds, unlessSince: work.now });
    // The second row of each job is refused: there is no such device.
    for (const id of deviceIds) {
      await startJob(work, {
        kind: DEVICE_CHANGE,
        input: { enabled: true, token: { keepOldFor: 0 } },
        rows: [{ id }, { id: UNKNOWN, serialNumber: 'deleted' }],
      });
    }
    for (const [n, name] of all.entries()) {
      await addAlerts(work, name, n < 2);
      await addRollout(work, name, versions);
      await createSavedFilter(work, { name, kind: 'device', filter: { serialNumber: { eq: name } } });
    }
    const part = logPartOf(new Map());
    for (const id of deviceIds)
      await storePart(work, { id }, part, { chunks: ['line 1\nline 2\n'], scrubs: 0 });
    const knock = { firstSeenAt: work.now, lastSeenAt: work.now, count: 1 };
    await addUnknownTerminals(
      work,
      all.map((name) => ({ ...knock, serialNumber: `unknown ${name}` })),
    );
  });
  await server.app.units.write(member.caller, (work) =>
    recordAll(
      work,
      all.map((name) => ({
        transactionType: 'switch',
        serialNumber: name,
        logicalNumber: name,
        appName: `${name}.posxml`,
        status: 'success',
        startedAt: work.now,
        finishedAt: work.now,
        parsed: { type: 'sale', status: 'approved', amount: 1_250, card: {} },
      })),
    ),
  );
  await server.app.steps.idle();
}

/** An alert rule of each kind, with an alert that the caller has acknowledged. */
async function addAlerts(work: WriteWork, name: string, hasAllKinds: boolean): Promise<void> {
  const counted = { count: 1, within: DAY };
  const all = {
    refused: counted,
    unknownTerminals: counted,
    deliveriesFailed: counted,
    commandsFailed: counted,
    rolloutStopped: counted,
    rolloutUnmoved: counted,
  };
  const of = {
    silent: { percent: 1, silentFor: DAY },
    lowBattery: { count: 1, below: 20 },
    weakSignal: { percent: 5, below: 20 },
    lowApproval: { below: 50, minPayments: 20, within: DAY },
    noPayments: { count: 1, lasting: DAY },
    largePayments: { count: 1, above: 500_000, within: DAY },
    highSales: { above: 5_000_000, within: DAY },
  };
  const figures = [{ name, value: 1, payments: null, from: null, to: null }];
  // Companies have at most 50 rules.
  for (const [kind, on] of Object.entries(hasAllKinds ? { ...all, ...of } : all)) {
    const input = { name: `${kind} ${name}`, on: { [kind]: on }, recipientIds: [work.caller.userId] };
    const rule = await createAlertRule(work, { ...input, repeatAfter: DAY });
    await acknowledgeAlert(
      work,
      await openAlert(work, rule, { affected: 1, total: 2, examples: [name], figures }),
    );
  }
}

const NIGHT = { from: 22, to: 6, zone: 'UTC' };

/** A rollout that begins tomorrow, with payments of its first wave. */
async function addRollout(work: WriteWork, name: string, appVersionIds: readonly number[]): Promise<void> {
  const startAt = new Date(work.now.getTime() + DAY);
  const input = {
    name,
    appVersionIds: [appVersionIds[0]],
    waves: [{ percent: 50 }, {}],
    startAt,
    window: NIGHT,
  };
  const rollout = await createRollout(work, await planRollout(work, input, { conditions: [], all: true }));
  const side = { terminals: 1, payments: 2, approved: 1, failed: 0 };
  const payments = [{ from: 0, countedAt: DAY, now: side, before: side, waiting: side }];
  await changeRollout(work, rollout, { payments, replacedIds: appVersionIds.slice(1, 2) });
}

/** A webhook to which nothing is sent. */
export async function addWebhook(member: Pick<Member, 'graphql'>): Promise<number> {
  const { webhook } = await changed<{
    readonly webhook: { readonly id: string; readonly databaseId: number };
  }>(
    member,
    'mutation { webhookCreate(input: { url: "https://hooks.example/", events: ["*"] }) { webhook { id databaseId } } }',
  );
  await changed(
    member,
    'mutation ($id: ID!) { webhookUpdate(id: $id, input: { enabled: false }) { userErrors { message } } }',
    { id: webhook.id },
  );
  return webhook.databaseId;
}

async function addSchedule(member: Member, name: string, webhook: number): Promise<void> {
  const exported = { kind: 'DEVICES', format: 'NDJSON', columns: ['serialNumber'] };
  const webhookId = nodeId('Webhook', webhook);
  const input = { name, hour: 8, timeZone: 'UTC', export: exported, webhookId };
  await changed(
    member,
    'mutation ($input: ExportScheduleCreateInput!) { exportScheduleCreate(input: $input) { userErrors { message } } }',
    { input },
  );
}

/** REST has no default versions. */
async function setDefaultVersions(member: Member, group: number, versions: readonly number[]): Promise<void> {
  await changed(
    member,
    `mutation ($id: ID!, $appVersionIds: [ID!]!) {
      groupSetDefaultAppVersions(id: $id, appVersionIds: $appVersionIds) { userErrors { message } } }`,
    { id: nodeId('Group', group), appVersionIds: versions.map((id) => nodeId('AppVersion', id)) },
  );
}

async function addColleague(server: TestServer): Promise<void> {
  const colleague = await server.member('acme', 'admin');
  await colleague.client.post('groups', { name: `of colleague ${colleague.caller.userId}` });
  const renew = `mutation ($id: ID!) { apiTokenRenew(id: $id, keepOldFor: "1h") { userErrors { message } } }`;
  await changed(colleague, renew, { id: nodeId('ApiToken', colleague.caller.tokenId ?? 0) });
}

async function repeat(times: number, make: () => Promise<number>): Promise<number[]> {
  const made: number[] = [];
  for (let n = 0; n < times; n += 1) made.push(await make());
  return made;
}
