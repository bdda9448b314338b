import { describe, expect, it } from 'vitest';

import { SparseRuns } from '../../../src/platform/concurrency/sparse-runs.js';
import { testClock } from '../../support/clock.js';

function counted(intervalMs: number) {
  const clock = testClock();
  const made = { runs: 0, atOnce: 0, most: 0 };
  const task = async (): Promise<void> => {
    made.runs += 1;
    made.atOnce += 1;
    made.most = Math.max(made.most, made.atOnce);
    await Promise.resolve();
    made.atOnce -= 1;
  };
  return { clock, made, runs: new SparseRuns(task, { soonMs: 1, intervalMs }, clock) };
}

describe('sparse runs', () => {
  it('make one run of what is asked for together', async () => {
    const { made, runs } = counted(10_000);
    for (let n = 0; n < 5; n += 1) runs.request();
    await expect.poll(() => made.runs).toBe(1);
    await runs.finish();
    expect(made.runs).toBe(1);
  });

  it('wait for the interval, or for the end', async () => {
    const { made, runs } = counted(60_000);
    runs.request();
    await expect.poll(() => made.runs).toBe(1);
    runs.request();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(made.runs).toBe(1);
    await runs.finish();
    expect([made.runs, made.most]).toEqual([2, 1]);
  });

  it('begin at once again when the interval is over', async () => {
    const { clock, made, runs } = counted(60_000);
    runs.request();
    await expect.poll(() => made.runs).toBe(1);
    clock.advance(60_000);
    runs.request();
    await expect.poll(() => made.runs).toBe(2);
  });
});
