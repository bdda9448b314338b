import type { Route } from '../../src/rest/route.js';
import { sampleBody } from '../../src/rest/openapi/sample.js';
import { bodySchema } from '../../src/rest/openapi/schema.js';
import type { Client, Fields, Reply, RequestOptions } from './client.js';

const titleOf = (route: Route): string => `${route.method} ${route.path}`;

/** For `it.each`: a route by its title. */
export function titled(routes: readonly Route[]): readonly (readonly [string, Route])[] {
  return routes.map((route) => [titleOf(route), route] as const);
}

export function placeholdersOf({ path }: Route): string[] {
  return [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
}

/** What stands for a placeholder; for routes with an owner, also for `logical_number`. */
export type Choice = (placeholder: string) => string;

/** The path of a route below /v1, filled in. */
function pathOf(route: Route, choose: Choice): string {
  return route.path.slice(1).replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(choose(name)));
}

/** A body that the route takes, with its owner where it has one. */
export function goodBody(route: Route, choose: Choice): Fields {
  const fields = route.body === undefined ? {} : sampleBody(bodySchema(route.body));
  return route.ownerSelector !== undefined ? { ...fields, number: choose('logical_number') } : { ...fields };
}

export async function ask(
  client: Client,
  route: Route,
  choose: Choice,
  body: Fields | FormData | string = goodBody(route, choose),
  options: RequestOptions = {},
): Promise<Reply> {
  return await client.request(route.method, pathOf(route, choose), body, options);
}
