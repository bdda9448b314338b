import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';

import { addPerson } from '../support/people.js';
import { populate } from '../support/populated.js';
import { useConsole } from './pages.js';

const { server, open } = useConsole();
let email: string;
beforeAll(async () => {
  await populate(server, server.acme, 1);
  ({ email } = await addPerson(server, { acme: 'operator' }));
});

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });
const failures = (problem: string) =>
  /net::ERR|status of (404|429|502)|a file of this page could not be loaded/i.test(problem);

it('a page that finds no server at first shows itself once there is one', async () => {
  const page = await open('/', { email, isExpected: failures });
  await page.route('**/graphql', (route) => route.abort('connectionrefused'));
  await page.route('**/console/', (route) =>
    route.request().method() === 'HEAD' ? route.fulfill({ status: 502 }) : route.continue(),
  );
  await page.goto(`${server.url}/console/groups`);
  await page.getByText('The server does not answer. Trying again by itself.').waitFor();
  await page.unroute('**/console/');
  await page.unroute('**/graphql');
  await heading(page, 'Groups').waitFor();
});

it('a page whose file is gone since an update is loaded again, and says so if that does not help', async () => {
  const page = await open('/devices', { email, isExpected: failures });
  await heading(page, 'Devices').waitFor();
  let missing = 1;
  await page.route('**/assets/groups-page-*', (route) => {
    missing -= 1;
    return missing >= 0 ? route.fulfill({ status: 404 }) : route.continue();
  });
  await page.getByRole('link', { name: 'Groups' }).click();
  await heading(page, 'Groups').waitFor();
  missing = Infinity;
  await page.goto(`${server.url}/console/groups`);
  await page.getByText('the console may have been updated').waitFor();
  missing = 0;
  await page.getByRole('button', { name: 'Try again' }).click();
  await heading(page, 'Groups').waitFor();
});

it('the overview is shown in a browser with the language of POSIX', async () => {
  const page = await open('/', { email });
  await page.addInitScript(`Object.defineProperty(navigator, 'language', { value: 'en-US@posix' })`);
  await page.goto(`${server.url}/console/overview`);
  await page.getByRole('figure').filter({ hasText: 'Show as a table' }).first().waitFor();
});

it('a full or blocked storage of the browser takes nothing away but what lasts', async () => {
  const page = await open('/', { email });
  await page.addInitScript(`for (const name of ['getItem', 'setItem'])
    Storage.prototype[name] = () => { throw new DOMException('no', 'QuotaExceededError'); };`);
  await page.goto(`${server.url}/console/groups`);
  await page.getByRole('button', { name: 'New group' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('without storage');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { name: 'without storage' }).waitFor();
  await page.getByRole('button', { name: 'Account menu' }).click();
  await page.getByRole('menuitem', { name: 'Português (Brasil)' }).click();
  await heading(page, 'Grupos').waitFor();
});

it('the theme follows the system', async () => {
  const page = await open('/groups', { email, colorScheme: 'light' });
  const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
  const light = await background();
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(background).not.toBe(light);
});
