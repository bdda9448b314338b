import { beforeEach, describe, expect, it } from 'vitest';

import type { ReadWork } from '../../../../src/database/work.js';
import {
  deliverySummaries,
  expireDeliveries,
  planCancel,
  planRetry,
  type DeliveryPlan,
} from '../../../../src/domain/messages/notification/delivery.service.js';
import {
  claimDeliveries,
  claimForTerminals,
  confirmDeliveries,
  giveBack,
  markSent,
} from '../../../../src/domain/messages/notification/dispatch.service.js';
import type { ClaimedDelivery } from '../../../../src/domain/messages/notification/notification.model.js';
import { DAY, MINUTE } from '../../../../src/platform/clock.js';
import { createRandom } from '../../../../src/platform/random.js';
import { failDeliveries, inUnit, notify, reachable } from '../../../support/deliveries.js';
import { useServerPerTest, type Member } from '../../../support/server.js';

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
          logicalNumberId,
          serialNumber: `SN of ${logicalNumberId}`,
        }));
        const claimed = await inUnit(units, acme, (work) => claimForTerminals(work, terminals));
        held.push(...[...claimed.values()].flat());
      },
      async () => inUnit(units, acme, (work) => markSent(work, some())),
      async () => inUnit(units, acme, (work) => giveBack(work, some())),
      async () => inUnit(units, acme, (work) => failDeliveries(work, some(), 'for a reason')),
      async () =>
        inUnit(units, acme, (work) =>
          confirmDeliveries(
            work,
            some().map(({ logicalNumber, id }) => ({ logicalNumber, event: String(id) })),
          ),
        ),
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
