import { expect, it } from 'vitest';

import { DESKTOP, flawsInDark, flawsInThemes } from '../support/browser.js';
import { PORTUGUESE_TELEPHONE, WINDOWS } from './pages.js';
import { useAllPages, visitAll } from './visit-all.js';

const { open } = useAllPages();

// `all-pages.test.ts` has the light theme on a desktop.
it.each([
  { name: 'Portuguese, telephone', window: PORTUGUESE_TELEPHONE, find: flawsInThemes },
  { name: 'English, desktop, dark', window: { viewport: DESKTOP }, find: flawsInDark },
])('all pages of the menu can be used by all people: $name', async ({ window, find }) => {
  const page = await open('/', window);
  const { flaws, panels } = await visitAll(page, find);
  expect(panels).toBeGreaterThan(8);
  expect(flaws).toEqual([]);
});

it.each(WINDOWS)(
  'buttons of a list stay where they are when it arrives: $name',
  async ({ name: _, ...window }) => {
    const page = await open('/account', window);
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
