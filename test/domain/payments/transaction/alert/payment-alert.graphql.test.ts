import { beforeEach, describe, expect, it } from 'vitest';

import { DAY, HOUR, MINUTE } from '../../../../../src/platform/clock.js';
import { useServerPerTest, type Member } from '../../../../support/server.js';
import { addDevices, after, createRule, events } from '../../../base/alert/alerts.js';
import { payment, record } from '../records.js';

const server = useServerPerTest();
beforeEach(() => server.clock.stop());

/** Records payments of a terminal that begin now, with their statuses. */
async function pay(
  serialNumber: string,
  statuses: readonly string[],
  { amount = 1_000, member = server.acme }: { amount?: number; member?: Member } = {},
): Promise<void> {
  const startedAt = server.clock.now();
  const rows = statuses.map((status) => ({
    ...payment({ status, amount }),
    serialNumber,
    startedAt,
    finishedAt: startedAt,
  }));
  await record(server, member, rows);
}

const times = (count: number, status: string): readonly string[] =>
  Array.from({ length: count }, () => status);

describe('a rule on the share approved', () => {
  it('opens for all payments together once they are enough, with numbers, and closes', async () => {
    const on = { lowApproval: { below: 60, minPayments: 10, within: '1h' } };
    await createRule(server.acme, { on });
    await createRule(server.beta, { on });
    await pay('S-1', ['approved', 'denied']);
    await pay('S-9', times(20, 'denied'), { member: server.beta });
    expect(await after(server, MINUTE)).toEqual([]);
    await pay('S-2', [...times(3, 'approved'), ...times(6, 'denied')]);
    const [alert] = await after(server, MINUTE);
    const to = server.clock.now();
    expect(alert).toMatchObject({ kind: 'lowApproval', affected: 7, total: 11, examples: [] });
    expect(alert?.figures).toEqual([
      {
        name: null,
        value: expect.closeTo(36.36, 1) as number,
        payments: 11,
        from: new Date(to.getTime() - HOUR).toISOString(),
        to: to.toISOString(),
      },
    ]);
    await pay('S-1', times(20, 'approved'));
    expect(await after(server, MINUTE)).toMatchObject([{ affected: 7, total: 31, closedAt: null }]);
    expect(await after(server, 5 * MINUTE)).toMatchObject([{ closedAt: server.clock.now().toISOString() }]);
    expect(await events(server)).toEqual(['opened', 'closed']);
  });

  it('names each terminal whose share is low, of payments that meet its filter', async () => {
    const filter = { brand: { eq: 'visa' } };
    const on = { lowApproval: { below: 50, minPayments: 4, within: '1h', percent: 50, filter } };
    await createRule(server.acme, { on });
    await pay('good', times(4, 'approved'));
    await pay('bad', [...times(3, 'denied'), 'approved']);
    await pay('few', times(3, 'denied'));
    expect(await after(server, MINUTE)).toMatchObject([
      { affected: 1, total: 2, examples: ['bad'], figures: [{ name: 'bad', value: 25, payments: 4 }] },
    ]);
  });
});

it('a rule on amounts opens for a large payment and for a high sum', async () => {
  const within = '1d';
  await createRule(server.acme, { name: 'one', on: { largePayments: { above: 50_000, within, count: 1 } } });
  await createRule(server.acme, { name: 'sum', on: { highSales: { above: 90_000, within, count: 1 } } });
  await createRule(server.acme, { name: 'all', on: { highSales: { above: 150_000, within } } });
  await pay('S-1', times(2, 'approved'), { amount: 49_999 });
  await pay('S-1', times(1, 'denied'), { amount: 500_000 });
  const high = { name: 'sum', examples: ['S-1'], figures: [{ value: 99_998, payments: 3 }] };
  expect(await after(server, MINUTE)).toMatchObject([high]);
  await pay('S-2', times(1, 'approved'), { amount: 50_002 });
  const alerts = await after(server, MINUTE);
  expect(alerts.toSorted((a, b) => a.name.localeCompare(b.name))).toMatchObject([
    { name: 'all', total: null, examples: [], figures: [{ name: null, value: 150_000, payments: 4 }] },
    { name: 'one', examples: ['S-2'], figures: [{ name: 'S-2', value: 50_002, payments: 1 }] },
    { name: 'sum' },
  ]);
});

describe('a rule on terminals without payments', () => {
  it('counts the hours of the shop alone, over a night and a weekend', async () => {
    // Friday, 15:00 in São Paulo.
    server.clock.set(new Date('2027-01-08T18:00:00Z'));
    await addDevices(server.acme, ['S-1', 'S-2', 'never paid']);
    await pay('S-1', ['denied']);
    const open = { fromHour: 9, toHour: 18, timeZone: 'America/Sao_Paulo' };
    const days = ['FRIDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY'];
    const on = { noPayments: { lasting: '4h', count: 1, ...open, days } };
    const rule = await createRule(server.acme, { on });
    expect(rule.on.noPayments?.days).toEqual(['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY']);
    // Three hours of Friday and one of Monday.
    server.clock.set(new Date('2027-01-11T12:59:00Z'));
    expect(await after(server, 0)).toEqual([]);
    const [alert] = await after(server, MINUTE + 1);
    expect(alert).toMatchObject({ affected: 1, total: 1, examples: ['S-1'] });
    expect(alert?.figures).toEqual([
      {
        name: 'S-1',
        value: null,
        payments: null,
        from: '2027-01-08T18:00:00.000Z',
        to: server.clock.now().toISOString(),
      },
    ]);
    await pay('S-1', ['approved']);
    await after(server, MINUTE);
    expect(await after(server, 5 * MINUTE)).toMatchObject([{ closedAt: server.clock.now().toISOString() }]);
  });

  it('opens none outside of its hours', async () => {
    server.clock.set(new Date('2027-01-08T12:00:00Z'));
    await addDevices(server.acme, ['S-1']);
    await pay('S-1', ['approved']);
    server.clock.set(new Date('2027-01-08T20:00:00Z'));
    const open = { fromHour: 8, toHour: 18, timeZone: 'UTC' };
    await createRule(server.acme, { on: { noPayments: { lasting: '1h', percent: 100, ...open } } });
    expect(await after(server, 0)).toEqual([]);
    server.clock.set(new Date('2027-01-09T08:00:00Z'));
    expect(await after(server, 0)).toMatchObject([{ affected: 1, total: 1 }]);
    expect(await after(server, 40 * DAY)).toMatchObject([{ affected: 0, total: 0, closedAt: null }]);
  });
});
