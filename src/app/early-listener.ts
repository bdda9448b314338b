import type { RequestListener } from 'node:http';

import { alive, monitoringRoutes, ready } from '../http/monitoring/health.js';
import type { ServerLimits } from '../http/server/connections.js';
import { createHttpApp } from '../http/server/http-app.js';
import { listen, type HttpListener, type Timeouts } from '../http/server/listen.js';
import type { Config } from '../platform/config/config.js';
import { DomainError } from '../platform/errors.js';

/**
 * Listens before the database can be reached. Both are often started together; if the process exited because
 * the database is missing, its supervisor would restart it with growing delays.
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
   * Listens unless it already does. Until the server is ready, `/healthz` is 200 and other requests get 503.
   * Resolves to the URL. Errors: those of `listen`.
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

  /**
   * Serves requests with `listener` from now on. Resolves to the address, for example
   * `http://127.0.0.1:4000`.
   */
  async serveWith(listener: RequestListener): Promise<string> {
    this.#serve = listener;
    return await this.open();
  }

  get listening(): HttpListener | undefined {
    return this.#listening;
  }
}

const PROBLEM = 'storage_unavailable';

/** App that answers requests while the server waits for its database. */
function createWaitingApp(
  { trustProxy, allowedOrigins, tls }: Config,
  limits: ServerLimits,
): RequestListener {
  const refuse = (): never => {
    throw new DomainError(PROBLEM, 'The database cannot be reached yet.', { retryAfter: 5 });
  };
  return createHttpApp({
    trustProxy,
    allowedOrigins,
    limits,
    secure: tls !== null,
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
