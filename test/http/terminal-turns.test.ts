import express, { type ErrorRequestHandler } from 'express';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { problemResponse } from '../../src/http/problem.js';
import { requestContext, requestContextOf } from '../../src/http/request-context.js';
import { sendProblem } from '../../src/http/send.js';
import { createClientLimits } from '../../src/http/server/connections.js';
import { takeTerminalTurn } from '../../src/http/server/turns.js';
import { systemClock } from '../../src/platform/clock.js';

const ENTERING = 3;

let http: Server;
let url: string;
let refused = 0;
/** Held until the test lets them go: the first turns of terminals. */
const held: (() => void)[] = [];
beforeEach(async () => {
  refused = 0;
  const turn = takeTerminalTurn(
    { elapsed: () => 0 },
    () => (refused += 1),
    ENTERING,
    async () => {
      await new Promise<void>((resolve) => held.push(resolve));
    },
  );
  const onError: ErrorRequestHandler = (error: unknown, request, response, _next) =>
    sendProblem(request, response, problemResponse(error, requestContextOf(response).requestId));
  const limits = createClientLimits({ trustProxy: [], idleMs: 60_000, clock: systemClock });
  const app = express().use(requestContext(limits), turn, (_request, response) => {
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

describe('the first turns of requests of terminals', () => {
  it('are for so many at the same time; others are refused at once, to come back later', async () => {
    const waiting = Array.from({ length: ENTERING }, () => fetch(url));
    await expect.poll(() => held.length).toBe(ENTERING);
    const replies = await Promise.all([fetch(url), fetch(url)]);
    expect(replies.map(({ status }) => status)).toEqual([503, 503]);
    expect(replies.map(({ headers }) => headers.get('retry-after')).toSorted()).toEqual(['5', '6']);
    expect(await replies[0].json()).toMatchObject({ code: 'busy' });
    expect(refused).toBe(2);
    for (const go of held.splice(0)) go();
    expect(await Promise.all(waiting.map(async (reply) => (await reply).text()))).toEqual(['in', 'in', 'in']);
    const next = fetch(url);
    await expect.poll(() => held.length).toBe(1);
    held.splice(0)[0]?.();
    expect((await next).status).toBe(200);
  });

  it('are given back by clients that leave', async () => {
    const leaving = new AbortController();
    const left = Array.from({ length: ENTERING }, () => fetch(url, { signal: leaving.signal }));
    await expect.poll(() => held.length).toBe(ENTERING);
    leaving.abort();
    await Promise.allSettled(left);
    await expect
      .poll(async () => {
        const tried = fetch(url).then(({ status }) => status);
        const outcome = await Promise.race([
          tried,
          new Promise<string>((resolve) => setTimeout(resolve, 50, 'in')),
        ]);
        return outcome;
      })
      .toBe('in');
    for (const go of held.splice(0)) go();
  });
});
