import { Router, type RequestHandler } from 'express';

import { HttpProblem } from '../problem.js';
import { requestContextOf } from '../request-context.js';

/** Routes about the server itself: health, metrics, documentation. Each takes GET and HEAD. */
export function monitoringRoutes(handlers: Readonly<Record<string, RequestHandler>>): Router {
  const router = Router({ caseSensitive: true });
  for (const [path, handler] of Object.entries(handlers)) {
    const getOnly: RequestHandler = (request, response, next) => {
      requestContextOf(response).template = path;
      if (request.method === 'GET' || request.method === 'HEAD') next();
      else
        throw new HttpProblem(405, 'method_not_allowed', 'Method not allowed: this path has GET, HEAD.', {
          Allow: 'GET, HEAD',
        });
    };
    router.all(path, getOnly, handler);
  }
  return router;
}
