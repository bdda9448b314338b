import express, { type ErrorRequestHandler } from 'express';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { problemResponse } from '../../src/http/problem.js';
import { type ClientLimits, requestContext, requestContextOf } from '../../src/http/request.js';
import { sendProblem } from '../../src/http/send.js';
import { leaveRequests, limitNewTerminals, spreadRetries } from '../../src/http/server/admission.js';
import { createClientLimits } from '../../src/http/server/connections.js';
import { systemClock } from '../../src/platform/clock.js';

const ENTERING = 3;

let http: Server;
let url: string;
let limits: ClientLimits;
/** Requests whose token is being verified; each goes on when it is called. */
const verifying: (() => void)[] = [];
beforeEach(async () => {
  const onError: ErrorRequestHandler = (error: unknown, request, response, _next) =>
    sendProblem(request, response, problemResponse(error, requestContextOf(response).requestId));
  limits = createClientLimits({ trustProxy: [], idleMs: 60_000, clock: systemClock });
  const limit = limitNewTerminals({ elapsed: () => 0 }, ENTERING);
  const app = express().use(requestContext(limits), limit, async (_request, response) => {
    await new Promise<void>((resolve) => verifying.push(resolve));
    leaveRequests(response);
    response.send('in');
  });
  http = createServer(app.use(onError));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
});
afterEach(async () => {
  http.closeAllConnections();
  await new Promise((resolve) => http.close(resolve));
});

describe('requests of terminals whose tokens are not verified', () => {
  it('beyond the limit are refused at once, to come back later', async () => {
    const waiting = Array.from({ length: ENTERING }, () => fetch(url));
    await expect.poll(() => verifying.length).toBe(ENTERING);
    const replies = await Promise.all([fetch(url), fetch(url)]);
    expect(replies.map(({ status }) => status)).toEqual([503, 503]);
    expect(replies.map(({ headers }) => headers.get('retry-after')).toSorted()).toEqual(['5', '6']);
    expect(await replies[0].json()).toMatchObject({ code: 'busy' });
    expect(limits.slots.refused.get('terminals_entering')).toBe(2);
    for (const go of verifying.splice(0)) go();
    expect(await Promise.all(waiting.map(async (reply) => (await reply).text()))).toEqual(['in', 'in', 'in']);
    const next = fetch(url);
    await expect.poll(() => verifying.length).toBe(1);
    verifying.splice(0)[0]?.();
    expect((await next).status).toBe(200);
  });

  it('do not count once their clients have left', async () => {
    const leaving = new AbortController();
    const left = Array.from({ length: ENTERING }, () => fetch(url, { signal: leaving.signal }));
    await expect.poll(() => verifying.length).toBe(ENTERING);
    leaving.abort();
    await Promise.allSettled(left);
    const outcome = () => Promise.race([fetch(url).then(({ status }) => status), sleep(50, 'in')]);
    await expect.poll(outcome).toBe('in');
    for (const go of verifying.splice(0)) go();
  });
});

describe('the Retry-After of clients that are refused together', () => {
  it('lets so many of them come back in each second, and starts again where time has passed', () => {
    let at = 0;
    const retryAfter = spreadRetries(
      { elapsed: () => at },
      { perSecond: 10, leastSeconds: 5, mostSeconds: 8 },
    );
    const next = (count: number): number[] => Array.from({ length: count }, () => retryAfter());
    const given = Map.groupBy(next(31), (seconds) => seconds);
    expect([...given.keys()]).toEqual([5, 6, 7, 8]);
    expect([...given.values()].every(({ length }) => length <= 10)).toBe(true);
    // More than fit come back among the first ones.
    expect(next(1)).toEqual([5]);
    at += 60_000;
    expect(next(1)).toEqual([5]);
  });
});
