import { afterEach, expect, it } from 'vitest';

import { deviceChanges, MAX_REPORTED } from '../../../../src/domain/fleet/device/device-change.service.js';
import { storeLastSeenTimes } from '../../../../src/domain/fleet/device/device.service.js';
import { MINUTE, SECOND } from '../../../../src/platform/clock.js';
import { nodeId } from '../../../support/dashboard.js';
import { fleet } from '../../../support/fleet.js';
import { mutated } from '../../../support/mutations.js';
import { useServer, type Fields, type Member } from '../../../support/server.js';
import { lastSequence, openStreams, subscribe, type Subscribed } from '../../../support/subscribe.js';

const server = useServer();

interface Event {
  readonly deviceChanged: Fields & { readonly device: Fields | null };
}
const FOLLOW = `subscription ($filter: DeviceFilter, $after: Int) { deviceChanged(filter: $filter, after: $after) {
  kind sequence deviceId device { serialNumber enabled presence } } }`;

const running: Subscribed<Event>[] = [];
async function follow(member: Pick<Member, 'token'>, variables: Fields = {}): Promise<Subscribed<Event>> {
  const before = await openStreams(server);
  const subscribed = subscribe<Event>(server, member, FOLLOW, variables);
  running.push(subscribed);
  await expect.poll(() => openStreams(server)).toBe(before + 1);
  return subscribed;
}
afterEach(async () => {
  for (const { stop } of running.splice(0)) stop();
  await expect.poll(() => openStreams(server)).toBe(0);
});

/** Stores that devices were seen some time ago, as any node does. */
async function see(member: Member, ids: readonly number[], ago = 0): Promise<void> {
  const seenAt = server.clock.now().getTime() - ago;
  const seen = ids.map((deviceId) => ({ deviceId, seenAt }));
  await server.app.units.writeWithoutLedger(member.caller.companyId, (work) =>
    storeLastSeenTimes(work, seen),
  );
}

/** Resolves when the presence was looked at again, so that what comes now is a change. */
async function looked(): Promise<void> {
  const { units } = server.app;
  const look = () => deviceChanges.look?.(units, server.acme.caller, null, null);
  const number = (await look())?.number ?? 0;
  await expect.poll(async () => (await look())?.number).toBeGreaterThan(number);
}

it('sends changes in the order of the ledger to all who may read, and resumes', async () => {
  const viewer = await server.member('acme', 'viewer');
  const after = await lastSequence(server.acme);
  const id = await fleet.device(server.acme.client, 'FOLLOWED');
  await fleet.group(server.acme.client, 'not a device');
  const all = await follow(viewer, { after });
  const enabled = await follow(viewer, { after, filter: { enabled: { eq: true } } });
  await mutated(server.acme, 'deviceDisable', { id: nodeId('Device', id) });
  await fleet.device(server.beta.client, 'FOLLOWED');
  await server.acme.client.delete('devices/FOLLOWED');
  const of = { kind: 'CHANGED', deviceId: nodeId('Device', id) };
  const sequences = [after + 1, after + 3, after + 4];
  const events = await all.until(3);
  expect(events.map(({ deviceChanged }) => deviceChanged)).toMatchObject(
    sequences.map((sequence) => ({ ...of, sequence })),
  );
  expect(events.at(-1)?.deviceChanged.device).toBeNull();
  const filtered = await enabled.until(2);
  expect(filtered.map(({ deviceChanged }) => deviceChanged)).toMatchObject([
    { ...of, sequence: after + 1, device: { serialNumber: 'FOLLOWED', enabled: true } },
    { ...of, sequence: after + 4, device: null },
  ]);
  const resumed = await follow(viewer, { after: after + 3 });
  expect(await resumed.until(1)).toEqual(events.slice(2));
});

it('sends each change of the presence once, of devices that the filter holds for', async () => {
  const { acme, beta } = server;
  const [back = 0, ends = 0, other = 0] = await Promise.all(
    ['BACK', 'ENDS', 'OTHER'].map((serial) => fleet.device(acme.client, serial)),
  );
  const foreign = await fleet.device(beta.client, 'BACK');
  await see(acme, [ends], 15 * MINUTE - 10 * SECOND);
  await looked();
  const all = await follow(acme);
  const stale = await follow(acme, { filter: { presence: { eq: 'STALE' } } });
  await looked();
  await see(acme, [back, other]);
  await see(beta, [foreign]);
  server.clock.advance(20 * SECOND);
  const events = [...(await all.until(3))].map(({ deviceChanged }) => deviceChanged);
  const event = (id: number, serialNumber: string, presence: string) => ({
    kind: 'PRESENCE',
    sequence: null,
    deviceId: nodeId('Device', id),
    device: { serialNumber, enabled: true, presence },
  });
  expect(events).toHaveLength(3);
  expect(events).toEqual(
    expect.arrayContaining([
      event(back, 'BACK', 'ONLINE'),
      event(ends, 'ENDS', 'STALE'),
      event(other, 'OTHER', 'ONLINE'),
    ]),
  );
  await see(acme, [back]);
  await looked();
  await looked();
  expect(all.events).toHaveLength(3);
  expect(stale.events).toEqual([{ deviceChanged: event(ends, 'ENDS', 'STALE') }]);
});

it('reports one event for many devices, so that followers load their list again', async () => {
  const serialNumbers = Array.from({ length: MAX_REPORTED + 1 }, (_, n) => `MANY-${n}`);
  const { results } = await mutated<{ results: { device: { databaseId: number } }[] }>(
    server.acme,
    'deviceBulkCreate',
    { serialNumbers },
    'results { device { databaseId } }',
  );
  const { events, until } = await follow(server.acme);
  const ofOther = await follow(server.beta);
  await looked();
  const ids = results.map(({ device }) => device.databaseId);
  await see(server.acme, ids);
  await until(1);
  const deviceChanged = { kind: 'PRESENCE', sequence: null, deviceId: null, device: null };
  expect(events).toEqual([{ deviceChanged }]);
  await looked();
  expect(ofOther.events).toEqual([]);
});
