import { beforeAll, describe, expect, it } from 'vitest';

import { jobFailureIn } from '../../../../src/console/text/stopped.js';
import { cancelJob, getJob, takeJobStep } from '../../../../src/domain/base/job/job.service.js';
import { answered, changed, listed, nodeId } from '../../../support/dashboard.js';
import { audited, insertMany } from '../../../support/databases/rows.js';
import { createdId, fleet, ledgerOf, versionIdsOf } from '../../../support/fleet.js';
import { useServer, type Fields, type Member, type TestServer } from '../../../support/server.js';
import { subscribe } from '../../../support/subscribe.js';

const CHANGE = `mutation ($target: DeviceTargetInput!, $change: DeviceBulkChangeInput!, $dryRun: Boolean, $expectCount: Int) {
  deviceBulkChange(target: $target, change: $change, dryRun: $dryRun, expectCount: $expectCount) {
    count examples { serialNumber } job { id databaseId state total } userErrors { path code message } } }`;
const JOB = `query ($id: ID!) { job(id: $id) { kind state total done rejected failure endedAt createdBy { databaseId }
  rejections { totalCount nodes { rowNumber name message rule params } } } }`;
const CANCEL = `mutation ($id: ID!) { jobCancel(id: $id) { job { state done } userErrors { code path } } }`;

interface Changed extends Fields {
  readonly count: number | null;
  readonly job: { readonly id: string; readonly databaseId: number } | null;
  readonly userErrors: readonly Fields[];
}

const change = async (member: Member, target: Fields, given: Fields, more: Fields = {}): Promise<Changed> =>
  await changed<Changed>(member, CHANGE, { target, change: given, ...more });

/** Starts a job that must be accepted. */
async function started(...given: Parameters<typeof change>) {
  const { job, userErrors } = await change(...given);
  expect(userErrors).toEqual([]);
  if (job === null) throw new Error('No job was started');
  return job;
}

const shown = async (member: Member, { id }: { readonly id: string }): Promise<Fields> =>
  (await answered(member, JOB, { id })).job as Fields;

/** Adds enabled devices whose serial numbers begin with `name`, and resolves to their ids. */
async function addDevices({ place, acme }: TestServer, name: string, count: number) {
  const { companyId, userId } = acme.caller;
  return await insertMany(place, ['devices', companyId, count], (n) => ({
    ...audited(userId),
    serial_number: `${name} ${n}`,
    enabled: true,
    meta: '{}',
  }));
}

const named = (name: string): Fields => ({ filter: { serialNumber: { startsWith: `${name} ` } } });

async function enabledCount(member: Member, name: string): Promise<number> {
  const filter = { ...(named(name).filter as object), enabled: { eq: true } };
  const query = 'query ($filter: DeviceFilter) { devices(filter: $filter) { totalCount } }';
  return (await answered<{ devices: { totalCount: number } }>(member, query, { filter })).devices.totalCount;
}

describe('deviceBulkChange', () => {
  const server = useServer();

  it('changes the devices of a filter in the background, each with an entry in the ledger', async () => {
    const { acme, app } = server;
    await addDevices(server, 'many', 450);
    const job = await started(acme, named('many'), { enabled: false }, { expectCount: 450 });
    expect(job).toMatchObject({ state: 'WAITING', total: 450 });
    await app.steps.idle();
    const { userId } = acme.caller;
    expect(await shown(acme, job)).toMatchObject({
      kind: 'deviceBulkChange',
      state: 'DONE',
      total: 450,
      done: 450,
      rejected: 0,
      failure: null,
      createdBy: { databaseId: userId },
      rejections: { totalCount: 0, nodes: [] },
    });
    expect(await enabledCount(acme, 'many')).toBe(0);
    const query =
      '{ ledger(filter: { entityType: { eq: "device" }, actorId: { isNull: false } }) { totalCount } }';
    expect(await answered(acme, query)).toEqual({ ledger: { totalCount: 450 } });
    const entries = await ledgerOf(server, acme, 'job', job.databaseId);
    expect(entries.map(({ action }) => action)).toEqual(['create', 'end']);
    expect(entries.at(-1)?.after).toMatchObject({ state: 'done', total: 450, done: 450, rejected: 0 });
  });

  it('changes nothing with dryRun, and nothing if another number is expected', async () => {
    const { acme } = server;
    await addDevices(server, 'tried', 30);
    const tried = await change(acme, named('tried'), { enabled: false }, { dryRun: true });
    expect(tried).toMatchObject({ count: 30, job: null, userErrors: [] });
    expect(tried.examples).toHaveLength(20);
    const other = await change(acme, named('tried'), { enabled: false }, { expectCount: 29 });
    expect(other).toMatchObject({ job: null, userErrors: [{ code: 'INVALID', path: ['expectCount'] }] });
    expect(await enabledCount(acme, 'tried')).toBe(30);
  });

  it('sets a parameter of the logical number of each device, and refuses devices without one', async () => {
    const { acme, app } = server;
    const number = await fleet.logicalNumber(acme.client, 'N-parameter');
    for (const serial of ['par 1', 'par 2'])
      await fleet.device(acme.client, serial, { logical_number_id: number });
    await fleet.device(acme.client, 'par 3');
    const parameter = { key: 'timeout', value: '30' };
    const job = await started(acme, named('par'), { parameter });
    await app.steps.idle();
    expect(await shown(acme, job)).toMatchObject({
      state: 'DONE',
      done: 2,
      rejected: 1,
      rejections: {
        nodes: [
          {
            name: 'par 3',
            message: expect.stringContaining('Only logical numbers have parameters') as string,
          },
        ],
      },
    });
    const filter = { logicalNumberId: { eq: nodeId('LogicalNumber', number) } };
    expect(await listed(acme, 'Parameter', 'value', { filter })).toEqual(['30']);
    const { userErrors } = await change(acme, named('par'), { parameter: { key: '', value: '30' } });
    expect(userErrors).toMatchObject([{ path: ['change', 'parameter'] }]);
  });

  it('moves the logical numbers of devices to a group with its default versions, and refuses devices without one', async () => {
    const { acme, app } = server;
    const { client } = acme;
    const group = await fleet.group(client, 'new group');
    const [version = 0] = await fleet.appVersions(client, 1, [group]);
    const setDefaults = `mutation ($id: ID!, $ids: [ID!]!) {
      groupSetDefaultAppVersions(id: $id, appVersionIds: $ids) { userErrors { code } } }`;
    await changed(acme, setDefaults, { id: nodeId('Group', group), ids: [nodeId('AppVersion', version)] });
    const number = await fleet.logicalNumber(client, 'moved 1');
    const moved = await fleet.device(client, 'moving 1', { logical_number_id: number });
    const without = await fleet.device(client, 'moving 2');
    const ids = [moved, without].map((id) => nodeId('Device', id));
    const job = await started(acme, { ids }, { groupId: nodeId('Group', group), enabled: false });
    await app.steps.idle();
    expect(await shown(acme, job)).toMatchObject({
      state: 'DONE',
      done: 1,
      rejected: 1,
      rejections: {
        nodes: [
          {
            rowNumber: 1,
            name: 'moving 2',
            message: 'logicalNumberId must not be null. Only logical numbers belong to a group',
            rule: 'null',
            params: { in: 'logicalNumberId', advice: 'Only logical numbers belong to a group' },
          },
        ],
      },
    });
    expect(await versionIdsOf(client, 'moved 1')).toEqual([version]);
    expect(await listed(acme, 'Device', 'enabled', named('moving'))).toEqual([false, true]);
  });

  it('assigns devices to a logical number, or to none', async () => {
    const { acme, app } = server;
    const number = nodeId('LogicalNumber', await fleet.logicalNumber(acme.client, 'shared'));
    const ids = (await addDevices(server, 'assigned', 2)).map((id) => nodeId('Device', id));
    for (const logicalNumberId of [number, null]) {
      await started(acme, { ids }, { logicalNumberId });
      await app.steps.idle();
      const record = logicalNumberId === null ? null : { id: logicalNumberId };
      expect(await listed(acme, 'Device', 'logicalNumber', named('assigned'), '{ id }')).toEqual([
        record,
        record,
      ]);
    }
  });

  it.each<[string, Fields, Fields, readonly string[]]>([
    ['no target', {}, { enabled: true }, ['target']],
    ['two targets', { all: true, ids: [nodeId('Device', 1)] }, { enabled: true }, ['target']],
    ['no ids', { ids: [] }, { enabled: true }, ['target', 'ids']],
    ['an unknown id', { ids: [nodeId('Device', 999_999)] }, { enabled: true }, ['target', 'ids']],
    ['the id of a group', { ids: [nodeId('Group', 1)] }, { enabled: true }, ['target', 'ids']],
    ['an empty filter', { filter: {} }, { enabled: true }, ['target', 'filter']],
    ['no change', { all: true }, {}, ['change']],
    ['an unknown group', { all: true }, { groupId: nodeId('Group', 999_999) }, ['change', 'groupId']],
    ['null for enabled', { all: true }, { enabled: null }, ['change', 'enabled']],
  ])('refuses %s, and starts nothing', async (_what, target, given, path) => {
    const jobs = () => answered(server.acme, '{ jobs { totalCount } }');
    const before = await jobs();
    expect(await change(server.acme, target, given)).toMatchObject({
      job: null,
      userErrors: [{ code: 'INVALID', path }],
    });
    expect(await jobs()).toEqual(before);
  });

  it('is of one company', async () => {
    const [id = 0] = await addDevices(server, 'ours', 1);
    const job = await started(server.acme, { ids: [nodeId('Device', id)] }, { enabled: false });
    const { beta } = server;
    expect(await shown(beta, job)).toBeNull();
    const foreign = await change(beta, { ids: [nodeId('Device', id)] }, { enabled: true });
    expect(foreign.userErrors).toMatchObject([{ code: 'INVALID', path: ['target', 'ids'] }]);
  });
});

describe('a job in steps', () => {
  const server = useServer();
  beforeAll(async () => await server.app.steps.stop());
  const step = () => takeJobStep(server.app.units, 0, 'secret');

  it('goes on after a part, does each row once, and is followed', async () => {
    const { acme } = server;
    const devices = await addDevices(server, 'stepped', 200);
    const job = await started(acme, named('stepped'), { enabled: false });
    const follow =
      'subscription ($id: ID!) { jobChanged(id: $id, after: 0) { job { state done rejected } } }';
    const live = subscribe<{ jobChanged: { job: Fields } }>(server, acme, follow, { id: job.id });
    expect(await step()).toBe(acme.caller.companyId);
    expect(await shown(acme, job)).toMatchObject({ state: 'RUNNING', done: 80, endedAt: null });
    // A device of the last part is gone when its turn comes.
    await acme.client.delete('devices/stepped%20200');
    // Two at once, as by two nodes: each does the next part.
    await Promise.all([step(), step()]);
    expect(await shown(acme, job)).toMatchObject({
      state: 'DONE',
      done: 199,
      rejected: 1,
      rejections: {
        nodes: [
          {
            rowNumber: devices.length - 1,
            name: expect.stringMatching(/^stepped \d+$/) as string,
            message: 'No such device.',
            rule: 'not_found',
            params: null,
          },
        ],
      },
    });
    expect(await enabledCount(acme, 'stepped')).toBe(0);
    await expect
      .poll(() => live.events.at(-1)?.jobChanged.job)
      .toEqual({ state: 'DONE', done: 199, rejected: 1 });
    live.stop();
    expect(await step()).toBeNull();
  });

  it('takes turns with the jobs of another company, whose other changes go on', async () => {
    const { acme, beta } = server;
    const { companyId, userId } = beta.caller;
    await addDevices(server, 'ours', 161);
    await insertMany(server.place, ['devices', companyId, 2], (n) => ({
      ...audited(userId),
      serial_number: `theirs ${n}`,
      enabled: true,
      meta: '{}',
    }));
    const [our, their] = [
      await started(acme, named('ours'), { enabled: false }),
      await started(beta, named('theirs'), { enabled: false }),
    ];
    const first = await takeJobStep(server.app.units, 0, 'secret');
    const second = await takeJobStep(server.app.units, first ?? 0, 'secret');
    expect(new Set([first, second])).toEqual(new Set([acme.caller.companyId, companyId]));
    expect(await shown(beta, their)).toMatchObject({ state: 'DONE', done: 2 });
    expect(await shown(acme, our)).toMatchObject({ state: 'RUNNING', done: 80 });
    expect((await beta.client.post('groups', { name: 'meanwhile' })).status).toBe(201);
    await server.app.units.write(acme.caller, async (work) =>
      cancelJob(work, await getJob(work, our.databaseId)),
    );
  });

  it('is cancelled between two parts: what is done stays, and the rest is not changed', async () => {
    const { acme } = server;
    await addDevices(server, 'cancelled', 120);
    const job = await started(acme, named('cancelled'), { enabled: false });
    await step();
    const cancelled = { job: { state: 'CANCELLED', done: 80 }, userErrors: [] };
    expect(await changed(acme, CANCEL, { id: job.id })).toEqual(cancelled);
    expect(await changed(acme, CANCEL, { id: job.id })).toEqual(cancelled);
    expect(await step()).toBeNull();
    expect(await enabledCount(acme, 'cancelled')).toBe(40);
  });

  it('fails when the person who started it is disabled, and the next job runs', async () => {
    const { acme } = server;
    await addDevices(server, 'left', 2);
    const operator = await server.member('acme', 'operator');
    const job = await started(operator, named('left'), { enabled: false });
    const next = await started(acme, named('left'), { enabled: false });
    const disable = 'mutation ($id: ID!) { userDisable(id: $id) { userErrors { code } } }';
    await changed(acme, disable, { id: nodeId('User', operator.caller.userId) });
    await step();
    expect(await shown(acme, job)).toMatchObject({ state: 'FAILED', done: 0 });
    expect(await enabledCount(acme, 'left')).toBe(2);
    await step();
    expect(await shown(acme, next)).toMatchObject({ state: 'DONE', done: 2 });
  });

  it('fails as a whole if its group is gone', async () => {
    const { acme } = server;
    const group = await fleet.group(acme.client, 'short-lived');
    const number = await createdId(acme.client, 'logical_numbers', 'logical_number', { number: 'kept' });
    await fleet.device(acme.client, 'lost 1', { logical_number_id: number });
    const job = await started(acme, named('lost'), { groupId: nodeId('Group', group), enabled: false });
    await acme.client.delete('groups/short-lived');
    await step();
    const { state, failure } = await shown(acme, job);
    expect([state, failure]).toEqual(['FAILED', 'change.groupId is not the id of a group']);
    expect(jobFailureIn('en', String(failure))).toBe('The group does not exist any more.');
    expect(jobFailureIn('pt', String(failure))).toBe('O grupo não existe mais.');
    expect(await enabledCount(acme, 'lost')).toBe(1);
  });
});
