import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';

import { createEventLoopYield } from '../../../src/platform/concurrency/event-loop.js';

it('resolves one waiting caller per turn of the event loop, in order', async () => {
  const yieldToEventLoop = createEventLoopYield();
  const steps: number[] = [];
  const all = Promise.all(
    Array.from({ length: 20 }, async (_none, step) => {
      await yieldToEventLoop();
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
