import { Router, type RequestHandler } from 'express';

import type { CheckResult } from '../../database/database.js';
import { methodNotAllowed } from '../problem.js';
import { requestContextOf } from '../request.js';
import { sendJson, sendMethods } from '../send.js';
import { isUpgrade } from '../server/connections.js';

/** One condition of readiness; resolves to null or a note if it holds, else to the problem. */
export type Check = () => Promise<CheckResult>;

/** True if the server accepts requests: from when all of it is loaded until the beginning of its stop. */
export interface Readiness {
  problem: 'starting' | 'stopping' | null;
}

/** 200 while the process runs; does no I/O. */
export const alive: RequestHandler = async (_request, response) => {
  await sendJson(response, { status: 'ok' });
};

/** 200 if every check holds, else 503; the body has the result of each check. */
export function ready(readiness: Readiness, checks: Readonly<Record<string, Check>>): RequestHandler {
  const all = { ...checks, running: () => Promise.resolve(readiness.problem) };
  const resultOf = async ([name, check]: readonly [string, Check]) => {
    // An error is not shown: the endpoint needs no authentication.
    const result = await Promise.resolve()
      .then(check)
      .catch(() => 'failed');
    return [
      name,
      typeof result === 'string' ? { ok: false, problem: result } : { ok: true, ...result },
    ] as const;
  };
  return async (_request, response) => {
    const results = await Promise.all(Object.entries(all).map(resultOf));
    const isReady = results.every(([, { ok }]) => ok);
    if (!isReady) response.setHeader('Retry-After', '5');
    response.status(isReady ? 200 : 503);
    await sendJson(response, {
      status: isReady ? 'ready' : 'not_ready',
      checks: Object.fromEntries(results),
    });
  };
}

const METHODS = ['GET', 'HEAD', 'OPTIONS'];

/** Routes about the server itself: health, metrics, documentation. Each takes GET, HEAD and OPTIONS. */
export function monitoringRoutes(handlers: Readonly<Record<string, RequestHandler>>): Router {
  const router = Router({ caseSensitive: true });
  for (const [path, handler] of Object.entries(handlers)) {
    const getOnly: RequestHandler = (request, response, next) => {
      // A WebSocket goes on to the 404 of paths that have none.
      if (isUpgrade(request)) {
        next('router');
        return;
      }
      requestContextOf(response).template = path;
      if (!METHODS.includes(request.method)) throw methodNotAllowed(METHODS);
      if (request.method === 'OPTIONS') sendMethods(response, METHODS);
      else next();
    };
    router.all(path, getOnly, handler);
  }
  return router;
}
