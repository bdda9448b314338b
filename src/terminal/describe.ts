import { NDJSON_TYPE } from '../rest/lines/line-route.js';
import type { DescribedRoute } from '../rest/openapi/described.js';
import type { TerminalRoute } from './route.js';
import { TERMINAL_PREFIX } from './router.js';

const JSON_TYPES = ['application/json'];

/** Descriptions of terminal routes for the OpenAPI document. */
export function describeTerminalRoutes<T>(routes: readonly TerminalRoute<T>[]): readonly DescribedRoute[] {
  return routes.map((route) => ({
    method: route.method,
    path: `${TERMINAL_PREFIX}${route.path}`,
    tag: 'terminals',
    scope: null,
    body: bodyOf(route),
    describe: route.describe,
  }));
}

/** Body of a route; rows may be sent as NDJSON, a single row also as JSON. */
function bodyOf<T>(route: TerminalRoute<T>): DescribedRoute['body'] {
  if ('body' in route) return { types: JSON_TYPES, model: route.body };
  const { rows } = route.describe;
  return rows && { types: [NDJSON_TYPE, ...JSON_TYPES], model: rows };
}
