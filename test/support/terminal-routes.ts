import express, { type ErrorRequestHandler } from 'express';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { problemResponse } from '../../src/http/problem.js';
import { requestContext, requestContextOf } from '../../src/http/request.js';
import { sendProblem } from '../../src/http/send.js';
import { limitTerminalRequests } from '../../src/http/server/admission.js';
import { createClientLimits } from '../../src/http/server/connections.js';
import { systemClock } from '../../src/platform/clock.js';
import { TerminalRefused, type TerminalClaim } from '../../src/platform/terminal.js';
import type { AdmitAll } from '../../src/terminal/admission.js';
import type { TerminalRoute } from '../../src/terminal/exchange.js';
import { createTerminalRouter } from '../../src/terminal/router.js';
import type { TestServer } from './server.js';

export type RouteServer = Awaited<ReturnType<typeof serveRoutes>>;

/** A server with routes of a test, which admits every terminal but those in `refused`. Its serial number is its token. */
export async function serveRoutes(
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
          ? new TerminalRefused('Not here.', { code: 'unknown_terminal' })
          : serialNumber,
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
    admitAgain: admit,
    onRefused: ({ serialNumber }) => void noted.push(serialNumber),
    stopping: stopping.signal,
    onError: (error) => void errors.push(error),
  });
  const onError: ErrorRequestHandler = (error: unknown, request, response, _next) =>
    sendProblem(request, response, problemResponse(error, requestContextOf(response).requestId));
  const limits = createClientLimits({ trustProxy: [], idleMs: 60_000, clock: systemClock });
  const http = createServer(express().use(requestContext(limits), limitTerminalRequests, router, onError));
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
