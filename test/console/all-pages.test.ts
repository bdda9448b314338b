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

it.each(WINDOWS)('all pages of the menu can be used by all people: $name', async ({ name: _, ...window }) => {
  const page = await open('/', { email, ...window });
  const flaws: string[] = [];
  for (const address of await addressesIn(page)) {
    await page.goto(address);
    await page.locator('main h1').waitFor();
    await expect.poll(() => page.locator('main p.state[role=status]').count()).toBe(0);
    flaws.push(...(await flawsOf(page)).map((flaw) => `${address}: ${flaw}`));
  }
  expect(flaws).toEqual([]);
});
