import type { RequestListener } from 'node:http';

import { alive, ready } from '../http/monitoring/health.js';
import { monitoringRoutes } from '../http/monitoring/monitoring-routes.js';
import type { ServerLimits } from '../http/server/client-limits.js';
import { createHttpApp } from '../http/server/http-app.js';
import { listen, type HttpListener, type Timeouts } from '../http/server/listen.js';
import type { Config } from '../platform/config/config.js';
import { DomainError } from '../platform/errors.js';

/**
 * Where the server listens: before its database can be reached, too. Both are often started together, and a process that
 * ends because there is no database yet would be started again ever more slowly.
 */
export class EarlyListener {
  #serve: RequestListener;
  #listening: HttpListener | undefined;

  constructor(
    private readonly config: Config,
    private readonly limits: ServerLimits,
    private readonly timeouts: Timeouts,
  ) {
    this.#serve = createWaitingApp(config, limits);
  }

  /**
   * Listens, unless it does so already: `/healthz` is 200, other requests get 503. Resolves to the URL. Errors: those of
   * `listen`.
   */
  async open(): Promise<string> {
    this.#listening ??= await listen(
      (request, response) => this.#serve(request, response),
      this.config,
      this.limits.connections,
      this.timeouts,
    );
    return this.#listening.url;
  }

  /** From now on, `listener` serves the requests. Resolves to the address, for example `http://127.0.0.1:4000`. */
  async serveWith(listener: RequestListener): Promise<string> {
    this.#serve = listener;
    return await this.open();
  }

  get listening(): HttpListener | undefined {
    return this.#listening;
  }
}

const PROBLEM = 'storage_unavailable';

/** What a server answers that waits for its database. */
function createWaitingApp(
  { trustProxy, allowedOrigins, tls }: Config,
  limits: ServerLimits,
): RequestListener {
  const refuse = (): never => {
    throw new DomainError(PROBLEM, 'The database cannot be reached yet.', { retryAfter: 5 });
  };
  return createHttpApp({
    ...{ trustProxy, allowedOrigins, limits, secure: tls !== null },
    observers: [],
    uncounted: monitoringRoutes({
      '/healthz': alive,
      '/readyz': ready({ problem: null }, { database: () => Promise.resolve(PROBLEM) }),
    }),
    rateLimit: refuse,
    v1: refuse,
    terminal: refuse,
    ingest: refuse,
    graphql: { handler: refuse, post: refuse, refuse },
    onError: () => undefined,
  });
}
