import { expect, it } from 'vitest';

import { intervalOf } from '../../src/console/text/zone.js';
import { HOUR } from '../../src/platform/clock.js';
import { payment, record } from '../domain/payments/transaction/records.js';
import { fleet } from '../support/fleet.js';
import { addPerson } from '../support/people.js';
import { PORTUGUESE_TELEPHONE, useConsole } from './pages.js';

const { server, open } = useConsole();

/** Payments of a terminal at noon of a day, of which so many are denied for lack of funds. */
function sold(serialNumber: string, day: string, payments: number, denied: number) {
  const startedAt = new Date(Date.parse(day) + 12 * HOUR);
  return Array.from({ length: payments }, (_, n) => ({
    ...payment(n < denied ? { status: 'denied', statusReason: '51' } : {}),
    serialNumber,
    logicalNumber: `of ${serialNumber}`,
    startedAt,
    finishedAt: startedAt,
  }));
}

it('the terminals that were denied most yesterday, and their payments, are found in three clicks', async () => {
  const { email } = await addPerson(server, { acme: 'viewer' });
  const { from, before } = intervalOf('YESTERDAY', 'UTC');
  const group = await fleet.group(server.acme.client, 'South');
  await fleet.logicalNumber(server.acme.client, 'of T-1', { group_id: group });
  await record(server, server.acme, [
    ...sold('T-1', from, 4, 1),
    ...sold('T-2', from, 12, 9),
    ...sold('T-1', before.from, 2, 1),
  ]);

  const page = await open('/overview', { email });
  await page.getByRole('link', { name: 'Rankings' }).click();
  await page.getByText('No payments in this time.').waitFor();
  await page.getByLabel('Time', { exact: true }).selectOption({ label: 'Yesterday' });
  const rows = page.getByRole('table').locator('tbody').getByRole('row');
  await rows.first().waitFor();
  const shown = async () => (await rows.allInnerTexts()).map((text) => text.split(/\s*\t\s*/));
  await expect.poll(shown).toEqual([
    ['T-2', '12', '3', '9', '75%', '–', '37.02'],
    ['T-1', '4', '3', '1', '25%', '50%', '37.02'],
  ]);
  const order = page.getByLabel('Ranked by');
  await order.selectOption('Approved amount');
  await expect.poll(shown).toEqual([
    ['T-1', '4', '3', '1', '25%', '37.02', '12.34'],
    ['T-2', '12', '3', '9', '75%', '37.02', '–'],
  ]);
  await order.selectOption('Share denied');
  await page.getByRole('link', { name: '9 denied payments of T-2' }).click();
  await page.getByText('9 records').waitFor();
  await page.goBack();
  await page.getByLabel('Payments at least').selectOption('10');
  await expect.poll(() => rows.count()).toBe(1);
  await page.getByLabel('Payments at least').selectOption('1');
  await page.getByLabel('Order', { exact: true }).selectOption('ASC');
  await expect.poll(async () => (await shown())[0]?.[0]).toBe('T-1');
  await page.getByLabel('Rank', { exact: true }).selectOption('Reasons');
  await expect
    .poll(async () => (await shown()).map(([name]) => name))
    .toEqual(['00 Approved', '51 Insufficient funds']);
  await page.getByRole('link', { name: '51 Insufficient funds', exact: true }).click();
  await page.getByText('10 records').waitFor();
  await page.getByRole('grid').getByRole('row').nth(1).press('Enter');
  await page.getByRole('complementary').getByText('51 Insufficient funds').waitFor();
  await page.goBack();
  await page.goBack();
  await page.getByLabel('Rank', { exact: true }).selectOption('Groups');
  await page.getByRole('link', { name: 'South', exact: true }).click();
  await page.getByText('4 records').waitFor();
});

it('a ranking fits on a telephone, in Portuguese, with the amounts', async () => {
  const { email } = await addPerson(server, { acme: 'viewer' });
  const page = await open('/rankings?interval=YESTERDAY', { email, ...PORTUGUESE_TELEPHONE });
  await page.getByRole('cell', { name: '37,02' }).first().waitFor();
  await page.getByText('Horários em UTC').waitFor();
  const widths = '[document.querySelector("main").scrollWidth, innerWidth]';
  const [scrolled, width] = await page.evaluate<readonly number[]>(widths);
  expect(scrolled).toBeLessThanOrEqual(width ?? 0);
});
