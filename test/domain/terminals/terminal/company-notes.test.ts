import { describe, expect, it } from 'vitest';

import { CompanyNotes } from '../../../../src/domain/terminals/terminal/access.service.js';
import { testClock } from '../../../support/clock.js';

function counted(intervalMs: number) {
  const clock = testClock();
  const made = { stored: [] as string[], atOnce: 0, most: 0, errors: 0 };
  const notes = new CompanyNotes<string, true>({
    store: async (companyId, texts) => {
      made.stored.push(`${companyId} ${[...texts.keys()].join(' ')}`);
      made.atOnce += 1;
      made.most = Math.max(made.most, made.atOnce);
      await Promise.resolve();
      made.atOnce -= 1;
      if (texts.has('bad')) throw new Error('bad');
    },
    onError: () => (made.errors += 1),
    intervalMs,
    clock,
  });
  return { clock, made, notes };
}

describe('notes about companies', () => {
  it('are stored once for each company if they come together, one company after the other', async () => {
    const { made, notes } = counted(10_000);
    notes.of(1).set('a', true);
    notes.of(2).set('b', true);
    notes.of(1).set('c', true);
    await expect.poll(() => made.stored).toEqual(['1 a c', '2 b']);
    await notes.finish();
    expect([made.stored.length, made.most]).toEqual([2, 1]);
  });

  it('wait for the interval, or for the end', async () => {
    const { made, notes } = counted(60_000);
    notes.of(1).set('a', true);
    await expect.poll(() => made.stored.length).toBe(1);
    notes.of(1).set('b', true);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(made.stored.length).toBe(1);
    await notes.finish();
    expect(made.stored).toEqual(['1 a', '1 b']);
  });

  it('are stored at once again when the interval is over', async () => {
    const { clock, made, notes } = counted(60_000);
    notes.of(1).set('a', true);
    await expect.poll(() => made.stored.length).toBe(1);
    clock.advance(60_000);
    notes.of(1).set('b', true);
    await expect.poll(() => made.stored.length).toBe(2);
  });

  it('of other companies are stored even if those of one cannot be', async () => {
    const { made, notes } = counted(60_000);
    notes.of(1).set('bad', true);
    notes.of(2).set('good', true);
    await notes.finish();
    expect([made.stored, made.errors]).toEqual([['1 bad', '2 good'], 1]);
  });
});
