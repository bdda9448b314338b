import type { Graphql } from './server.js';

export interface DeferredGraphql extends Graphql {
  /** Loads it, unless that was done before. Rejects with what `create` rejects with. */
  readonly load: () => Promise<void>;
}

/**
 * GraphQL that is loaded once the server listens: with its schema, it is half of what a server loads.
 * Requests that come before wait for it.
 */
export function deferGraphql(create: () => Promise<Graphql>): DeferredGraphql {
  let loaded: Graphql | undefined;
  let loading: Promise<Graphql> | undefined;
  const load = (): Promise<Graphql> =>
    (loading ??= create().then((graphql) => {
      loaded = graphql;
      return graphql;
    }));
  return {
    load: async () => void (await load()),
    handler: (request, response, next) =>
      loaded === undefined
        ? load().then(({ handler }) => handler(request, response, next))
        : loaded.handler(request, response, next),
    post: (request, response, next) =>
      loaded === undefined
        ? load().then(({ post }) => post(request, response, next))
        : loaded.post(request, response, next),
    refuse: (error, request, response, next) =>
      loaded === undefined
        ? load().then(({ refuse }) => refuse(error, request, response, next))
        : loaded.refuse(error, request, response, next),
    stop: async (graceMs) => {
      // If it could not be loaded, there is nothing to end.
      await loading?.catch(() => undefined);
      await loaded?.stop(graceMs);
    },
  };
}
