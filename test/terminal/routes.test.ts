import express, { type ErrorRequestHandler } from 'express';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { problemResponse } from '../../src/http/problem.js';
import { requestContext, requestContextOf } from '../../src/http/request.js';
import { sendProblem } from '../../src/http/send.js';
import { limitTerminals } from '../../src/http/server/admission.js';
import { createClientLimits } from '../../src/http/server/connections.js';
import { systemClock } from '../../src/platform/clock.js';
import { DomainError, TerminalRefused } from '../../src/platform/errors.js';
import { etagOfText } from '../../src/platform/hashes.js';
import type { TerminalClaim } from '../../src/platform/terminal.js';
import type { TerminalAnswer } from '../../src/terminal/answer.js';
import type { AdmitAll } from '../../src/terminal/batches.js';
import { createTerminalRouter, type TerminalCall, type TerminalRoute } from '../../src/terminal/router.js';
import { startServer, type TestServer } from '../support/server.js';

let server: TestServer;
let site: Awaited<ReturnType<typeof serveRoutes>>;
const calls: TerminalCall<string>[] = [];

/** Sends the terminal every time that it is admitted, until the call ends. */
async function* admissions(call: TerminalCall<string>): AsyncGenerator<string> {
  for (let n = 1; !call.ended.aborted; n += 1) {
    yield `${await call.read(async (_work, terminal) => Promise.resolve(terminal))} ${n}\n`;
    if (n >= 3) await once(call.ended, 'abort');
  }
}

const streamOf = (call: TerminalCall<string>): TerminalAnswer => ({
  headers: { 'Content-Type': 'text/plain' },
  stream: { pieces: admissions(call), heldBytes: 1_024, sent: () => undefined },
});

const route = (
  method: 'GET' | 'POST',
  path: string,
  answer: TerminalRoute<string>['answer'],
  body?: z.ZodObject,
): TerminalRoute<string> => ({
  method,
  path,
  scope: 'terminals',
  summary: 'Of a test',
  response: z.unknown(),
  ...(body && { body }),
  answer,
});

const routes: readonly TerminalRoute<string>[] = [
  route('GET', '/read/{name}', async (call) => {
    const terminal = await call.read(async (_work, found) => Promise.resolve(found));
    const body = JSON.stringify([terminal, call.values.get('name'), call.query.get('a') ?? null]);
    return { type: 'text/plain; charset=utf-8', body, etag: etagOfText(body) };
  }),
  route(
    'POST',
    '/change',
    ({ body: { input, ignored } }) => Promise.resolve({ body: { input, ignored } }),
    z.object({ serialNumber: z.string() }),
  ),
  route('GET', '/open', async (call) => {
    calls.push(call);
    await call.read(async () => Promise.resolve());
    call.wait({ ofTerminal: 1, ofCompany: 2 });
    return streamOf(call);
  }),
  route('GET', '/quiet', (call) => {
    calls.push(call);
    return Promise.resolve(streamOf(call));
  }),
  route('GET', '/whole', async (call) => {
    const body = await call.write(async (_work, terminal) => Promise.resolve(terminal));
    return { type: 'text/plain', body };
  }),
  route('GET', '/noted', async (call) => {
    await call.note(() => Promise.reject(new Error('unexpected')));
    await call.note(() => Promise.reject(new DomainError('storage_full', 'The disk is full.')));
    return { type: 'text/plain', body: 'sent' };
  }),
];

/** A server with routes of a test, which admits every terminal but those in `refused`. Its serial number is its token. */
async function serveRoutes(
  { app: { units }, acme, clock }: TestServer,
  routes: readonly TerminalRoute<string>[],
) {
  const refused = new Set<string>();
  /** Serial numbers of refused requests. */
  const noted: string[] = [];
  const stopping = new AbortController();
  /** Errors that no response shows. */
  const errors: unknown[] = [];
  const admit: AdmitAll<string> = (_work, claims) =>
    Promise.resolve(
      claims.map(({ serialNumber }) =>
        refused.has(serialNumber)
          ? { refused: new TerminalRefused('Not here.', { code: 'unknown_terminal' }) }
          : { terminal: serialNumber },
      ),
    );
  const router = createTerminalRouter(routes, {
    units,
    bodyMs: 1_000,
    clock,
    onLimited: () => undefined,
    claim: ({ token = '' }) =>
      Promise.resolve({ caller: acme.caller, serialNumber: token, deviceId: null } satisfies TerminalClaim),
    admit,
    onRefused: ({ serialNumber }) => void noted.push(serialNumber),
    stopping: stopping.signal,
    onError: (error) => void errors.push(error),
  });
  const onError: ErrorRequestHandler = (error: unknown, request, response, _next) =>
    sendProblem(request, response, problemResponse(error, requestContextOf(response).requestId));
  const limits = createClientLimits({ trustProxy: [], idleMs: 60_000, clock: systemClock });
  const http = createServer(
    express().use(requestContext(limits), ...limitTerminals(server.clock), router, onError),
  );
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    refused,
    noted,
    stopping,
    errors,
    stop: () =>
      new Promise<void>((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
}

beforeAll(async () => {
  server = await startServer();
  site = await serveRoutes(server, routes);
});
afterAll(async () => {
  await site.stop();
  await server.stop();
});

interface Sent extends RequestInit {
  readonly headers?: Readonly<Record<string, string>>;
}

const send = async (path: string, init: Sent = {}, token = 'T-1'): Promise<Response> => {
  const headers = { ...init.headers, authorization: `Bearer ${token}` };
  return await fetch(`${site.url}/terminal/v1${path}`, { ...init, headers });
};
const codeOf = async (response: Response): Promise<string> =>
  `${response.status} ${((await response.json()) as { code: string }).code}`;

describe('a route that reads', () => {
  it('gets the terminal, the values of the path and the query', async () => {
    const response = await send('/read/a%2Fb?a=1&unknown=2');
    expect(await response.json()).toEqual(['T-1', 'a/b', '1']);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await codeOf(await send('/read/x?a=1&a=2'))).toBe('400 malformed');
    expect(await codeOf(await send('/read/x?a=%ff'))).toBe('400 malformed');
  });

  it('answers with an ETag, and 304 to a request that has it', async () => {
    const first = await send('/read/x');
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    const again = await send('/read/x', { headers: { 'if-none-match': `"y", ${etag}` } });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    const other = await send('/read/y', { headers: { 'if-none-match': etag } });
    expect([other.status, other.headers.get('etag') === etag]).toEqual([200, false]);
  });

  it('refuses a terminal that may not use the service, and notes it', async () => {
    site.refused.add('T-OUT');
    expect(await codeOf(await send('/read/x', {}, 'T-OUT'))).toBe('403 unknown_terminal');
    expect(await codeOf(await send('/whole', {}, 'T-OUT'))).toBe('403 unknown_terminal');
    expect(site.noted.splice(0)).toEqual(['T-OUT', 'T-OUT']);
  });
});

describe('a route with a body', () => {
  const post = async (body: string, type: string): Promise<Response> =>
    await send('/change', { method: 'POST', body, headers: { 'content-type': type } });

  it('gets the fields of its model, and the names of others', async () => {
    const response = await post('{"serial_number":"S-1","colour":"red"}', 'application/json');
    expect(await response.json()).toEqual({ input: { serialNumber: 'S-1' }, ignored: ['colour'] });
  });

  it('may refuse forms', async () => {
    const response = await post('serial_number=S-1', 'application/x-www-form-urlencoded');
    expect(await codeOf(response)).toBe('400 malformed_json');
  });
});

describe('a route that answers with a stream', () => {
  it('ends when its client leaves', async () => {
    const leaving = new AbortController();
    await send('/open', { signal: leaving.signal }, 'T-LEAVES');
    const call = calls.at(-1);
    expect(call?.ended.aborted).toBe(false);
    leaving.abort();
    await expect.poll(() => call?.ended.aborted).toBe(true);
  });

  it('is refused in the next unit of work when its terminal is refused meanwhile', async () => {
    const response = await send('/open', {}, 'T-CUT');
    const call = calls.at(-1);
    site.refused.add('T-CUT');
    await expect(call?.read(async () => Promise.resolve())).rejects.toThrow('Not here.');
    expect(site.noted.splice(0)).toEqual(['T-CUT']);
    await response.body?.cancel();
  });

  it('is cut when its terminal is refused meanwhile, though it asks for nothing', async () => {
    const response = await send('/quiet', {}, 'T-QUIET');
    const call = calls.at(-1);
    const text = response.text();
    site.refused.add('T-QUIET');
    await expect(text).rejects.toThrow();
    expect(call?.ended.aborted).toBe(true);
    expect(site.noted.splice(0)).toEqual(['T-QUIET']);
  });

  it('is answered where a note fails, which is reported if it is a fault', async () => {
    const response = await send('/noted');
    expect([response.status, await response.text()]).toEqual([200, 'sent']);
    expect(site.errors.splice(0)).toEqual([new Error('unexpected')]);
  });

  it('counts among those of its kind, of the terminal and of the company', async () => {
    const open = [await send('/open', {}, 'T-A'), await send('/open', {}, 'T-B')];
    expect(await codeOf(await send('/open', {}, 'T-A'))).toBe('429 rate_limited');
    expect(await codeOf(await send('/open', {}, 'T-C'))).toBe('503 busy');
    await open[1]?.body?.cancel();
    await expect
      .poll(async () => {
        const response = await send('/open', {}, 'T-C');
        await response.body?.cancel();
        return response.status;
      })
      .toBe(200);
    await open[0]?.body?.cancel();
  });

  it('does not make its pieces for HEAD', async () => {
    await expect.poll(async () => (await send('/open', { method: 'HEAD' }, 'T-HEAD')).status).toBe(200);
  });

  it('may end its response when the server stops', async () => {
    const response = await send('/open', {}, 'T-STOPS');
    site.stopping.abort();
    expect(await response.text()).toBe('T-STOPS 1\nT-STOPS 2\nT-STOPS 3\n');
  });
});
