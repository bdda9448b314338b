import { beforeAll, expect, it } from 'vitest';

import { audited, insertMany } from '../support/databases/rows.js';
import { addPerson } from '../support/people.js';
import { useConsole } from './pages.js';

const DEVICES = 20_000;
const { server, open } = useConsole();
let email: string;
beforeAll(async () => {
  const { companyId, userId } = server.acme.caller;
  await insertMany(server.place, ['devices', companyId, DEVICES], (n) => ({
    ...audited(userId),
    serial_number: `S${String(n).padStart(5, '0')}`,
    enabled: true,
    meta: '{}',
  }));
  ({ email } = await addPerson(server, { acme: 'operator' }));
});

it('a list of 20,000 devices is scrolled without a gap, sorted, and narrowed', async () => {
  const page = await open('/devices?sort=SERIAL_NUMBER', { email });
  await page.getByText('20,000 records').waitFor();
  const grid = page.getByRole('grid', { name: 'Devices' });
  const shown = async (): Promise<readonly number[]> =>
    (await grid.getByRole('row', { name: /S\d{5}/ }).allTextContents()).map((text) =>
      Number(text.slice(1, 6)),
    );
  await grid.getByRole('row', { name: 'S00001' }).focus();
  for (let screens = 0; screens < 15; screens += 1) {
    await page.keyboard.press('PageDown');
    const rows = await shown();
    expect(rows).toEqual(rows.map((_, index) => (rows[0] ?? 0) + index));
  }
  for (let pages = 2; pages < 7; pages += 1) {
    // The last row that is loaded; the next ones may still be on their way.
    await expect
      .poll(async () => {
        await page.keyboard.press('End');
        return (await shown()).at(-1);
      })
      .toBeGreaterThanOrEqual(100 * pages);
  }
  await grid.getByRole('columnheader', { name: 'Serial number' }).getByRole('button').click();
  await grid.getByRole('row', { name: 'S20000' }).waitFor();
});

it('hundreds of 20,000 devices are selected over pages and changed by a job', async () => {
  const filter = JSON.stringify({ serialNumber: { startsWith: 'S19' } });
  const page = await open(`/devices?sort=SERIAL_NUMBER&filter=${encodeURIComponent(filter)}`, { email });
  await page.getByText('1,000 records').waitFor();
  const grid = page.getByRole('grid', { name: 'Devices' });
  const first = grid.getByRole('row', { name: 'S19000' });
  await first.focus();
  await page.keyboard.press(' ');
  await expect
    .poll(async () => {
      await page.keyboard.press('PageDown');
      return await grid.getByRole('row', { name: 'S19249' }).count();
    })
    .toBe(1);
  await grid.getByRole('row', { name: 'S19249' }).focus();
  await page.keyboard.press('Shift+Space');
  const selected = page.getByRole('region', { name: '250 selected' });
  await selected.getByRole('button', { name: 'Disable' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/^S19000.* and 230 more$/).waitFor();
  await dialog.getByRole('button', { name: 'Disable (250)' }).click();
  await page.getByRole('button', { name: 'Open' }).click();
  await page.getByRole('complementary').getByText('250 / 250').waitFor();
  await page.goto(page.url().replace(/\/jobs.*/, '/devices'));
  await page.getByText('20,000 records').waitFor();
});

it('the overview counts 20,000 devices', async () => {
  const page = await open('/', { email });
  await page.getByText('20,000').first().waitFor();
});
