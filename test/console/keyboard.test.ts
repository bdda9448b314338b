import { expect, it } from 'vitest';

import { expectSound } from '../support/browser.js';
import { fleet } from '../support/fleet.js';
import { addPerson, PASSWORD } from '../support/people.js';
import { useConsole } from './pages.js';

const { server, open } = useConsole();

it('sign-in, list, record, change of many, palette and shortcuts need no mouse', async () => {
  const { email } = await addPerson(server, { acme: 'operator' });
  for (const serialNumber of ['S-1', 'S-2', 'S-3']) await fleet.device(server.acme.client, serialNumber);
  await fleet.group(server.acme.client, 'Litoral');
  const page = await open('/');
  const { keyboard } = page;
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await keyboard.press(key);
  };
  const focused = async (): Promise<string> =>
    await page.evaluate(`(({ ariaLabel, textContent }) => ariaLabel ?? textContent)(document.activeElement)`);
  /** Goes from field to field until one with this name has the focus. */
  const tabTo = async (name: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> => {
    for (let left = 40; left > 0 && !(await focused()).startsWith(name); left -= 1) await press(key);
    expect(await focused()).toContain(name);
  };
  await page.getByLabel('E-mail').waitFor();
  await keyboard.type(email);
  await press('Tab');
  await keyboard.type(PASSWORD);
  await press('Enter');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();

  await press('g', 'd');
  await page.getByRole('row', { name: 'S-3' }).waitFor();
  await press('?');
  await page.getByRole('dialog', { name: 'Shortcuts' }).getByText('Go to a page or a record').waitFor();
  await expectSound(page);
  await press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });

  const grid = page.getByRole('grid', { name: 'Devices' });
  const order = (await grid.getByRole('row').allTextContents()).slice(1).map((text) => text.slice(0, 3));
  const [first = '', second = ''] = order;
  await tabTo('Go to the content');
  await press('Enter');
  await tabTo(first);
  await press('Enter');
  const panel = page.getByRole('complementary');
  await panel.getByRole('heading', { name: first }).waitFor();
  await press('Escape');
  await panel.waitFor({ state: 'detached' });
  expect(await focused()).toContain(first);

  await press(' ', 'ArrowDown');
  await expect.poll(focused).toContain(second);
  await press(' ');
  await page.getByRole('region', { name: '2 selected' }).waitFor();
  await tabTo('Disable', 'Shift+Tab');
  await press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByText(`${first}, ${second}`).waitFor();
  await tabTo('Disable (2)');
  await press('Enter');
  await page.getByText('Disable. Started: 2').waitFor();
  await page.getByText('Disable. Done: 2').waitFor();
  await expect.poll(() => grid.getByRole('row', { name: 'Disabled' }).count()).toBe(2);

  await press('Control+k');
  await page.getByRole('dialog', { name: 'Go to a page or a record' }).waitFor();
  await keyboard.type('lito');
  await page.getByRole('menuitem', { name: 'Litoral' }).waitFor();
  await expectSound(page);
  await press('ArrowDown', 'Enter');
  await page.getByRole('heading', { name: 'Groups', level: 1 }).waitFor();
  await panel.getByRole('heading', { name: 'Litoral' }).waitFor();
});

it('a menu, which is loaded when it is first opened, is used by keys and gives the focus back', async () => {
  const { email } = await addPerson(server, { acme: 'viewer' });
  const page = await open('/groups', { email });
  const { keyboard } = page;
  const columns = page.getByRole('button', { name: 'Columns' });
  const entry = page.getByRole('menuitemcheckbox').first();
  const focused = page.locator(':focus');
  for (const key of ['ArrowDown', 'Enter']) {
    await columns.focus();
    await keyboard.press(key);
    await entry.and(focused).waitFor();
    expect(await columns.getAttribute('aria-expanded')).toBe('true');
    await expectSound(page);
    await keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await columns.and(focused).waitFor();
    expect(await columns.getAttribute('aria-expanded')).toBe('false');
  }
});

it('Ctrl+K opens what was found for the text as it stands, and says when the search failed', async () => {
  const { email } = await addPerson(server, { acme: 'viewer' });
  for (const name of ['K-000', 'K-007']) await fleet.group(server.acme.client, name);
  const isExpected = (problem: string) => problem.includes('503');
  const page = await open('/overview', { email, isExpected });
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Go to a page or a record' }).waitFor();
  await page.keyboard.type('k-00');
  const found = (name: string) => page.getByRole('menuitem', { name });
  await found('K-000').waitFor();
  // No answer comes before Enter.
  const held = Promise.withResolvers<null>();
  await page.route('**/graphql', async (route) => {
    if (route.request().postData()?.includes('FindRecords') === true) await held.promise;
    await route.continue();
  });
  await page.keyboard.type('8');
  await page.keyboard.press('Enter');
  expect(await found('K-000').count()).toBe(0);
  await page.keyboard.press('Backspace');
  await page.keyboard.type('7');
  await page.keyboard.press('Enter');
  await page.getByRole('complementary').getByRole('heading', { name: 'K-007' }).waitFor();
  held.resolve(null);

  await page.route('**/graphql', (route) => route.fulfill({ status: 503, body: '{}' }));
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Go to a page or a record' }).waitFor();
  await page.keyboard.type('zz');
  await page.getByText('The search failed. Type again.').waitFor();
  expect(await page.getByText('Nothing found').count()).toBe(0);
});

it('back, links and reload keep filter, order and panel', async () => {
  const { email } = await addPerson(server, { acme: 'viewer' });
  for (const name of ['North 1', 'North 2', 'South 1']) await fleet.group(server.acme.client, name);
  const page = await open('/groups', { email });
  const names = async (): Promise<string[]> =>
    (await page.getByRole('row').allTextContents()).slice(1).map((text) => text.slice(0, 7));
  await page.getByRole('row', { name: 'South 1' }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('North');
  await page.getByText('2 records').waitFor();
  const sorter = page.getByRole('columnheader', { name: 'Name' }).getByRole('button');
  await sorter.click();
  await sorter.click();
  await expect.poll(names).toEqual(['North 2', 'North 1']);
  await page.getByRole('row', { name: 'North 2' }).click();
  const panel = page.getByRole('complementary');
  await panel.getByRole('tab', { name: 'Parameters' }).click();
  await panel.getByText('None', { exact: true }).waitFor();
  await page.reload();
  await panel.getByText('None', { exact: true }).waitFor();
  await panel.getByRole('heading', { name: 'North 2' }).waitFor();
  await expect.poll(names).toEqual(['North 2', 'North 1']);
  await page.getByText('Name: North').waitFor();
  await panel.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('link', { name: 'Devices', exact: true }).click();
  await page.getByRole('heading', { name: 'Devices' }).waitFor();
  await page.goBack();
  await expect.poll(names).toEqual(['North 2', 'North 1']);
  await page.goBack();
  await panel.getByRole('heading', { name: 'North 2' }).waitFor();
});
