import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';

import {
  claimDeliveries,
  confirmDeliveries,
} from '../../../../src/domain/messages/notification/dispatch.service.js';
import { NO_DELIVERIES } from '../../../../src/domain/messages/notification/notification.model.js';
import { sendNotification } from '../../../../src/domain/messages/notification/notification.service.js';
import { DAY } from '../../../../src/platform/clock.js';
import { answered, nodeId } from '../../../support/dashboard.js';
import { deliveriesOf, failDeliveries, inUnit, notify, reachable } from '../../../support/deliveries.js';
import { fleet, ledgerOf, wideFleet } from '../../../support/fleet.js';
import { expectRefused, mutated } from '../../../support/mutations.js';
import {
  useServer,
  useServerPerTest,
  type Fields,
  type Member,
  type TestServer,
} from '../../../support/server.js';
import { subscribe } from '../../../support/subscribe.js';
import { withoutTime } from '../../../support/terminals.js';

let server: TestServer;
let acme: Member;
const use = (given: TestServer): void => {
  server = given;
  ({ acme } = server);
};

const NUMBERS = ['100', '200', '300'];
const SHOWN = `query ($id: ID!, $states: [NotificationDeliveryState!]) { notification(id: $id) {
  deliveries(first: 10, filter: { state: { in: $states } }) { totalCount nodes {
    logicalNumber { number } state queuedAt sentAt finishedAt reason } }
  summary { queued sent delivered failed expired cancelled } } }`;
const FOLLOW = `subscription ($id: ID!, $after: Int) { notificationDelivery(notificationId: $id, after: $after) {
  sequence delivery { state logicalNumber { number } } } }`;

interface Followed {
  readonly notificationDelivery: {
    readonly sequence: number;
    readonly delivery: { readonly state: string; readonly logicalNumber: { readonly number: string } };
  };
}

interface Shown {
  readonly notification: {
    readonly deliveries: { readonly nodes: readonly Fields[] };
    readonly summary: Fields;
  };
}

const globalId = (id: number): string => nodeId('Notification', id);
const shown = async (id: number, states?: readonly string[]) =>
  (await answered<Shown>(acme, SHOWN, { id: globalId(id), states })).notification;
const counts = (given: Partial<Record<string, number>>) => ({ ...NO_DELIVERIES, ...given });
const cancel = async (id: number): Promise<unknown> =>
  (await mutated(acme, 'notificationCancel', { id: globalId(id) }, 'cancelled')).cancelled;
const retry = async (id: number): Promise<unknown> =>
  (await mutated(acme, 'notificationRetry', { id: globalId(id) }, 'queued')).queued;

/** One notification: the first delivery is delivered, the second has failed, and the third waits. */
async function mixed(): Promise<number> {
  // Ids of numbers and of deliveries differ.
  await fleet.logicalNumber(acme.client, 'without deliveries');
  for (const number of NUMBERS) await reachable(acme, number);
  const id = await notify(server, acme, 'text', ...NUMBERS);
  await inUnit(server.app.units, acme, async (work) => {
    const [first, second] = await claimDeliveries(work, 2);
    if (first === undefined || second === undefined) throw new Error('Nothing is due');
    await confirmDeliveries(work, [{ logicalNumber: first.logicalNumber, event: String(first.id) }]);
    await failDeliveries(work, [second], 'too long');
  });
  return id;
}

describe('deliveries of a notification', () => {
  const shared = useServer();
  let id: number;
  beforeAll(async () => {
    use(shared);
    id = await mixed();
  });

  it('are listed with their states, and counted by state', async () => {
    const { deliveries, summary } = await shown(id);
    const instant: unknown = expect.stringMatching(/^20.+Z$/);
    const of = (number: string, state: string, more: object) => ({
      logicalNumber: { number },
      state,
      queuedAt: instant,
      sentAt: null,
      finishedAt: null,
      reason: null,
      ...more,
    });
    expect(deliveries).toEqual({
      totalCount: 3,
      nodes: [
        of('100', 'DELIVERED', { sentAt: instant, finishedAt: instant }),
        of('200', 'FAILED', { finishedAt: instant, reason: 'too long' }),
        of('300', 'QUEUED', {}),
      ],
    });
    expect(summary).toEqual(counts({ delivered: 1, failed: 1, queued: 1 }));
    const some = (await shown(id, ['FAILED', 'QUEUED'])).deliveries;
    expect(some.nodes.map(({ state }) => state)).toEqual(['FAILED', 'QUEUED']);
    expect((await shown(id, ['SENT'])).deliveries).toEqual({ totalCount: 0, nodes: [] });
  });

  it.each([
    [{ logicalNumberId: { eq: nodeId('LogicalNumber', 3) } }, ['200 FAILED']],
    [{ number: { eq: '200' } }, ['200 FAILED']],
    [{ number: { in: ['100', '300', '400'] } }, ['100 DELIVERED', '300 QUEUED']],
    [{ number: { startsWith: '2' } }, ['200 FAILED']],
    [{ number: { eq: 'none' } }, []],
  ])('are found by %j', async (filter, found) => {
    const query = `query ($id: ID!, $filter: NotificationDeliveryFilter) { notification(id: $id) {
      deliveries(filter: $filter) { totalCount nodes { state logicalNumber { number } } } } }`;
    const nodes = found.map((each) => {
      const [number, state] = each.split(' ');
      return { state, logicalNumber: { number } };
    });
    expect(await answered(acme, query, { id: globalId(id), filter })).toEqual({
      notification: { deliveries: { totalCount: found.length, nodes } },
    });
  });

  it('of another company are not there', async () => {
    const query = 'query ($id: ID!) { node(id: $id) { id } }';
    const delivery = { id: nodeId('NotificationDelivery', 1) };
    expect(await answered(acme, query, delivery)).toEqual({ node: delivery });
    expect(await answered(server.beta, query, delivery)).toEqual({ node: null });
  });
});

/** A server for each test of the `describe` that calls this. */
function useOwn(): void {
  const own = useServerPerTest();
  beforeEach(() => use(own));
}

describe('cancelling', () => {
  useOwn();

  it('ends what waits, and lets nothing of it out', async () => {
    const id = await mixed();
    expect(await cancel(id)).toBe(1);
    expect((await shown(id)).summary).toEqual(counts({ delivered: 1, failed: 1, cancelled: 1 }));
    const due = await inUnit(server.app.units, acme, (work) => claimDeliveries(work, 9));
    expect(due).toEqual([]);
    expect((await ledgerOf(server, acme, 'notification', id)).at(-1)).toMatchObject({
      action: 'cancel',
      after: { waiting: 1 },
    });
    expect(await cancel(id)).toBe(0);
    expect((await ledgerOf(server, acme, 'notification', id)).length).toBe(2);
  });

  it('CC-20 ends those of a large group, made or not, in parts', async () => {
    const { app } = server;
    const { group } = await wideFleet(server, acme, 1_200);
    await app.steps.stop();
    const { id } = await app.units.write(acme.caller, (work) =>
      sendNotification(work, { content: 'x', groupId: group }),
    );
    expect((await shown(id)).summary).toEqual(counts({}));
    expect(await cancel(id)).toBe(1_200);
    expect((await shown(id)).summary).toEqual(counts({ cancelled: 1_200 }));
    const other = await notify(server, acme, 'x', ...(await numbersOf(1_000)));
    expect(await cancel(other)).toBe(1_000);
    expect((await shown(other)).summary).toEqual(counts({ cancelled: 1_000 }));
  });
});

async function numbersOf(count: number): Promise<string[]> {
  const { reads } = server.app.database;
  const rows = await reads.selectFrom('logical_numbers').select('number').limit(count).execute();
  return rows.map(({ number }) => number);
}

describe('a retry', () => {
  useOwn();

  it('queues what has failed, with the same ids, and nothing else', async () => {
    const id = await mixed();
    expect(await retry(id)).toBe(1);
    expect((await shown(id)).summary).toEqual(counts({ delivered: 1, queued: 2 }));
    const deliveries = await inUnit(server.app.units, acme, (work) => claimDeliveries(work, 9));
    expect(deliveries.map(({ message }) => withoutTime(message)).sort()).toEqual([
      '2|SHOW_MESSAGE|text',
      '3|SHOW_MESSAGE|text',
    ]);
    expect(await retry(id)).toBe(0);
  });

  it('is refused once the notification has expired', async () => {
    const id = await mixed();
    server.clock.advance(7 * DAY);
    const message = /^expired at .+: send the notification again$/;
    await expectRefused(acme, 'notificationRetry', { id: globalId(id) }, 'INVALID id', message);
    await server.app.housekeeping.run();
    expect((await shown(id)).summary).toEqual(counts({ delivered: 1, failed: 1, expired: 1 }));
  });
});

describe('a subscription to deliveries', () => {
  useOwn();

  const seen = (events: readonly Followed[]): string[] =>
    events.map(
      ({ notificationDelivery: { delivery } }) => `${delivery.logicalNumber.number} ${delivery.state}`,
    );

  it('sends each change of the notification, in order, and resumes', async () => {
    for (const number of NUMBERS) await reachable(acme, number);
    const id = await notify(server, acme, 'text', '100', '200');
    const live = subscribe<Followed>(server, acme, FOLLOW, { id: globalId(id), after: 0 });
    expect(seen(await live.until(2))).toEqual(['100 QUEUED', '200 QUEUED']);
    await notify(server, acme, 'other', '300');
    await inUnit(server.app.units, acme, async (work) => {
      await failDeliveries(work, await claimDeliveries(work, 1), 'too long');
    });
    expect(seen(await live.until(3)).at(-1)).toBe('100 FAILED');
    await cancel(id);
    const events = await live.until(4);
    expect(seen(events).at(-1)).toBe('200 CANCELLED');
    live.stop();
    const after = events[2]?.notificationDelivery.sequence;
    const resumed = subscribe<Followed>(server, acme, FOLLOW, { id: globalId(id), after });
    expect(seen(await resumed.until(1))).toEqual(['200 CANCELLED']);
    await sleep(50);
    expect(resumed.events.length).toBe(1);
    resumed.stop();
  });

  it('begins with the changes from now on, and is refused for what is not there', async () => {
    await reachable(acme, '100');
    const id = await notify(server, acme, 'text', '100');
    const live = subscribe<Followed>(server, acme, FOLLOW, { id: globalId(id) });
    const stranger = subscribe<Followed>(server, server.beta, FOLLOW, { id: globalId(id) });
    expect(await stranger.ended).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
    await expect
      .poll(async () => {
        await cancel(id);
        return seen(live.events);
      })
      .toEqual(['100 CANCELLED']);
    expect(await deliveriesOf(server, acme)).toMatchObject([{ state: 'cancelled' }]);
    live.stop();
  });
});
