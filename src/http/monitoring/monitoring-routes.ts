import { Router, type RequestHandler } from 'express';

import { methodNotAllowed } from '../problem.js';
import { requestContextOf } from '../request-context.js';

const METHODS = ['GET', 'HEAD'];

/** Routes about the server itself: health, metrics, documentation. Each takes GET and HEAD. */
export function monitoringRoutes(handlers: Readonly<Record<string, RequestHandler>>): Router {
  const router = Router({ caseSensitive: true });
  for (const [path, handler] of Object.entries(handlers)) {
    const getOnly: RequestHandler = (request, response, next) => {
      requestContextOf(response).template = path;
      if (!METHODS.includes(request.method)) throw methodNotAllowed(METHODS);
      next();
    };
    router.all(path, getOnly, handler);
  }
  return router;
}
