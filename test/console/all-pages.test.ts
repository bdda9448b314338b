import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';

import { flawsOf } from '../support/browser.js';
import { addPerson } from '../support/people.js';
import { populate } from '../support/populated.js';
import { useConsole, WINDOWS } from './pages.js';

const { server, open } = useConsole();
let email: string;
beforeAll(async () => {
  await populate(server, server.acme, 3);
  ({ email } = await addPerson(server, { acme: 'admin' }));
});

/** Addresses of the pages in the menu. */
async function addressesIn(page: Page): Promise<readonly string[]> {
  await page.locator('nav a').first().waitFor({ state: 'attached' });
  return await page.evaluate(`[...document.querySelectorAll('nav a')].map((link) => link.href)`);
}

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
  const examine = async (what: string): Promise<void> => {
    await expect.poll(() => page.locator('p.state[role=status]').count()).toBe(0);
    flaws.push(...(await flawsOf(page)).map((flaw) => `${what}: ${flaw}`));
  };
  const panels: string[] = [];
  for (const address of await addressesIn(page)) {
    await page.goto(address);
    await page.locator('main h1').waitFor();
    await examine(address);
    if (!(await openFirst(page))) continue;
    await examine(`${address} with a panel`);
    panels.push(address);
  }
  expect(panels.length).toBeGreaterThan(8);
  expect(flaws).toEqual([]);
});
