import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';

import { createEventLoopYield } from '../../../src/platform/concurrency/event-loop.js';

it('lets one step through for each turn of the event loop, in the order they came', async () => {
  const pace = createEventLoopYield();
  const steps: number[] = [];
  const all = Promise.all(
    Array.from({ length: 20 }, async (_none, step) => {
      await pace();
      steps.push(step);
    }),
  );
  for (let before = 0; steps.length < 20; before = steps.length) {
    await setImmediate();
    expect(steps.length - before).toBeLessThanOrEqual(1);
  }
  await all;
  expect(steps).toEqual(Array.from({ length: 20 }, (_none, step) => step));
});
