import { pathPattern, placeholders, type Method } from './route.js';

/** Method and path that identify a route. */
export interface RouteAddress {
  readonly method: Method;
  /** Path below the prefix of the table, with placeholders: `/devices/{device_id}`. */
  readonly path: string;
}

/** A route with the values computed from its path at startup. */
export interface KnownRoute<R extends RouteAddress> {
  readonly route: R;
  /** Path with prefix, for example `/v1/devices/{device_id}`. */
  readonly template: string;
  readonly placeholders: readonly string[];
}

/** One path with its methods. */
export interface RoutePath<R extends RouteAddress> {
  readonly methods: ReadonlyMap<string, KnownRoute<R>>;
  /** Methods for the `Allow` header. */
  readonly allowed: readonly string[];
  /** Template for logs and metrics of a request whose method the path does not have. */
  readonly template: string;
}

/** Placeholder values by position: `p0`, `p1`. Methods of one path may name the placeholders differently. */
export type PathValues = Readonly<Record<string, string>>;

export interface FoundPath<R extends RouteAddress> {
  readonly path: RoutePath<R>;
  readonly values: PathValues;
}

interface Segments {
  /** Segments of the path; null for a placeholder. */
  readonly segments: readonly (string | null)[];
}

type Pattern<R extends RouteAddress> = RoutePath<R> & Segments;

/**
 * Finds routes as Express does (`test/rest/route-table.test.ts` compares both), but searches only paths with
 * the same first segment. Case-sensitive; ignores one slash at the end.
 */
export class RouteTable<R extends RouteAddress> {
  readonly #byFirst = new Map<string, Pattern<R>[]>();

  /** `prefix` precedes all paths, for example `/v1`. Errors: two routes with the same method and path. */
  constructor(routes: readonly R[], prefix: string) {
    for (const pattern of patternsOf(routes, prefix)) {
      const [first] = pattern.segments;
      if (typeof first !== 'string')
        throw new Error(`The path ${pattern.template} begins with a placeholder`);
      const others = this.#byFirst.get(first);
      if (others === undefined) this.#byFirst.set(first, [pattern]);
      else others.push(pattern);
    }
  }

  /** Finds a path below the prefix: `/devices/17`. Errors: `URIError` for invalid percent-encoding. */
  find(path: string): FoundPath<R> | undefined {
    const segments = path.slice(1, path.endsWith('/') ? -1 : undefined).split('/');
    const found = this.#byFirst.get(segments[0] ?? '')?.find((pattern) => matches(pattern, segments));
    return found && { path: found, values: valuesIn(found, segments) };
  }
}

function matches({ segments }: Segments, given: readonly string[]): boolean {
  return (
    segments.length === given.length &&
    segments.every((segment, index) => (segment === null ? given[index] !== '' : segment === given[index]))
  );
}

function valuesIn({ segments }: Segments, given: readonly string[]): PathValues {
  const values: Record<string, string> = {};
  let count = 0;
  for (const [index, segment] of segments.entries()) {
    if (segment !== null) continue;
    values[`p${count}`] = decodeURIComponent(given[index] ?? '');
    count += 1;
  }
  return values;
}

/** Groups routes by path. Fixed segments come before placeholders: `/users/token` is not a user's id. */
function patternsOf<R extends RouteAddress>(routes: readonly R[], prefix: string): readonly Pattern<R>[] {
  const byPattern = Map.groupBy(routes, ({ path }) => pathPattern(path));
  return [...byPattern.values()]
    .map((all) => patternOf(all, prefix))
    .sort((one, other) => countOf(one.segments) - countOf(other.segments));
}

const countOf = (segments: Segments['segments']): number =>
  segments.filter((segment) => segment === null).length;

function patternOf<R extends RouteAddress>(routes: readonly R[], prefix: string): Pattern<R> {
  const methods = new Map<string, KnownRoute<R>>();
  for (const route of routes) {
    if (methods.has(route.method)) throw new Error(`Two routes for ${route.method} ${route.path}`);
    const known = { route, template: `${prefix}${route.path}`, placeholders: placeholders(route.path) };
    methods.set(route.method, known);
  }
  const allowed = [...methods.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  const path = routes[0]?.path ?? '';
  const segments = pathPattern(path)
    .slice(1)
    .split('/')
    .map((segment) => (segment === '{}' ? null : segment));
  return { methods, allowed: [...allowed, 'OPTIONS'], template: `${prefix}${path}`, segments };
}
