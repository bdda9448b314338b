import type { RequestHandler } from 'express';

import { HttpProblem } from '../../http/problem.js';
import { sendMethods } from '../../http/send.js';

/** Methods for sending operations. */
export const METHODS: readonly string[] = ['GET', 'POST'];

/** `Allow` header of OPTIONS and of 405. /graphql/stream has no HEAD: a stream always has a body. */
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

/** Responds with 405 to other methods. Must come after `headAsGet`. */
export function demandMethod(path: Path): RequestHandler {
  return ({ method }, _response, next) => {
    if (!METHODS.includes(method)) throw methodNotAllowed(METHODS, ALLOWED[path]);
    next();
  };
}

/** `methods` are recommended in the message, `allowed` is the header `Allow`, `advice` ends the message. */
export function methodNotAllowed(
  methods: readonly string[],
  allowed: readonly string[] = methods,
  advice = '',
): HttpProblem {
  const headers = { Allow: allowed.join(', ') };
  return new HttpProblem(405, 'method_not_allowed', `Send ${methods.join(' or ')}.${advice}`, headers);
}

/** 405 for a method that no path supports; `advice` is added to the message. */
export function methodNotAllowedAt(path: string, advice: string): HttpProblem {
  const allowed = path.startsWith('/stream') ? ALLOWED['/graphql/stream'] : ALLOWED['/graphql'];
  return methodNotAllowed(METHODS, allowed, ` ${advice}`);
}

/** Handles HEAD as GET; Node sends no body. The method is restored on close, so that the log shows HEAD. */
export const headAsGet: RequestHandler = (request, response, next) => {
  if (request.method === 'HEAD') {
    request.method = 'GET';
    response.prependOnceListener('close', () => {
      request.method = 'HEAD';
    });
  }
  next();
};
