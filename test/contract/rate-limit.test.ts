import { describe, expect, it } from 'vitest';

import { createRequestCounter } from '../../src/http/server/admission.js';
import { clientNetwork } from '../../src/platform/client-limits.js';
import { HOUR } from '../../src/platform/clock.js';
import { inMemory } from '../../src/platform/windows.js';
import { createClient } from '../support/client.js';
import { testClock } from '../support/clock.js';
import { sendRaw } from '../support/raw-http.js';
import { ownServer, type TestServer } from '../support/server.js';

const NAMES = ['x-rate-limit-limit', 'x-rate-limit-remaining', 'x-rate-limit-reset'] as const;

function limits(headers: Headers): (number | null)[] {
  return NAMES.map((name) => {
    const text = headers.get(name);
    return text === null ? null : Number(text);
  });
}

describe('contract 14: the rate limit', () => {
  let server: TestServer;
  it('RL-01 counts each request once and sets its three headers, spelled as in the contract', async () => {
    server = await ownServer({ rateLimitPerHour: 3600 });
    const { client } = server.acme;
    const replies = [
      await client.get('groups'),
      await server.anonymous.get('groups'),
      await client.request('OPTIONS', 'groups'),
      await client.post('groups', 'x'.repeat(1024 * 1024 + 1)),
    ];
    const now = Math.floor(server.clock.now().getTime() / 1000);
    for (const [index, reply] of replies.entries()) {
      const [limit, remaining, reset] = limits(reply.headers);
      expect([limit, remaining]).toEqual([3600, 3600 - 1 - index]);
      expect(reset).toBeGreaterThan(now - 5);
      expect(reset).toBeLessThanOrEqual(now + 3601);
    }
    const { text } = await sendRaw(
      server.url,
      'GET /v1/groups HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    );
    for (const name of ['Limit', 'Remaining', 'Reset']) expect(text).toContain(`X-Rate-Limit-${name}: `);
  });

  it('RL-02 responds with 429 and Retry-After beyond it', async () => {
    server = await ownServer({ rateLimitPerHour: 3 });
    const replies = [];
    for (let n = 0; n < 4; n += 1) replies.push(await server.acme.client.get('groups'));
    expect(replies.map((reply) => [reply.status, limits(reply.headers)[1]])).toEqual([
      [200, 2],
      [200, 1],
      [200, 0],
      [429, 0],
    ]);
    const last = replies[3];
    const retryAfter = Number(last?.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThanOrEqual(1);
    expect(retryAfter).toBeLessThanOrEqual(HOUR / 1000);
    expect(last?.body).toMatchObject({
      code: 'rate_limited',
      message: 'Too many requests: at most 3 an hour. Wait for the next window.',
    });
  });

  it('RL-03 is exact under concurrency', async () => {
    server = await ownServer({ rateLimitPerHour: 200 });
    const replies = await Promise.all(Array.from({ length: 300 }, () => server.acme.client.get('groups')));
    const accepted = replies.filter((reply) => reply.status === 200);
    expect(accepted).toHaveLength(200);
    expect(new Set(accepted.map((reply) => limits(reply.headers)[1])).size).toBe(200);
    expect(replies.every((reply) => Number(limits(reply.headers)[1]) >= 0)).toBe(true);
  });

  it('RL-04 uses forwarded addresses of trusted proxies only', async () => {
    server = await ownServer({ rateLimitPerHour: 1000 });
    const remaining = async (headers: Record<string, string>): Promise<number | null> =>
      limits((await server.acme.client.get('groups', undefined, { headers })).headers)[1] ?? null;
    expect(await remaining({ 'x-forwarded-for': '1.1.1.1' })).toBe(999);
    expect(await remaining({ 'x-forwarded-for': '2.2.2.2', 'x-real-ip': '3.3.3.3' })).toBe(998);
    expect(await remaining({ forwarded: 'for=4.4.4.4' })).toBe(997);
    await server.stop();

    server = await ownServer({ rateLimitPerHour: 1000, trustProxy: ['127.0.0.1', '10.0.0.0/8'] });
    expect(await remaining({ 'x-forwarded-for': '1.1.1.1' })).toBe(999);
    expect(await remaining({ 'x-forwarded-for': '9.9.9.9, 1.1.1.1' })).toBe(998);
    expect(await remaining({ 'x-forwarded-for': '8.8.8.8, 1.1.1.1, 10.2.3.4' })).toBe(997);
    expect(await remaining({ 'x-forwarded-for': '2.2.2.2' })).toBe(999);
    expect(await remaining({ 'x-forwarded-for': 'garbage' })).toBe(999);
    expect(await remaining({})).toBe(998);
  });

  it('RL-06 counts everything except health, metrics and documentation', async () => {
    server = await ownServer({ rateLimitPerHour: 100 });
    const bare = createClient(server.url, null);
    for (const path of ['/', '/healthz', '/readyz', '/metrics', '/openapi.json', '/docs', '/console']) {
      expect(limits((await bare.get(path)).headers)).toEqual([null, null, null]);
    }
    for (const path of ['/v1/nope', '/v2/devices', '/devices', '/v1', '/graphql']) {
      expect(limits((await bare.get(path)).headers)[0]).toBe(100);
    }
    expect(limits((await bare.get('/v1/groups')).headers)[1]).toBe(94);
  });

  it('RL-07 cannot be bypassed by slashes, letter case or pipelining', async () => {
    server = await ownServer({ rateLimitPerHour: 1000 });
    for (const path of ['/V1/GROUPS', '/v1/groups/', '/v1//groups', '/v1/./groups', '/v1/groups%2f1']) {
      await server.acme.client.get(path);
    }
    const get = 'GET /v1/groups HTTP/1.1\r\nHost: a\r\n';
    const last = `${get}Connection: close\r\n\r\n`;
    expect((await sendRaw(server.url, `${get}\r\n`.repeat(19) + last)).statuses).toHaveLength(20);
    await sendRaw(server.url, 'GET /v1/groups HTTP/1.0\r\n\r\n');
    expect(limits((await server.acme.client.get('groups')).headers)[1]).toBe(1000 - 5 - 20 - 1 - 1);
  });

  it('RL-09 a /48 has the limit of 64 clients, and other clients have theirs', async () => {
    server = await ownServer({ trustProxy: ['127.0.0.1'], rateLimitPerHour: 3 });
    const send = async (address: string) =>
      await server.anonymous.get('none', undefined, { headers: { 'x-forwarded-for': address } });
    const statuses = new Set<number>();
    for (let n = 0; n < 64 * 3; n += 1) statuses.add((await send(`2001:db8:48:${n.toString(16)}::1`)).status);
    expect(statuses).toEqual(new Set([404]));
    const refused = await send('2001:db8:48:ffff::1');
    expect([refused.status, refused.body.code, limits(refused.headers)[1]]).toEqual([429, 'rate_limited', 0]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_500);
    for (const honest of ['2001:db8:49::1', '198.51.100.9']) {
      const replies = [];
      for (let n = 0; n < 4; n += 1) replies.push((await send(honest)).status);
      expect(replies).toEqual([404, 404, 404, 429]);
    }
  });

  it('sets no headers when it is off', async () => {
    server = await ownServer({ rateLimitPerHour: 0 });
    expect(limits((await server.acme.client.get('groups')).headers)).toEqual([null, null, null]);
  });
});

it.each([
  ['two addresses of one /64', '2001:db8::1', '2001:db8::ffff:2', true],
  ['addresses of two /64', '2001:db8::1', '2001:db8:0:1::1', false],
  ['an IPv4 address and itself in IPv6', '1.2.3.4', '::ffff:1.2.3.4', true],
  ['two spellings of a mapped address', '::ffff:1.2.3.4', '::ffff:102:304', true],
  ['two IPv4 clients in IPv6 clothes', '::ffff:1.2.3.4', '::ffff:1.2.3.5', false],
])('contract 14 RL-05 counts %s together or separately', (_what, one, other, together) => {
  expect(clientNetwork(one) === clientNetwork(other)).toBe(together);
});

it('RL-02 a window ends for all requests of a client at once, and the next starts with the full limit', () => {
  const clock = testClock();
  clock.stop();
  const count = createRequestCounter(2, clock, inMemory(clock), 1_000);
  const states = [1, 2, 3, 4].map(() => count('203.0.113.7'));
  expect(states.map((state) => [state?.remaining, state?.retryAfter])).toEqual([
    [1, null],
    [0, null],
    [0, 1],
    [0, 1],
  ]);
  clock.advance(1_001);
  expect(count('203.0.113.7')).toMatchObject({ remaining: 1, retryAfter: null });
});

it('RL-02 a window of a second that has just begun ends in one second, whatever the clock shows', () => {
  // 3,403.378 + 1,000 - 3,403.378 is 1,000.0000000000005.
  const clock = { ...testClock(), elapsed: () => 3_403.378 };
  const count = createRequestCounter(1, clock, inMemory(clock), 1_000);
  count('203.0.113.7');
  expect(count('203.0.113.7')?.retryAfter).toBe(1);
});
