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
  listening: HttpListener | undefined;
  #serve: RequestListener | undefined;

  constructor(
    private readonly config: Config,
    private readonly limits: ServerLimits,
    private readonly timeouts: Timeouts,
  ) {}

  /** Listens unless it already does: `/healthz` is 200, other requests get 503. Resolves to the URL. */
  async open(): Promise<string> {
    this.#serve ??= createWaitingApp(this.config, this.limits);
    const forward: RequestListener = (request, response) => this.#serve?.(request, response);
    return (this.listening ?? (await this.#listen(forward))).url;
  }

  /** Serves requests with `listener` from now on. Resolves to the URL. Errors: those of `listen`. */
  async serveWith(listener: RequestListener): Promise<string> {
    this.#serve = listener;
    return (this.listening ?? (await this.#listen(listener))).url;
  }

  async #listen(listener: RequestListener): Promise<HttpListener> {
    this.listening = await listen(listener, this.config, this.limits.connections, this.timeouts);
    return this.listening;
  }
}

/** App that answers requests while the server waits for its database. */
function createWaitingApp({ trustProxy, allowedOrigins, tls }: Config, limits: ServerLimits) {
  const problem = 'storage_unavailable';
  const refuse = (): never => {
    throw new DomainError(problem, 'The database cannot be reached yet.', { retryAfter: 5 });
  };
  return createHttpApp({
    trustProxy,
    allowedOrigins,
    limits,
    secure: tls !== null,
    observers: [],
    uncounted: monitoringRoutes({
      '/healthz': alive,
      '/readyz': ready({ problem: null }, { database: () => Promise.resolve(problem) }),
    }),
    rateLimit: refuse,
    v1: refuse,
    terminal: refuse,
    ingest: refuse,
    graphql: { handler: refuse, post: refuse, refuse },
    onError: () => undefined,
  });
}
