import { beforeAll, describe, expect, it } from 'vitest';

import { finish } from '../../../../src/domain/messages/notification/delivery.repository.js';
import type { FinishedState } from '../../../../src/domain/messages/notification/notification.model.js';
import { DAY, HOUR, MINUTE } from '../../../../src/platform/clock.js';
import { answered, refused, statementsFor } from '../../../support/dashboard.js';
import { deliveriesOf, inUnit, notify } from '../../../support/deliveries.js';
import { fleet } from '../../../support/fleet.js';
import { useServer, type Fields, type Member } from '../../../support/server.js';

const server = useServer();

const STATES = ['queued', 'sent', 'delivered', 'failed', 'expired', 'cancelled'] as const;
type Figures = Readonly<Record<(typeof STATES)[number], number>>;

interface Row extends Figures {
  readonly bucketStart: string | null;
  readonly bucketEnd: string | null;
  readonly count: number;
}

const SUMMARY = `query ($filter: NotificationFilter, $bucket: NotificationSummaryBucket!, $timeZone: String, $emptyBuckets: Boolean!) {
  notificationSummary(filter: $filter, bucket: $bucket, timeZone: $timeZone, emptyBuckets: $emptyBuckets) {
    bucketStart bucketEnd count ${STATES.join(' ')} } }`;

async function summary(given: Fields, member: Pick<Member, 'graphql'> = server.acme) {
  const variables = { bucket: 'NONE', emptyBuckets: false, ...given };
  const data = await answered<{ notificationSummary: readonly Row[] }>(member, SUMMARY, variables);
  return data.notificationSummary;
}

const LIST = `query ($filter: NotificationFilter, $state: NotificationDeliveryState!) {
  notifications(first: 100, filter: $filter) { totalCount nodes {
    summary { ${STATES.join(' ')} } deliveries(first: 0, filter: { state: { eq: $state } }) { totalCount } } } }`;

/** Number of the notifications that a filter finds, and of their deliveries in a state, counted in two ways. */
async function followed(filter: Fields, state: (typeof STATES)[number]) {
  const { notifications } = await answered<{
    notifications: {
      readonly totalCount: number;
      readonly nodes: readonly {
        readonly summary: Figures;
        readonly deliveries: { readonly totalCount: number };
      }[];
    };
  }>(server.acme, LIST, { filter, state: state.toUpperCase() });
  const { totalCount, nodes } = notifications;
  return {
    count: totalCount,
    summed: nodes.reduce((sum, node) => sum + node.summary[state], 0),
    listed: nodes.reduce((sum, { deliveries }) => sum + deliveries.totalCount, 0),
  };
}

const NUMBERS = ['N1', 'N2', 'N3', 'N4', 'N5'];

/** Time from the first notification, target, and what becomes of the first deliveries. */
const SENT: readonly (readonly [number, number, readonly FinishedState[]])[] = [
  [0, 3, ['delivered']],
  [20 * MINUTE, 5, ['failed', 'failed', 'expired']],
  [70 * MINUTE, 1, ['cancelled']],
  [5 * HOUR, 2, []],
  [DAY, 4, ['delivered', 'delivered', 'failed', 'cancelled']],
  [3 * DAY, 1, ['delivered']],
];

let first: number;
beforeAll(async () => {
  const { acme, beta } = server;
  for (const number of NUMBERS) await fleet.logicalNumber(acme.client, number);
  await fleet.logicalNumber(beta.client, 'N1');
  const sinceHour = server.clock.now().getTime() % HOUR;
  server.clock.advance(HOUR - sinceHour + 5 * MINUTE);
  // The clock goes on between two calls.
  first = Math.floor(server.clock.now().getTime() / HOUR) * HOUR + 5 * MINUTE;
  let number = 0;
  for (const [after, target, ends] of SENT) {
    server.clock.advance(first + after - server.clock.now().getTime());
    await notify(server, acme, `message ${number++}`, ...NUMBERS.slice(0, target));
    await notify(server, beta, 'theirs', 'N1');
    const queued = (await deliveriesOf(server, acme)).slice(-target);
    for (const [index, state] of ends.entries()) {
      await inUnit(server.app.units, acme, (work) => finish(work, [queued[index]?.id ?? 0], state));
    }
  }
});

describe('notificationSummary', () => {
  it('counts all deliveries of the company by state', async () => {
    const counted = { count: 6, queued: 6, sent: 0, delivered: 4, failed: 3, expired: 1, cancelled: 2 };
    expect(await summary({})).toEqual([{ bucketStart: null, bucketEnd: null, ...counted }]);
    expect(await summary({}, server.beta)).toMatchObject([{ count: 6, queued: 6, delivered: 0 }]);
    expect(await summary({ filter: { createdAt: { lt: new Date(first).toISOString() } } })).toEqual([]);
  });

  it.each([
    ['HOUR', null, [2, 1, 1, 1, 1]],
    ['DAY', 'America/Sao_Paulo', null],
    ['WEEK', 'Asia/Tokyo', null],
    ['MONTH', null, null],
  ])('by %s leads from each figure to its notifications', async (bucket, timeZone, counts) => {
    const rows = await summary({ bucket, timeZone });
    expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(SENT.length);
    if (counts !== null) expect(rows.map(({ count }) => count)).toEqual(counts);
    for (const { bucketStart, bucketEnd, count, ...figures } of rows) {
      const createdAt = { gte: bucketStart, lt: bucketEnd };
      for (const state of STATES) {
        const figure = figures[state];
        expect(await followed({ createdAt }, state)).toEqual({ count, summed: figure, listed: figure });
        const narrowed = await followed({ createdAt, deliveryState: { eq: state.toUpperCase() } }, state);
        expect(narrowed).toMatchObject({ summed: figure, listed: figure });
        if (figure === 0) expect(narrowed.count).toBe(0);
      }
    }
  });

  it('takes the filter of the list', async () => {
    const failed = await summary({ filter: { deliveryState: { in: ['FAILED', 'EXPIRED'] } }, bucket: 'DAY' });
    expect(failed.map(({ count, failed: number }) => [count, number])).toEqual([
      [1, 2],
      [1, 1],
    ]);
    expect(await summary({ filter: { kind: { eq: 'PROCESSING' } } })).toEqual([]);
  });

  it('shows empty buckets of the interval, or between the first and the last notification', async () => {
    const starts = async (given: Fields) =>
      (await summary({ bucket: 'HOUR', emptyBuckets: true, ...given })).map(({ bucketStart, count }) => [
        (Date.parse(bucketStart ?? '') - first + 5 * MINUTE) / HOUR,
        count,
      ]);
    const hours = await starts({});
    expect(hours).toHaveLength(3 * 24 + 1);
    expect(hours.slice(0, 6)).toEqual([
      [0, 2],
      [1, 1],
      [2, 0],
      [3, 0],
      [4, 0],
      [5, 1],
    ]);
    const createdAt = {
      gte: new Date(first + 6 * HOUR).toISOString(),
      lt: new Date(first + 8 * HOUR).toISOString(),
    };
    expect(await starts({ filter: { createdAt } })).toEqual([
      [6, 0],
      [7, 0],
      [8, 0],
    ]);
  });

  it('takes as many statements for many buckets as for one', async () => {
    const member = await server.member('acme', 'viewer');
    const statements = async (given: Fields) =>
      await statementsFor(server, member, SUMMARY, { bucket: 'NONE', emptyBuckets: false, ...given });
    const one = await statements({});
    const many = await statements({ bucket: 'HOUR', emptyBuckets: true, timeZone: 'America/Sao_Paulo' });
    expect(many).toHaveLength(one.length);
    expect(many.at(-1)).toContain('notification_totals');
  });

  it.each([
    [{ emptyBuckets: true }, 'emptyBuckets needs a bucket other than NONE.'],
    [{ bucket: 'DAY', timeZone: 'Atlantis' }, 'timeZone: "Atlantis" is not an IANA time zone'],
    [
      { bucket: 'HOUR', emptyBuckets: true, filter: { createdAt: { gte: '1990-01-01T00:00:00Z' } } },
      'more than 10000 rows',
    ],
  ])('refuses %j', async (given, words) => {
    const variables = { bucket: 'NONE', emptyBuckets: false, ...given };
    const { code, message } = await refused(server.acme, SUMMARY, variables);
    expect([code, message]).toEqual(['BAD_USER_INPUT', expect.stringContaining(words)]);
  });
});
