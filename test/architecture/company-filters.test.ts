import { expect, it } from 'vitest';

import { mutationsIn } from './company-filters.js';

it('every comparison of a company is a filter that can be removed, to see which test fails without it', () => {
  expect(mutationsIn('src/').length).toBeGreaterThan(100);
});
