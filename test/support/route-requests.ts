import { bodySchema, sampleBody } from '../../src/rest/openapi/schema.js';
import type { Route } from '../../src/rest/route.js';
import type { Client, Fields, Reply, RequestOptions } from './client.js';

const titleOf = (route: Route): string => `${route.method} ${route.path}`;

/** Routes with their titles, for `it.each`. */
export function titled(routes: readonly Route[]): readonly (readonly [string, Route])[] {
  return routes.map((route) => [titleOf(route), route] as const);
}

export function placeholdersOf({ path }: Route): string[] {
  return [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
}

/** Gives the value of a placeholder in a path; for routes with an owner, also of `logical_number`. */
export type PathValue = (placeholder: string) => string;

/** The path of a route below /v1, with the values of its placeholders. */
function pathOf(route: Route, choose: PathValue): string {
  return route.path.slice(1).replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(choose(name)));
}

/** A valid body for the route, with the owner if the route needs one. */
export function goodBody(route: Route, choose: PathValue): Fields {
  const fields = route.body === undefined ? {} : sampleBody(bodySchema(route.body));
  return route.ownerSelector !== undefined ? { ...fields, number: choose('logical_number') } : { ...fields };
}

export async function ask(
  client: Client,
  route: Route,
  choose: PathValue,
  body: Fields | FormData | string = goodBody(route, choose),
  options: RequestOptions = {},
): Promise<Reply> {
  return await client.request(route.method, pathOf(route, choose), body, options);
}
