import { Router, type RequestHandler } from 'express';

import { methodNotAllowed } from '../problem.js';
import { requestContextOf } from '../request-context.js';
import { sendMethods } from '../send.js';
import { isUpgrade } from '../server/upgrade.js';

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
