import { afterEach, describe, expect, it, vi } from 'vitest';

import { LIVE_LIMITS } from '../../../src/graphql/live/limits.js';
import { HOUR } from '../../../src/platform/clock.js';
import { ask, openKnown, openRaw, refusedUpgrade, type RawSocket } from '../../support/raw-socket.js';
import { ownServer, type TestServer } from '../../support/server.js';
import { openStreams } from '../../support/subscribe.js';
import { overStream } from '../../support/transports.js';

let server: TestServer;
let streams: AbortController[] = [];
/** Responses whose streams stay open: one that nothing holds is collected, and its stream ends. */
let responses: Response[] = [];
afterEach(() => {
  for (const stream of streams) stream.abort();
  [streams, responses] = [[], []];
});

const VIEWER = '{ viewer { role } }';
const FOLLOW = 'subscription { ledgerAppended { sequence } }';
const from = (address: string): { headers: Record<string, string> } => ({
  headers: { 'x-forwarded-for': address },
});

/** Opens a stream that stays open; resolves to its status, and to what a refusal says. */
async function openStream(token: string, address = '203.0.113.1'): Promise<readonly unknown[]> {
  const stop = new AbortController();
  const url = `${server.url}/graphql/stream?query=${encodeURIComponent(FOLLOW)}`;
  const headers = { ...from(address).headers, authorization: `Bearer ${token}`, accept: 'text/event-stream' };
  const response = await fetch(url, { headers, signal: stop.signal });
  if (!response.ok) return [response.status, response.headers.get('retry-after'), await response.text()];
  streams.push(stop);
  responses.push(response);
  return [response.status];
}

/** How a socket with the token is refused; null for one that is open, and is closed then. */
async function refusalOf(token: string, address = '203.0.113.1'): Promise<unknown> {
  const raw = await openRaw(server, from(address));
  raw.say({ type: 'connection_init', payload: { accessToken: token } });
  const refused = await Promise.race([raw.ended, raw.hear({ type: 'connection_ack' }).then(() => null)]);
  raw.socket.close();
  return refused;
}

describe('the limit', () => {
  it('GQ-15 is 20 operations per socket; one more is refused until one ends', async () => {
    server = await ownServer();
    const raw = await openKnown(server, server.acme.token);
    for (let n = 0; n < 20; n += 1) raw.say({ type: 'subscribe', id: `s${n}`, payload: { query: FOLLOW } });
    await expect.poll(() => openStreams(server)).toBe(20);
    const refused = await ask(raw, VIEWER);
    expect(refused).toMatchObject({
      type: 'error',
      payload: { errors: [{ extensions: { code: 'TOO_MANY_OPERATIONS', maximum: 20 } }] },
    });
    raw.say({ type: 'complete', id: 's7' });
    await expect.poll(() => openStreams(server)).toBe(19);
    expect((await ask(raw, VIEWER)).payload.data).toEqual({ viewer: { role: 'ADMIN' } });
    // Operations that are completed at once do not use up the limit.
    for (let n = 0; n < 500; n += 1) {
      raw.say({ type: 'subscribe', id: `f${n}`, payload: { query: FOLLOW } });
      raw.say({ type: 'complete', id: `f${n}` });
    }
    await expect.poll(async () => (await ask(raw, VIEWER)).type).toBe('next');
    expect(await openStreams(server)).toBeLessThanOrEqual(20);
    raw.socket.terminate();
    await expect.poll(() => openStreams(server)).toBe(0);
  });

  it('GQ-15 is the same where operations reuse the id of one that was just completed', async () => {
    server = await ownServer();
    const raw = await openKnown(server, server.acme.token);
    const mayEnd = Promise.withResolvers<undefined>();
    const { units } = server.app;
    const read = vi.spyOn(units, 'read').mockImplementation(async (...args) => {
      await mayEnd.promise;
      read.mockRestore();
      return await units.read(...args);
    });
    raw.say({ type: 'subscribe', id: 'a', payload: { query: '{ groups { totalCount } }' } });
    await expect.poll(() => read.mock.calls.length).toBe(1);
    raw.say({ type: 'complete', id: 'a' });
    raw.say({ type: 'subscribe', id: 'a', payload: { query: FOLLOW } });
    raw.say({ type: 'subscribe', id: 'b', payload: { query: FOLLOW } });
    const { payload } = await raw.hear({ id: 'a', type: 'error' });
    expect(payload).toMatchObject([{ extensions: { code: 'OPERATION_ID_IN_USE' } }]);
    mayEnd.resolve(undefined);
    await expect.poll(() => openStreams(server)).toBe(1);
    raw.say({ type: 'subscribe', id: 'a', payload: { query: FOLLOW } });
    await expect.poll(() => openStreams(server)).toBe(2);
    await server.acme.client.post('groups', { name: 'once' });
    const events = () => raw.heard.filter((message) => JSON.stringify(message).includes('ledgerAppended'));
    await expect.poll(() => events().map(({ id }) => id)).toHaveLength(2);
    expect(new Set(events().map(({ id }) => id))).toEqual(new Set(['a', 'b']));
    raw.socket.terminate();
    await expect.poll(() => openStreams(server)).toBe(0);
  });

  it('is a megabyte of unread responses: nothing is read from the client until it reads them', async () => {
    server = await ownServer();
    const raw = await openKnown(server, server.acme.token);
    raw.socket.pause();
    const payload = { text: 'x'.repeat(200_000) };
    for (let n = 0; n < 200; n += 1) raw.say({ type: 'ping', payload });
    const waiting = async (): Promise<number> => {
      const before = raw.socket.bufferedAmount;
      await new Promise((resolve) => setTimeout(resolve, 500));
      return raw.socket.bufferedAmount === before ? before : -1;
    };
    // The client buffers what the server has not read: 40 MB less the buffers of the operating system.
    await expect.poll(waiting).toBeGreaterThanOrEqual(0);
    expect(raw.socket.bufferedAmount).toBeGreaterThan(10_000_000);
    raw.socket.resume();
    await expect.poll(() => raw.heard.length).toBe(201);
    expect((await ask(raw, VIEWER)).type).toBe('next');
  });

  it('is 50 sockets and streams per token, from all addresses', async () => {
    server = await ownServer({ trustProxy: ['127.0.0.1'] });
    const { token } = server.acme;
    const open: RawSocket[] = [];
    for (let n = 0; n < 49; n += 1) open.push(await openKnown(server, token, from(`198.51.100.${n}`)));
    expect(await openStream(token)).toEqual([200]);
    const refused = { code: 1013, reason: 'Too many connections with this token.' };
    expect(await refusalOf(token)).toEqual(refused);
    expect((await openStream(token)).slice(0, 2)).toEqual([429, '5']);
    expect(await refusalOf(server.beta.token)).toBeNull();
    streams[0]?.abort();
    await expect.poll(() => openStream(token)).toEqual([200]);
    open[0]?.socket.close();
    await expect.poll(() => refusalOf(token)).toBeNull();
    expect((await server.acme.graphql(VIEWER)).status).toBe(200);
  });

  it('is 400 sockets and streams per company, from all addresses and with all tokens together', async () => {
    server = await ownServer({ trustProxy: ['127.0.0.1'] });
    const { perCompany, perToken } = LIVE_LIMITS;
    // None of the addresses has as many connections as an address may have.
    const address = (n: number): string => `198.51.100.${n % 8}`;
    const sockets: RawSocket[] = [];
    for (let n = 0; n < perCompany / perToken; n += 1) {
      const { token } = await server.member('beta', 'admin');
      expect(await openStream(token, address(n))).toEqual([200]);
      for (let of = 1; of < perToken; of += 1) {
        sockets.push(await openKnown(server, token, from(address(of))));
      }
    }
    const { token } = await server.member('beta', 'admin');
    const refused = { code: 1013, reason: 'Too many connections of this company.' };
    expect(await refusalOf(token)).toEqual(refused);
    expect(await openStream(token)).toEqual([503, '5', expect.stringContaining(refused.reason)]);
    // Another company has its own.
    expect(await refusalOf(server.acme.token)).toBeNull();
    expect(await openStream(server.acme.token)).toEqual([200]);

    sockets[0]?.socket.close();
    await expect.poll(() => refusalOf(token)).toBeNull();
    await expect.poll(() => openStream(token)).toEqual([200]);
    expect(await refusalOf(token)).toEqual(refused);
    streams[0]?.abort();
    await expect.poll(() => openStream(token)).toEqual([200]);
    expect((await openStream(token)).slice(0, 2)).toEqual([503, '5']);
  });

  it('is 200 connections per address or /64 network', async () => {
    server = await ownServer({ trustProxy: ['127.0.0.1'] });
    const members = await Promise.all(Array.from({ length: 5 }, () => server.member('beta', 'viewer')));
    for (let n = 0; n < 200; n += 1) {
      await openKnown(server, members[n % 5]?.token ?? '', from(`2001:db8:1:2::${n + 1}`));
    }
    const refused = await refusedUpgrade(server, from('2001:db8:1:2:ffff::1'));
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '5']);
    expect(refused.text).toContain('RATE_LIMITED');
    await openRaw(server, from('2001:db8:1:3::1'));
    expect((await server.acme.graphql(VIEWER)).status).toBe(200);
  });

  it('is 200 unauthenticated sockets', async () => {
    server = await ownServer({ trustProxy: ['127.0.0.1'] }, { live: { initMs: HOUR } });
    const known = await openKnown(server, server.acme.token);
    const idle = await Promise.all(
      Array.from({ length: 200 }, (_, n) => openRaw(server, from(`198.51.100.${n}`))),
    );
    const refused = await refusedUpgrade(server, from('203.0.113.1'));
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5']);
    expect(await overStream(server, server.acme, VIEWER)).toContain('"ADMIN"');
    expect((await ask(known, VIEWER)).type).toBe('next');
    expect((await server.acme.graphql(VIEWER)).status).toBe(200);
    await Promise.all(
      idle.map(async ({ socket, ended }) => {
        socket.close();
        await ended;
      }),
    );
    const raw = await openKnown(server, server.acme.token);
    expect((await ask(raw, VIEWER)).type).toBe('next');
  });

  it('is 50 unauthenticated sockets per address, so that other addresses can connect', async () => {
    server = await ownServer({ trustProxy: ['127.0.0.1'] });
    const one = from('198.51.100.1');
    const idle = await Promise.all(Array.from({ length: 50 }, () => openRaw(server, one)));
    expect((await refusedUpgrade(server, one)).status).toBe(429);
    await openKnown(server, server.acme.token, from('203.0.113.1'));
    idle[0]?.say({ type: 'connection_init', payload: { accessToken: server.acme.token } });
    await idle[0]?.hear({ type: 'connection_ack' });
    await openKnown(server, server.acme.token, one);
  });
});

describe('RL-06 the hourly budget', () => {
  const rateLimit = '{ viewer { rateLimit { remaining } } }';
  const remaining = (reply: { payload: Record<string, unknown> }): number =>
    (reply.payload.data as { viewer: { rateLimit: { remaining: number } } }).viewer.rateLimit.remaining;

  it('counts a socket once, and each of its operations once, with requests over HTTP', async () => {
    server = await ownServer({ rateLimitPerHour: 100 });
    const first = await server.acme.graphql<{ viewer: { rateLimit: { remaining: number } } }>(rateLimit);
    const before = first.body.data.viewer.rateLimit.remaining;
    const raw = await openKnown(server, server.acme.token);
    expect(remaining(await ask(raw, rateLimit))).toBe(before - 2);
    expect((await ask(raw, '{ nothing }')).type).toBe('error');
    raw.say({ type: 'ping' });
    raw.say({ type: 'subscribe', id: 's', payload: { query: FOLLOW } });
    await expect.poll(() => openStreams(server)).toBe(1);
    expect(remaining(await ask(raw, rateLimit))).toBe(before - 5);
    await server.acme.client.post('groups', { name: 'seen' });
    await raw.hear({ id: 's', type: 'next' });
    expect(remaining(await ask(raw, rateLimit))).toBe(before - 7);
  });

  it('that is used up refuses operations, and leaves the socket open', async () => {
    server = await ownServer({ rateLimitPerHour: 10 });
    const raw = await openKnown(server, server.acme.token);
    for (let n = 0; n < 9; n += 1) expect((await ask(raw, VIEWER)).type).toBe('next');
    const refused = await ask(raw, VIEWER);
    const [error] = refused.payload.errors as {
      message: string;
      extensions: { code: string; retryAfter: number };
    }[];
    const message = 'Too many requests: at most 10 an hour. Wait for the next window.';
    expect([refused.type, error?.message, error?.extensions.code]).toEqual([
      'error',
      message,
      'RATE_LIMITED',
    ]);
    expect(error?.extensions.retryAfter).toBeGreaterThan(3_500);
    expect(error?.extensions.retryAfter).toBeLessThanOrEqual(3_600);
    const upgrade = await refusedUpgrade(server);
    expect([upgrade.status, upgrade.headers['x-rate-limit-remaining']]).toEqual([429, '0']);
    const { text } = await server.anonymous.get('/metrics');
    expect(text).toContain('http_rate_limited_total 2');
    raw.say({ type: 'ping' });
    await raw.hear({ type: 'pong' });
  });
});
