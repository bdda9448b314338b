import { expect, it } from 'vitest';

import { DESKTOP, flawsOf } from '../support/browser.js';
import { useAllPages, visitAll } from './visit-all.js';

const { open } = useAllPages();

it('all pages of the menu can be used by all people on a desktop, in the light theme', async () => {
  const page = await open('/', { viewport: DESKTOP, colorScheme: 'light' });
  const { flaws, panels } = await visitAll(page, flawsOf);
  expect(panels).toBeGreaterThan(8);
  expect(flaws).toEqual([]);
});
