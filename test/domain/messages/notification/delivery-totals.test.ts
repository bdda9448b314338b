import { beforeEach, describe, expect, it, beforeAll } from 'vitest';

import type { ReadWork } from '../../../../src/database/work.js';
import {
  deliverySummaries,
  expireDeliveries,
  planCancel,
  planRetry,
  type DeliveryPlan,
  takeDeliveryStep,
} from '../../../../src/domain/messages/notification/delivery.service.js';
import {
  claimDeliveries,
  claimForTerminals,
  confirmDeliveries,
  releaseDeliveries,
  markSent,
} from '../../../../src/domain/messages/notification/dispatch.service.js';
import type { ClaimedDelivery } from '../../../../src/domain/messages/notification/notification.model.js';
import { DAY, MINUTE } from '../../../../src/platform/clock.js';
import { createRandom } from '../../../../src/platform/random.js';
import { failDeliveries, inUnit, notify, reachable } from '../../../support/deliveries.js';
import { fleet, unique, rowsIn, wideFleet } from '../../../support/fleet.js';
import { useServerPerTest, type Member, useServer } from '../../../support/server.js';

const STATES = ['queued', 'sent', 'delivered', 'failed', 'expired', 'cancelled'] as const;
const NUMBERS = ['100', '200', '300', '400', '500'];

const server = useServerPerTest();
let acme: Member;
beforeEach(() => {
  ({ acme } = server);
});

/** Checks the stored totals against all deliveries; they must match at any time. */
async function check(): Promise<void> {
  const { reads } = server.app.database;
  const rows = await reads.selectFrom('notification_deliveries').selectAll().orderBy('id').execute();
  const kept = await reads.selectFrom('notification_totals').selectAll().orderBy('notification_id').execute();
  for (const { notification_id: id, company_id, ...totals } of kept) {
    const own = rows.filter((row) => row.notification_id === id && row.company_id === company_id);
    const counted = STATES.map((state) => [state, own.filter((row) => row.state === state).length]);
    expect(totals).toEqual(Object.fromEntries(counted));
  }
  const waiting = rows.filter(({ finished_at }) => finished_at === null);
  expect(waiting.every(({ state }) => state === 'queued' || state === 'sent')).toBe(true);
  // One delivery of each logical number is due at some time: the first that waits.
  const firsts = Map.groupBy(waiting, ({ logical_number_id: id }) => id);
  expect(rows.filter(({ due_at }) => due_at !== null).map(({ id }) => id)).toEqual(
    [...firsts.values()].map(([first]) => first?.id).sort((a = 0, b = 0) => a - b),
  );
  expect(new Set(rows.map(({ sequence }) => sequence)).size).toBe(rows.length);
}

async function perform(plan: (work: ReadWork) => Promise<DeliveryPlan>): Promise<void> {
  const { parts } = await server.app.units.read(acme.caller, plan);
  for (const part of parts) await server.app.units.write(acme.caller, part);
}

describe('what is kept of deliveries', () => {
  it.each([1, 2, 3, 4])('is exact after any changes, seed %i', async (seed) => {
    const random = createRandom(seed);
    const { units } = server.app;
    const ids: number[] = [];
    for (const number of NUMBERS) ids.push(await reachable(acme, number));
    const held: ClaimedDelivery[] = [];
    let last = await notify(server, acme, 'first', ...NUMBERS);
    const some = (): ClaimedDelivery[] => held.filter(() => random.chance(0.5));
    const changes: readonly (() => Promise<unknown>)[] = [
      async () =>
        (last = await notify(server, acme, 'text', ...NUMBERS.filter(() => random.chance(0.6)), '100')),
      async () => {
        const limit = random.whole(1, 5);
        held.push(...(await inUnit(units, acme, (work) => claimDeliveries(work, limit))));
      },
      async () => {
        const terminals = [random.pick(ids), random.pick(ids)].map((logicalNumberId) => ({
          id: logicalNumberId,
          logicalNumberId,
          serialNumber: `SN of ${logicalNumberId}`,
        }));
        const claimed = await inUnit(units, acme, (work) => claimForTerminals(work, terminals));
        held.push(...[...claimed.values()].flat());
      },
      async () => inUnit(units, acme, (work) => markSent(work, some())),
      async () => inUnit(units, acme, (work) => releaseDeliveries(work, some())),
      async () => inUnit(units, acme, (work) => failDeliveries(work, some(), 'for a reason')),
      async () => {
        const all = some().map(({ logicalNumber, id }) => ({ logicalNumber, event: String(id) }));
        await inUnit(units, acme, (work) => confirmDeliveries(work, all));
      },
      async () => perform((work) => planCancel(work, random.whole(1, last))),
      async () => perform((work) => planRetry(work, last)),
      async () => {
        server.clock.advance(random.whole(1, 40) * MINUTE);
        await Promise.resolve();
      },
    ];
    for (let n = 0; n < 60; n += 1) {
      await random.pick(changes)();
      if (n % 5 === 0) await check();
    }
    await check();
    server.clock.advance(8 * DAY);
    for (let more = true; more;) more = await expireDeliveries(units);
    await check();
    const summaries = await units.read(acme.caller, (work) => deliverySummaries(work, [{ id: last }]));
    expect(summaries.get(last)).toMatchObject({ queued: 0, sent: 0 });
    await server.app.database.writes.deleteFrom('notifications').where('id', '=', last).execute();
    await check();
  });
});

describe('CC-20 a notification to a large group', () => {
  const server = useServer();
  beforeAll(async () => {
    // Steps are taken by the tests.
    await server.app.steps.stop();
  });

  /** Takes the steps that are left, one after the other; resolves to the number of SQL statements of each. */
  async function takeSteps(): Promise<readonly number[]> {
    const counts: number[] = [];
    for (let company: number | null = 0; company !== null;) {
      const after: number = company;
      const { result, statements } = await server.statements(() => takeDeliveryStep(server.app.units, after));
      company = result;
      if (result !== null) counts.push(statements.length);
    }
    return counts;
  }

  const LARGE = 5_000;

  it('reaches each number that the group had when it was sent, once, in steps', async () => {
    const wide = await wideFleet(server, server.acme, LARGE);
    const { client } = server.acme;
    const sent = await client.post('notifications', {
      range: 'group',
      group_id: wide.group,
      content: 'Closed on Sunday',
    });
    expect([sent.status, Object.keys(sent.body)]).toEqual([201, ['message']]);
    const list = (await client.get('notifications')).body as {
      notifications: { notification: { id: number } }[];
    };
    const id = list.notifications.at(-1)?.notification.id ?? 0;
    const queued = `cast(after ->> 'queued' as integer) = ${LARGE} and entity_id = ${id}`;
    expect(await rowsIn(server, 'ledger', `entity_type = 'notification' and ${queued}`)).toBe(1);
    const delivered = (more = 'true'): Promise<number> =>
      rowsIn(server, 'notification_deliveries', `notification_id = ${id} and ${more}`);
    expect(await delivered()).toBe(0);

    // The first one moves out of the group, another comes into it, and the last one is deleted.
    await client.put(`logical_numbers/${wide.number}`, { group_id: null });
    const later = await fleet.logicalNumber(client, unique(), { group_id: wide.group });
    const last = wide.number.replace(/-1$/, `-${LARGE}`);
    expect((await client.delete(`logical_numbers/${last}`)).status).toBe(200);
    const counts = await takeSteps();
    // The first step begins with the first company, without looking for the next one.
    expect([counts.length, counts[1]]).toEqual([LARGE / 500, counts[2]]);
    expect(await delivered()).toBe(LARGE - 1);
    expect(await delivered(`logical_number_id = ${wide.numbers[0] ?? 0}`)).toBe(1);
    expect(await delivered(`logical_number_id = ${later}`)).toBe(0);
    expect(await rowsIn(server, 'notification_targets')).toBe(0);
    expect(await server.place.check()).toEqual([]);
  });
});
