import { Router, type RequestHandler } from 'express';

import { HttpProblem } from '../problem.js';
import { requestContextOf } from '../request-context.js';

/** Pages and answers about the server itself, by path; each takes GET and HEAD. */
export function operations(handlers: Readonly<Record<string, RequestHandler>>): Router {
  const router = Router({ caseSensitive: true });
  for (const [path, handler] of Object.entries(handlers)) {
    const only: RequestHandler = (request, response, next) => {
      requestContextOf(response).template = path;
      if (request.method === 'GET' || request.method === 'HEAD') next();
      else throw new HttpProblem(405, 'method_not_allowed', 'This path takes GET.', { Allow: 'GET, HEAD' });
    };
    router.all(path, only, handler);
  }
  return router;
}
