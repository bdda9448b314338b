import { setTimeout as sleep } from 'node:timers/promises';
import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';

import { finish } from '../../src/domain/messages/notification/delivery.repository.js';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/platform/clock.js';
import { payment, record } from '../domain/payments/transaction/records.js';
import { expectSound } from '../support/browser.js';
import type { Fields } from '../support/client.js';
import { nodeId } from '../support/dashboard.js';
import { inUnit, notify } from '../support/deliveries.js';
import { fleet } from '../support/fleet.js';
import { addPerson } from '../support/people.js';
import { populate } from '../support/populated.js';
import { newTerminal, report } from '../support/terminals.js';
import { useConsole, WINDOWS } from './pages.js';

const { server, open } = useConsole();

it('each tile and row leads to a list with the same number of records', async () => {
  const { email } = await addPerson(server, { acme: 'viewer' });
  await populate(server, server.acme, 3);
  const { token } = await newTerminal(server.acme, 'S-1');
  await report(server, token, { framework_version: '4.2.0' });
  await fleet.device(server.acme.client, 'without a number');
  // Older than a page of those that wait.
  await fleet.logicalNumber(server.acme.client, 'late');
  const lost: number[] = [];
  for (let index = 0; index < 6; index += 1) lost.push(await notify(server, server.acme, 'Lost', 'late'));
  const failed = await server.place.sql<{ id: number }>(
    `select id from notification_deliveries where notification_id in (${lost.join()})
      and company_id = ${server.acme.caller.companyId} order by id`,
  );
  const ids = failed.map(({ id }) => id);
  await inUnit(server.app.units, server.acme, async (work) => {
    await finish(work, ids.slice(0, 3), 'failed', { reason: 'No answer' });
    await finish(work, ids.slice(3), 'expired');
  });
  for (let index = 0; index < 25; index += 1) await notify(server, server.acme, 'Waits', 'late');

  const page = await open('/overview', { email });
  const counted: (readonly [string, number])[] = [];
  const tiles = page.getByRole('region', { name: 'Needs attention' }).getByRole('listitem');
  const rows = page.getByRole('region', { name: /^Terminals by/ }).getByRole('row');
  await rows.first().waitFor();
  const numberIn = async (place: Locator, part: string): Promise<number> =>
    Number((await place.locator(part).last().textContent())?.replaceAll(',', ''));
  for (const [places, part] of [
    [tiles, 'strong'],
    [rows, 'td'],
  ] as const) {
    for (const place of await places.all()) {
      const href = (await place.getByRole('link').getAttribute('href')) ?? '';
      counted.push([href, await numberIn(place, part)]);
    }
  }
  await page.getByText(/^Counted at \w+ \d+, \d{4}, \d+:\d\d:\d\d [AP]M\.$/).waitFor();
  expect(counted.length).toBeGreaterThan(7);
  const undelivered = tiles.filter({ hasText: 'Notifications that were not delivered' });
  expect(await numberIn(undelivered, 'strong')).toBe(6);
  const found: (readonly [string, number])[] = [];
  for (const [href] of counted) {
    await page.goto(server.url + href);
    const status = page.getByRole('status').filter({ hasText: /\d records?/ });
    found.push([href, Number.parseInt((await status.textContent()) ?? '', 10)]);
  }
  expect(found).toEqual(counted);

  await page.goto(`${server.url}/console/overview`);
  const today = page.getByRole('table', { name: 'Today' });
  await today.getByRole('row', { name: 'Approved 3 37.50' }).waitFor();
  await page.getByText('Show as a table').first().click();
  const hours = page.getByRole('table', { name: 'Payments of the day by hour' });
  await hours.getByRole('cell', { name: '37.50' }).waitFor();
  await today.getByRole('link', { name: 'Today' }).click();
  await page.getByText('3 records').waitFor();
});

it('the chart of the day has all its hours, and the same day a week before', async () => {
  const member = await server.member('acme', 'admin');
  const { email } = await addPerson(server, { acme: 'viewer' });
  await server.place.sql('delete from transactions');
  // The page must be shown in the hour of the payments, and not in its first minute, which the week before lacks.
  while (Math.floor((Date.now() % HOUR) / MINUTE) % 59 === 0) await sleep(SECOND);
  const now = Math.floor(Date.now() / HOUR) * HOUR;
  const paid = (at: number, parsed: Fields = {}) => {
    const [startedAt, finishedAt] = [new Date(at), new Date(at)];
    return { ...payment({ amount: 1_000, ...parsed }), startedAt, finishedAt };
  };
  const lastWeek = now - 7 * DAY;
  await record(server, member, [
    ...Array.from({ length: 3 }, () => paid(now)),
    paid(now, { status: 'denied' }),
    ...Array.from({ length: 2 }, () => paid(lastWeek)),
  ]);

  const page = await open('/overview', { email });
  await page.getByText('Times in UTC').waitFor();
  await page.getByRole('row', { name: 'Approved 3 30.00 20.00' }).waitFor();
  await page.getByText('Show as a table').first().click();
  const rows = page.getByRole('table', { name: 'Payments of the day by hour' }).locator('tbody tr');
  await expect.poll(() => rows.count()).toBe(24);
  const hour = new Date(now).getUTCHours();
  const figuresOf = async (index: number) =>
    (await rows.nth(index).locator('td').allTextContents()).map((text) => text.trim());
  expect(await figuresOf(hour)).toEqual(['30.00', '10.00', '0.00', '20.00', '75%']);
  // An hour without payments is zero once it has begun.
  if (hour > 0) expect(await figuresOf(0)).toEqual(['0.00', '0.00', '0.00', '0.00', '–']);
  if (hour < 23) expect(await figuresOf(23)).toEqual(['–', '–', '–', '0.00', '–']);
  const bar = page.locator('.chart-bars').first().locator('li').nth(hour);
  expect((await bar.locator('.chart-good').boundingBox())?.height).toBeGreaterThan(80);
  const tops = await Promise.all(
    ['good', 'mark'].map(async (part) => (await bar.locator(`.chart-${part}`).boundingBox())?.y ?? 0),
  );
  expect(tops[1]).toBeGreaterThan(tops[0] ?? 0);
});

it('asks for nothing that a viewer is not shown, also when records change', async () => {
  const { email } = await addPerson(server, { acme: 'viewer' });
  const page = await open('/overview', { email });
  const operations: unknown[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/graphql')) operations.push(JSON.parse(request.postData() ?? '{}'));
  });
  await page.getByRole('region', { name: 'Payments' }).waitFor();
  operations.length = 0;
  await fleet.device(server.acme.client, 'new');
  await expect.poll(() => operations.length).toBeGreaterThan(0);
  await sleep(SECOND);
  expect(operations.filter((each) => JSON.stringify(each).includes('FirstSteps'))).toEqual([]);
});

it('shows who was denied most today, and rollouts under way, with links to more', async () => {
  const { email } = await addPerson(server, { acme: 'viewer' });
  const page = await open('/overview', { email });
  await page.getByRole('region', { name: 'Payments' }).waitFor();
  const denied = page.getByRole('region', { name: 'Denied most today' });
  expect(await denied.count()).toBe(0);
  const now = new Date();
  const sold = Array.from({ length: 12 }, (_, n) => ({
    ...payment(n < 3 ? { status: 'denied' } : {}),
    serialNumber: 'T-1',
    startedAt: now,
    finishedAt: now,
  }));
  await record(server, server.acme, sold);
  await page.reload();
  await denied.getByRole('row', { name: 'T-1 25% 3 of 12 payments' }).waitFor();
  await denied.getByRole('link', { name: 'T-1' }).click();
  await page.getByText('3 records').waitFor();
  await page.goBack();
  await denied.getByRole('link', { name: 'Terminals' }).click();
  await page.getByRole('row', { name: /^T-1 12 9 3 .* 25%/ }).waitFor();

  const late = { message: 'Too long', extensions: { code: 'DEADLINE_EXCEEDED' } };
  await page.route('**/graphql', (route) => {
    const isDenied = route.request().postData()?.includes('DeniedToday') === true;
    return isDenied ? route.fulfill({ json: { data: null, errors: [late] } }) : route.continue();
  });
  await page.goto(`${server.url}/console/overview`);
  await denied.getByRole('alert').waitFor();
  expect(await page.getByRole('region', { name: 'Payments' }).count()).toBe(1);
  await page.unroute('**/graphql');

  await server.place.sql(`update rollouts set state = 'paused'`);
  await page.goto(`${server.url}/console/overview`);
  const rollouts = page.getByRole('region', { name: 'Rollouts under way' });
  await rollouts.getByRole('row', { name: 'Paused' }).first().getByRole('link').click();
  await page.getByRole('complementary').waitFor();
});

it.each(WINDOWS)('names of bars do not collide: $name', async ({ name: _, ...window }) => {
  const { email } = await addPerson(server, { acme: 'viewer' });
  const page = await open('/overview', { email, ...window });
  await page.locator('.chart-bars').first().waitFor();
  const boxes = await page.evaluate<readonly (readonly (readonly [number, number])[])[]>(
    `[...document.querySelectorAll('.chart-bars')].map((bars) => [...bars.querySelectorAll('small')]
      .map((each) => each.getBoundingClientRect()).filter(({ width }) => width > 0)
      .map(({ left, right }) => [left, right]))`,
  );
  for (const names of boxes) {
    expect(names.length).toBeGreaterThan(1);
    for (const [index, [left]] of names.entries())
      expect(left).toBeGreaterThan(names[index - 1]?.[1] ?? -Infinity);
  }
});

it('each figure of the deliveries over time leads to its notifications', async () => {
  const { email } = await addPerson(server, { beta: 'viewer' });
  for (const number of ['1', '2']) await fleet.logicalNumber(server.beta.client, number);
  const ids = await Promise.all(
    [['1'], ['1', '2']].map((numbers) => notify(server, server.beta, 'Closed', ...numbers)),
  );
  await server.beta.graphql('mutation ($id: ID!) { notificationCancel(id: $id) { cancelled } }', {
    id: nodeId('Notification', ids[0] ?? 0),
  });

  const page = await open('/overview', { email });
  for (const [name, bars] of [
    ['Deliveries of the last 24 hours', 24],
    ['Deliveries of the last 7 days', 7],
  ] as const) {
    for (const [figure, waiting, found] of [
      [0, '2', '1 record'],
      [1, '1', '1 record'],
    ] as const) {
      await page.goto(`${server.url}/console/overview`);
      const chart = page.getByRole('figure').filter({ has: page.getByText(name) });
      await chart.getByText('Show as a table').click();
      // Hours and days without deliveries are there too, until now.
      await expect.poll(() => chart.locator('tbody tr').count()).toBe(bars);
      const link = chart.getByRole('row').last().getByRole('link').nth(figure);
      expect(await link.textContent()).toBe(waiting);
      // The last bar stands in the chart, with all hours or days before it.
      const [plot, bar] = await Promise.all(
        ['', ' .chart-accent'].map((part) => chart.locator(`.chart-plot${part}`).last().boundingBox()),
      );
      expect(bar?.width).toBeGreaterThan(3);
      expect(bar?.x).toBeLessThan((plot?.x ?? 0) + (plot?.width ?? 0));
      await link.click();
      await page.getByText(found).waitFor();
    }
  }
  await expectSound(page);
});
