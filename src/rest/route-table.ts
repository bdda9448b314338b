import { pathPattern, placeholders, type Method } from './route.js';

/** What finds a route. */
export interface RouteAddress {
  readonly method: Method;
  /** Below the prefix of its table, with placeholders: `/devices/{device_id}`. */
  readonly path: string;
}

/** A route and what is made of its path, once. */
export interface KnownRoute<R extends RouteAddress> {
  readonly route: R;
  /** `/v1/devices/{device_id}` */
  readonly template: string;
  readonly placeholders: readonly string[];
}

/** One path with its methods. */
export interface RoutePath<R extends RouteAddress> {
  readonly methods: ReadonlyMap<string, KnownRoute<R>>;
  /** For `Allow`. */
  readonly allowed: readonly string[];
  /** That of a method which the path does not have. */
  readonly template: string;
}

/** The values of placeholders, by their order: `p0`, `p1`. The methods of one path may name them differently. */
export type PathValues = Readonly<Record<string, string>>;

export interface FoundPath<R extends RouteAddress> {
  readonly path: RoutePath<R>;
  readonly values: PathValues;
}

interface Segments {
  /** Null for a placeholder. */
  readonly segments: readonly (string | null)[];
}

type Pattern<R extends RouteAddress> = RoutePath<R> & Segments;

/**
 * Finds the paths of a table of routes as Express does (`test/rest/route-table.test.ts` compares them), but looks at the
 * paths with the same first segment only. The case of letters counts, one slash at the end does not.
 */
export class RouteTable<R extends RouteAddress> {
  readonly #byFirst = new Map<string, Pattern<R>[]>();

  /** `prefix` is what comes before all paths, for example `/v1`. Errors: two routes with one method and path. */
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

  /** `path` is below the prefix, for example `/devices/17`. Errors: `URIError` for a value that is not well encoded. */
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

/** Fixed segments before placeholders: `/users/token` is not a user's id. */
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
