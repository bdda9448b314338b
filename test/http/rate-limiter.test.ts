import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';

import { createRateLimiter } from '../../src/http/server/rate-limit.js';

it('RL-02 a window ends for all requests of a client at once, and the next starts with the full limit', async () => {
  const limiter = createRateLimiter(2, 1_000);
  const states = [];
  for (let n = 0; n < 4; n += 1) states.push(await limiter.count('203.0.113.7'));
  expect(states.map(({ remaining, exceeded }) => [remaining, exceeded])).toEqual([
    [1, false],
    [0, false],
    [0, true],
    [0, true],
  ]);
  const endsIn = states.at(-1)?.endsIn ?? 0;
  expect(endsIn).toBeGreaterThan(0);
  expect(endsIn).toBeLessThanOrEqual(1_000);
  await sleep(endsIn + 50);
  expect(await limiter.count('203.0.113.7')).toMatchObject({ remaining: 1, exceeded: false });
});

it('RL-05 counts each client separately', async () => {
  const limiter = createRateLimiter(1);
  expect((await limiter.count('203.0.113.7')).exceeded).toBe(false);
  expect((await limiter.count('203.0.113.8')).exceeded).toBe(false);
  expect((await limiter.count('203.0.113.7')).exceeded).toBe(true);
});
