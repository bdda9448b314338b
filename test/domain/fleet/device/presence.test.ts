import { beforeAll, describe, expect, it } from 'vitest';

import type { Condition } from '../../../../src/database/list/condition.js';
import type { SliceRequest } from '../../../../src/database/list/listing.js';
import { createUnits } from '../../../../src/database/units.js';
import type { ReadWork, Units } from '../../../../src/database/work.js';
import {
  type Presence,
  type PresenceCount,
  PRESENCES,
} from '../../../../src/domain/fleet/device/device.model.js';
import {
  devices,
  devicesByGroup,
  devicesByPresence,
  lastSeenTimes,
  storeLastSeenTimes,
} from '../../../../src/domain/fleet/device/device.service.js';
import { HOUR, MINUTE } from '../../../../src/platform/clock.js';
import { fleet } from '../../../support/fleet.js';
import { useServer, type Member } from '../../../support/server.js';

const NOW = new Date('2026-11-25T12:00:00Z');
const LIMITS = { staleMs: 15 * MINUTE, offlineMs: 24 * HOUR };

const byName = (counts: readonly PresenceCount[] = []) =>
  Object.fromEntries(counts.map(({ presence, count }) => [presence, count]));

/** Milliseconds since a terminal was last seen, and what that means. */
const AGES: readonly (readonly [number | null, Presence])[] = [
  [-HOUR, 'online'],
  [0, 'online'],
  [15 * MINUTE - 1, 'online'],
  [15 * MINUTE, 'stale'],
  [24 * HOUR - 1, 'stale'],
  [24 * HOUR, 'offline'],
  [3000 * HOUR, 'offline'],
  [null, 'never_seen'],
];

const server = useServer();
const ids = new Map<number, Presence>();
beforeAll(async () => {
  const { acme, beta } = server;
  for (const [index, [age, presence]] of AGES.entries()) {
    const groupId = index < 3 ? await fleet.group(acme.client, `group ${index}`) : null;
    const number = await fleet.logicalNumber(acme.client, `N${index}`, { group_id: groupId });
    const id = await fleet.device(acme.client, `SN-${index}`, index < 6 ? { logical_number_id: number } : {});
    ids.set(id, presence);
    if (age !== null) await see(acme, id, NOW.getTime() - age);
  }
  await see(beta, await fleet.device(beta.client, 'SN-0'), NOW.getTime());
});

const clock = { now: () => NOW, elapsed: () => 0 };

const units = (): Units => createUnits(server.app.database, clock, { presence: LIMITS });

async function see({ caller }: Member, deviceId: number, seenAt: number): Promise<void> {
  await units().writeWithoutLedger(caller.companyId, (work) =>
    storeLastSeenTimes(work, [{ deviceId, seenAt }]),
  );
}

async function read<T>(use: (work: ReadWork) => Promise<T>, { caller } = server.acme): Promise<T> {
  return await units().read(caller, use);
}

const idsOf = (...wanted: readonly Presence[]): number[] =>
  [...ids].filter(([, presence]) => wanted.includes(presence)).map(([id]) => id);

const request = (condition: Condition | null, more: Partial<SliceRequest> = {}): SliceRequest => ({
  order: 'ID',
  descending: false,
  backward: false,
  limit: 50,
  key: null,
  condition,
  ...more,
});

async function found(condition: Condition): Promise<number[]> {
  const { records } = await read((work) => devices.slice(work, request(condition)));
  expect(await read((work) => devices.count(work, condition))).toBe(records.length);
  return records.map(({ id }) => id);
}

const presence = (value: Presence): Condition => ({ field: 'presence', operator: 'eq', value });

describe('presence', () => {
  it('changes when exactly the time of a limit has passed', async () => {
    const all = [...ids.keys()].map((id) => ({ id }));
    const found = await read((work) => lastSeenTimes(work, all));
    expect(new Map([...found].map(([id, sighting]) => [id, sighting.presence]))).toEqual(ids);
  });

  it.each(PRESENCES)('filters %s by the same limits', async (value) => {
    expect(await found(presence(value))).toEqual(idsOf(value));
    const others = PRESENCES.filter((other) => other !== value);
    expect(await found({ not: presence(value) })).toEqual(idsOf(...others));
  });

  it('filters several, next to each other or not', async () => {
    for (let bits = 0; bits < 16; bits += 1) {
      const value = PRESENCES.filter((_presence, index) => (bits & (1 << index)) !== 0);
      const several: Condition = { field: 'presence', operator: 'in', value };
      expect(await found(several), value.join()).toEqual(idsOf(...value));
    }
  });

  it('is combined with other filters', async () => {
    const serial: Condition = { field: 'serialNumber', operator: 'eq', value: 'SN-1' };
    const [, second] = ids.keys();
    expect(await found({ and: [presence('online'), serial] })).toEqual([second]);
    expect(await found({ or: [presence('never_seen'), serial] })).toEqual([second, ...idsOf('never_seen')]);
    expect(await found({ and: [presence('offline'), serial] })).toEqual([]);
  });

  it('of the time itself leaves out terminals that were never seen', async () => {
    const at = (operator: 'gte' | 'lt', value: Date): Condition => ({ field: 'lastSeenAt', operator, value });
    const old = new Date(NOW.getTime() - 24 * HOUR);
    expect(await found(at('lt', old))).toEqual(idsOf('offline').slice(1));
    const [latest = 0] = idsOf('offline');
    expect(await found(at('gte', old))).toEqual([...idsOf('online', 'stale'), latest]);
    expect(await found(at('gte', new Date(0)))).toEqual(idsOf('online', 'stale', 'offline'));
    expect(await found(at('lt', new Date(0)))).toEqual([]);
    const unseen = [...idsOf('online').slice(0, 2), ...idsOf('never_seen')];
    expect(await found({ not: at('lt', NOW) })).toEqual(unseen);
  });

  it.each([false, true])('is an order, by its time: descending %s', async (descending) => {
    const more = { order: 'LAST_SEEN_AT', descending };
    const { records } = await read((work) => devices.slice(work, request(null, more)));
    const newest = [...ids.keys()];
    expect(records.map(({ id }) => id)).toEqual(descending ? newest : newest.toReversed());
  });

  it('is counted of the company and of each group', async () => {
    expect(byName(await read(devicesByPresence))).toEqual({ online: 3, stale: 2, offline: 2, never_seen: 1 });
    expect(byName(await read(devicesByPresence, server.beta))).toMatchObject({ online: 1, never_seen: 0 });
    const groups = await read(devicesByGroup);
    const single = ['number', 1];
    const sizes = groups.map(({ groupId, count }) => [typeof groupId, count]);
    expect(sizes).toEqual([['object', 5], single, single, single]);
    const ofNone = { online: 0, stale: 2, offline: 2, never_seen: 1 };
    expect([groups[0]?.groupId, byName(groups[0]?.byPresence)]).toEqual([null, ofNone]);
    expect(byName(groups[1]?.byPresence)).toEqual({ online: 1, stale: 0, offline: 0, never_seen: 0 });
  });

  it('never goes back to an earlier time, and is stored in the own company only', async () => {
    const [id = 0] = ids.keys();
    const before = await read((work) => lastSeenTimes(work, [{ id }]));
    await see(server.acme, id, NOW.getTime());
    await see(server.beta, id, NOW.getTime() + 5 * HOUR);
    expect(await read((work) => lastSeenTimes(work, [{ id }]))).toEqual(before);
    expect((await read((work) => lastSeenTimes(work, [{ id }]), server.beta)).size).toBe(0);
  });
});
