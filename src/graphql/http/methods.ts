import type { RequestHandler } from 'express';

import { HttpProblem } from '../../http/problem.js';
import { sendMethods } from '../../http/send.js';

/** What operations are sent with. */
export const METHODS: readonly string[] = ['GET', 'POST'];

/** What OPTIONS responds with, and 405 for other methods. A stream has no response without a body. */
const ALLOWED = {
  '/graphql': ['GET', 'HEAD', 'POST', 'OPTIONS'],
  '/graphql/stream': ['GET', 'POST', 'OPTIONS'],
} as const;
type Path = keyof typeof ALLOWED;

/** OPTIONS lists the methods in `Allow`. */
export function listMethods(path: Path): RequestHandler {
  return (_request, response) => {
    sendMethods(response, ALLOWED[path]);
  };
}

/** Other methods are 405. Put it where HEAD has become GET, see `headAsGet`. */
export function demandMethod(path: Path): RequestHandler {
  return ({ method }, _response, next) => {
    if (!METHODS.includes(method)) throw methodNotAllowed(METHODS, ALLOWED[path]);
    next();
  };
}

/** `methods` are those to use instead; `allowed` are all that the path has. `advice` is added to the message. */
export function methodNotAllowed(
  methods: readonly string[],
  allowed: readonly string[] = methods,
  advice = '',
): HttpProblem {
  const headers = { Allow: allowed.join(', ') };
  return new HttpProblem(405, 'method_not_allowed', `Send ${methods.join(' or ')}.${advice}`, headers);
}

/** The method that no path has, with advice. */
export function methodNotAllowedAt(path: string, advice: string): HttpProblem {
  const allowed = path.startsWith('/stream') ? ALLOWED['/graphql/stream'] : ALLOWED['/graphql'];
  return methodNotAllowed(METHODS, allowed, ` ${advice}`);
}

/**
 * Carries out HEAD as GET; Node sends no body with the response. The log, which reads the method when the response has
 * ended, still has HEAD.
 */
export const headAsGet: RequestHandler = (request, response, next) => {
  if (request.method === 'HEAD') {
    request.method = 'GET';
    response.prependOnceListener('close', () => {
      request.method = 'HEAD';
    });
  }
  next();
};
