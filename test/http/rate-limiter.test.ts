import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';

import { createRequestCounter } from '../../src/http/server/rate-limit.js';
import { systemClock } from '../../src/platform/clock.js';

it('RL-02 a window ends for all requests of a client at once, and the next starts with the full limit', async () => {
  const count = createRequestCounter(2, systemClock, 1_000);
  const states = [];
  for (let n = 0; n < 4; n += 1) states.push(await count('203.0.113.7'));
  expect(states.map((state) => [state?.budget.remaining, state?.retryAfter])).toEqual([
    [1, null],
    [0, null],
    [0, 1],
    [0, 1],
  ]);
  await sleep(1_050);
  expect(await count('203.0.113.7')).toMatchObject({ budget: { remaining: 1 }, retryAfter: null });
});

it('RL-05 counts each client separately', async () => {
  const count = createRequestCounter(1, systemClock);
  expect((await count('203.0.113.7'))?.retryAfter).toBeNull();
  expect((await count('203.0.113.8'))?.retryAfter).toBeNull();
  expect((await count('203.0.113.7'))?.retryAfter).toBeGreaterThan(0);
});
