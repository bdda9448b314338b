import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';

import { flawsInThemes, PANEL } from '../support/browser.js';
import { addPerson } from '../support/people.js';
import { populate } from '../support/populated.js';
import { addressesIn, useConsole, WINDOWS } from './pages.js';

const { server, open } = useConsole();
let email: string;
beforeAll(async () => {
  await populate(server, server.acme, 3);
  ({ email } = await addPerson(server, { acme: 'admin' }));
});

/** Signs that a page or the rows of its list are not there yet. */
const LOADING = 'p.state[role=status], [role=grid][aria-rowcount="-1"]';

/** Pages of lists whose rows open no panel. */
const WITHOUT_PANEL = ['/console/members', '/console/unknown-terminals'];

/** Opens the first record of a list beside it. False where there is none. */
async function openFirst(page: Page): Promise<boolean> {
  const row = page.getByRole('grid').getByRole('row').nth(1);
  if (WITHOUT_PANEL.includes(new URL(page.url()).pathname) || (await row.count()) === 0) return false;
  await row.press('Enter');
  await page.getByRole('complementary').getByRole('tab').first().waitFor();
  return true;
}

it.each(WINDOWS)('all pages of the menu can be used by all people: $name', async ({ name: _, ...window }) => {
  const page = await open('/', { email, ...window });
  const flaws: string[] = [];
  const examine = async (what: string, part?: string): Promise<void> => {
    await expect.poll(() => page.locator(LOADING).count()).toBe(0);
    flaws.push(...(await flawsInThemes(page, part)).map((flaw) => `${what}: ${flaw}`));
  };
  const panels: string[] = [];
  const heading = page.locator('main h1');
  let before: string | null = '';
  for (const address of await addressesIn(page)) {
    if (page.url() !== address) {
      // A telephone shows the menu on request only.
      await page.evaluate(`document.querySelector('nav a[href="${new URL(address).pathname}"]').click()`);
    }
    await expect.poll(() => heading.textContent()).not.toBe(before);
    before = await heading.textContent();
    await examine(address);
    if (!(await openFirst(page))) continue;
    await examine(`${address} with a panel`, PANEL);
    panels.push(address);
  }
  expect(panels.length).toBeGreaterThan(8);
  expect(flaws).toEqual([]);
});

it.each(WINDOWS)(
  'buttons of a list stay where they are when it arrives: $name',
  async ({ name: _, ...window }) => {
    const page = await open('/account', { email, ...window });
    let arrive = (): void => undefined;
    let arrived = Promise.resolve();
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('totalCount') === true) await arrived;
      await route.continue();
    });
    const places = () =>
      page.evaluate<
        string[]
      >(`[...document.querySelectorAll('main .table-bar > :is(a, button)')].map((each) => {
      const { x, y } = each.getBoundingClientRect();
      return [each.textContent, x, y].join(' ');
    })`);
    for (const path of ['/devices', '/groups', '/rollouts', '/webhooks', '/members']) {
      arrived = new Promise((resolve) => (arrive = resolve));
      await page.goto(new URL(`/console${path}`, page.url()).href);
      const count = page.locator('main .table-count');
      expect(await count.textContent()).toBe('');
      await page.evaluate('document.fonts.ready');
      const before = await places();
      expect(before.length).toBeGreaterThan(1);
      arrive();
      await expect.poll(() => count.textContent()).not.toBe('');
      expect(await places()).toEqual(before);
    }
  },
);
