import { groupRoutes } from '../resources/group/group.rest.js';
import type { Route } from './route.js';

/** Everything that /v1 answers. */
export function createRoutes(): readonly Route[] {
  return [...groupRoutes];
}
