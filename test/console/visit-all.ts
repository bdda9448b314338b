import type { Page } from 'playwright-core';
import { beforeAll, expect } from 'vitest';

import { PANEL, WHOLE } from '../support/browser.js';
import { addPerson } from '../support/people.js';
import { populate } from '../support/populated.js';
import { addressesIn, type OpenOptions, useConsole } from './pages.js';

/** A console in which every list has records. `open` opens a window of an administrator. */
export function useAllPages() {
  const { server, open } = useConsole();
  let email: string;
  beforeAll(async () => {
    await populate(server, server.acme, 3);
    ({ email } = await addPerson(server, { acme: 'admin' }));
  });
  return { open: (path: string, window: OpenOptions) => open(path, { email, ...window }) };
}

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

/**
 * Visits the pages of the menu, each also with its first record beside it. Resolves to what `flawsOf` finds in the pages
 * and panels, and to the number of panels.
 */
export async function visitAll(
  page: Page,
  flawsOf: (page: Page, part: string) => Promise<readonly string[]>,
): Promise<{ readonly flaws: readonly string[]; readonly panels: number }> {
  const flaws: string[] = [];
  const examine = async (what: string, part: string): Promise<void> => {
    await expect.poll(() => page.locator(LOADING).count()).toBe(0);
    flaws.push(...(await flawsOf(page, part)).map((flaw) => `${what}: ${flaw}`));
  };
  let panels = 0;
  const heading = page.locator('main h1');
  let before: string | null = '';
  for (const address of await addressesIn(page)) {
    if (page.url() !== address) {
      // A telephone shows the menu on request only.
      await page.evaluate(`document.querySelector('nav a[href="${new URL(address).pathname}"]').click()`);
    }
    await expect.poll(() => heading.textContent()).not.toBe(before);
    before = await heading.textContent();
    await examine(address, WHOLE);
    if (!(await openFirst(page))) continue;
    await examine(`${address} with a panel`, PANEL);
    panels += 1;
  }
  return { flaws, panels };
}
