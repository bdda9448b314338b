import { expect, it } from 'vitest';

import { createRequestCounter } from '../../src/http/server/admission.js';
import { inMemory } from '../../src/platform/windows.js';
import { testClock } from '../support/clock.js';
import { startServer } from '../support/server.js';

it('RL-02 a window ends for all requests of a client at once, and the next starts with the full limit', () => {
  const clock = testClock();
  clock.stop();
  const count = createRequestCounter(2, clock, inMemory(clock), 1_000);
  const states = [];
  for (let n = 0; n < 4; n += 1) states.push(count('203.0.113.7'));
  expect(states.map((state) => [state?.remaining, state?.retryAfter])).toEqual([
    [1, null],
    [0, null],
    [0, 1],
    [0, 1],
  ]);
  clock.advance(1_001);
  expect(count('203.0.113.7')).toMatchObject({ remaining: 1, retryAfter: null });
});

it('RL-09 a /48 has the limit of 64 clients, and other clients have theirs', async () => {
  const server = await startServer({ trustProxy: ['127.0.0.1'], rateLimitPerHour: 3 });
  const send = async (address: string) =>
    await server.anonymous.get('none', undefined, { headers: { 'x-forwarded-for': address } });
  const statuses = new Set<number>();
  for (let n = 0; n < 64 * 3; n += 1) statuses.add((await send(`2001:db8:48:${n.toString(16)}::1`)).status);
  expect(statuses).toEqual(new Set([404]));
  const refused = await send('2001:db8:48:ffff::1');
  expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
  expect(refused.headers.get('x-rate-limit-remaining')).toBe('0');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_500);
  for (const honest of ['2001:db8:49::1', '198.51.100.9']) {
    const replies = [];
    for (let n = 0; n < 4; n += 1) replies.push((await send(honest)).status);
    expect(replies).toEqual([404, 404, 404, 429]);
  }
  await server.stop();
});
