import { Router, type Request, type RequestHandler, type Response } from 'express';

import { methodNotAllowed } from '../http/problem.js';
import { readQuery, readToken, requestContextOf } from '../http/request.js';
import { sendMethods } from '../http/send.js';
import { enterCompany } from '../http/server/admission.js';
import { demandScope, type Authenticator, type Caller, type Scope } from '../platform/caller.js';
import { pathPattern, placeholders, type RouteBase } from './route.js';

/** A request to a route. Only its path and the form of its query are checked. */
export interface Received<R extends RouteBase = RouteBase> {
  readonly request: Request;
  readonly response: Response;
  readonly route: R;
  /** Parameters that the route does not use are ignored. */
  readonly query: ReadonlyMap<string, string>;
  /** Names of the placeholders in the path, in their order. */
  readonly names: readonly string[];
  /** Their decoded values. They may have any characters. */
  readonly values: readonly string[];
}

/**
 * Handler of the routes below a prefix such as `/v1`. HEAD is GET without a body; OPTIONS lists the methods of a path
 * in `Allow`; a method that the path does not have is 405 (contract 4). Other paths go to the next handler.
 */
export function createRouter<R extends RouteBase>(
  prefix: string,
  routes: readonly R[],
  serve: (received: Received<R>) => Promise<void>,
): RequestHandler {
  const router = Router({ caseSensitive: true });
  const byPath = [...Map.groupBy(routes, ({ path }) => pathPattern(path))];
  // Fixed segments come before placeholders: `/users/token` is not a user's id.
  byPath.sort(([one], [other]) => one.split('{}').length - other.split('{}').length);
  for (const [pattern, ofPath] of byPath) {
    const methods = new Map<string, Pick<Received<R>, 'route' | 'names'>>(
      ofPath.map((route) => [route.method, { route, names: placeholders(route.path) }]),
    );
    if (methods.size < ofPath.length) throw new Error(`Two routes with one method for ${pattern}`);
    const allowed = [...methods.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    allowed.push('OPTIONS');
    let count = 0;
    const path = `${prefix}${pattern.replaceAll('{}', () => `:p${count++}`)}`;
    router.all(path, async (request, response) => {
      const found = methods.get(request.method === 'HEAD' ? 'GET' : request.method);
      requestContextOf(response).template = `${prefix}${(found?.route ?? ofPath[0])?.path ?? ''}`;
      if (request.method === 'OPTIONS') {
        sendMethods(response, allowed);
        return;
      }
      if (found === undefined) throw methodNotAllowed(allowed);
      const query = readQuery(request.originalUrl);
      await serve({ ...found, request, response, query, values: Object.values(request.params).map(String) });
    });
  }
  return router;
}

/** The decoded value of a placeholder in the path. */
export function valueOf({ route, names, values }: Received, placeholder: string): string {
  const value = values[names.indexOf(placeholder)];
  if (value === undefined) throw new Error(`The path ${route.path} has no placeholder ${placeholder}`);
  return value;
}

/** Authenticates a user's request and counts it for the caller's company. Errors: `busy`, those of `callerOf`. */
export async function authorize(
  received: Received,
  scope: Scope,
  authenticator: Authenticator,
): Promise<Caller> {
  const caller = await callerOf(received, authenticator);
  enterCompany(received.response, caller);
  demandScope(caller, scope);
  return caller;
}

/** The user that the token of a request stands for. Errors: `malformed`, `unauthenticated`. */
export async function callerOf(
  { request, response, query }: Received,
  authenticator: Authenticator,
): Promise<Caller> {
  const { ip, requestId } = requestContextOf(response);
  return await authenticator.authenticate(readToken(request, query), { channel: 'api', ip, requestId });
}
