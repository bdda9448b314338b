import { describe, expect, it } from 'vitest';

import { scrubText } from '../../../../src/resources/transaction/card-data/card-data.rules.js';
import {
  warmUpCardDataSearch,
  warmUpText,
} from '../../../../src/resources/transaction/card-data/warm-up.service.js';

describe('the texts that compile the search for card data', () => {
  it('have something to find, each from another place on', () => {
    const texts = Array.from({ length: 14 }, (_, round) => warmUpText(round));
    expect(new Set(texts).size).toBe(14);
    for (const text of texts) expect(scrubText(text).scrubs).toBeGreaterThan(3);
  });

  it('are searched in turns with other work', async () => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 0);
    await warmUpCardDataSearch();
    clearInterval(timer);
    expect(turns).toBeGreaterThan(10);
  });
});
