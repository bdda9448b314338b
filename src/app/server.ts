import type { RequestListener } from 'node:http';

import { openDatabase, type Database } from '../database/open.js';
import { databaseBytes, databaseChecks } from '../database/sqlite/upkeep.js';
import { createUnits, type Units } from '../database/work.js';
import type { LiveTimes } from '../graphql/live/limits.js';
import { createSchema } from './schema.js';
import { createGraphql, type Graphql } from '../graphql/server.js';
import { createHousekeeping, type Housekeeping } from './housekeeping.js';
import { createHttpApp } from '../http/server/http-app.js';
import { docsHandlers } from '../rest/docs/handlers.js';
import { alive, Readiness, ready } from '../http/operations/health.js';
import { createMetrics, type Metrics } from '../http/operations/metrics.js';
import { observeRequests } from '../http/operations/request-log.js';
import { observeOperations } from '../http/operations/operation-log.js';
import { operations } from '../http/operations/operational-routes.js';
import { countRequests, createRateLimiter, rateLimit, type CountRequest } from '../http/server/rate-limit.js';
import { listen, TIMEOUTS, type HttpServer, type Timeouts } from '../http/server/server.js';
import { systemClock, type Clock } from '../platform/clock.js';
import type { Config } from '../platform/config/config.js';
import type { Logger } from '../platform/logger.js';
import { loadTokenSecret } from '../platform/config/token-secret.js';
import { createAuthenticator } from '../resources/access-token/authentication.service.js';
import { readContent } from '../resources/content/content.service.js';
import { findStoredResponse, storeResponse } from '../resources/idempotency-key/idempotency-key.service.js';
import { createPasswords } from '../resources/user/password.service.js';
import { createSignIn } from '../resources/user/sign-in/sign-in.service.js';
import { createSignInThrottle } from '../resources/user/sign-in/sign-in-throttle.service.js';
import { createAdapter } from '../rest/adapter.js';
import { createOpenApi } from '../rest/openapi/openapi.js';
import { HttpProblem } from '../http/problem.js';
import type { Route } from '../rest/route.js';
import { createRoutes } from './routes.js';

export interface ServerOverrides {
  readonly clock?: Clock;
  /** Ends the process where the storage can no longer be trusted. */
  readonly onFatal?: (error: unknown) => void;
  /** Lines that the log's sink could not write. */
  readonly lostLogLines?: () => number;
  readonly timeouts?: Partial<Timeouts>;
  readonly live?: Partial<LiveTimes>;
}

export interface Server {
  readonly database: Database;
  readonly units: Units;
  readonly metrics: Metrics;
  readonly housekeeping: Housekeeping;
  /** Answers where it listens. */
  start(): Promise<string>;
  /** Finishes what is under way and writes the database's log back into its file. */
  stop(graceMs?: number): Promise<void>;
}

const STOP_GRACE_MS = 25_000;

/** Everything put together; nothing listens before `start`. */
export async function createServer(
  config: Config,
  logger: Logger,
  overrides: ServerOverrides = {},
): Promise<Server> {
  const clock = overrides.clock ?? systemClock;
  const { database, tokenSecret } = await openAlone(config, logger, overrides.onFatal);
  const units = createUnits(database, clock);
  const onError = (error: unknown): void => logger.error({ err: error }, 'unexpected error');
  const authenticator = createAuthenticator(units, clock, onError);
  const access = { passwords: createPasswords(), throttle: createSignInThrottle(), tokenSecret };
  const routes = createRoutes({ signIn: createSignIn({ units, ...access }) });
  const operating = createOperating({ config, logger, clock, database, units, onError, routes }, overrides);
  const { maxFileBytes } = config;
  const { timeouts, observe, uncounted, count, observer } = operating;
  const onRequestError = (error: unknown, requestId: string | null): void =>
    logger.error({ err: error, request_id: requestId }, 'unexpected error');
  const graphql = await createGraphql({
    schema: await createSchema(),
    ...{ units, authenticator, maxFileBytes, bodyMs: timeouts.bodyMs, onError: onRequestError },
    ...resourcesOfGraphql(units),
    ...{ development: config.graphqlDevelopment, allowList: config.graphqlAllowList },
    live: { count, observer, clock, times: overrides.live ?? {} },
  });
  const http = createHttpApp({
    trustProxy: config.trustProxy,
    secure: config.tls !== null,
    observe,
    uncounted,
    rateLimit: rateLimit(count, tooMany),
    v1: createAdapter(routes, { units, authenticator, maxFileBytes, bodyMs: timeouts.bodyMs }),
    graphql,
    onError: onRequestError,
  });
  const { metrics, housekeeping } = operating;
  const life = lifeOf({ config, http, graphql, database, ...operating });
  return { database, units, metrics, housekeeping, ...life };
}

/** What the GraphQL toolkit, which imports no resource, is given of them. */
function resourcesOfGraphql(units: Units) {
  return {
    readContent: (companyId: number, contentId: number) => readContent(units, companyId, contentId),
    storedResponses: { find: findStoredResponse, store: storeResponse },
    sensitiveMutations: ['apiTokenCreate', 'apiTokenRevoke'],
    secretMutations: ['apiTokenCreate'],
  };
}

interface Living extends Pick<ReturnType<typeof createOperating>, 'readiness' | 'housekeeping' | 'timeouts'> {
  readonly config: Config;
  readonly http: RequestListener;
  readonly graphql: Graphql;
  readonly database: Database;
}

function lifeOf({
  config,
  http,
  graphql,
  database,
  readiness,
  housekeeping,
  timeouts,
}: Living): Pick<Server, 'start' | 'stop'> {
  let server: HttpServer | undefined;
  return {
    start: async () => {
      server = await listen(http, config, timeouts);
      housekeeping.start();
      readiness.turnOn();
      return server.url;
    },
    stop: async (graceMs = STOP_GRACE_MS) => {
      readiness.turnOff();
      await Promise.all([graphql.stop(graceMs), server?.stop(graceMs), housekeeping.stop()]);
      await database.close();
    },
  };
}

interface Operated {
  readonly config: Config;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly database: Database;
  readonly units: Units;
  readonly routes: readonly Route[];
  readonly onError: (error: unknown) => void;
}

/** What whoever runs the server sees of it, and what it does for itself. */
function createOperating(
  { config, logger, clock, database, units, routes, onError }: Operated,
  { lostLogLines = () => 0, timeouts }: ServerOverrides,
) {
  const readiness = new Readiness();
  const metrics = createMetrics({
    lostLogLines,
    databaseBytes: () => ({ ...databaseBytes(database) }),
  });
  return {
    readiness,
    metrics,
    housekeeping: createHousekeeping(units, database, onError),
    timeouts: { ...TIMEOUTS, ...timeouts },
    observe: observeRequests(logger, metrics, clock),
    uncounted: operations({
      '/healthz': alive,
      '/readyz': ready(readiness, databaseChecks(database)),
      '/metrics': metrics.handler,
      ...docsHandlers(() => createOpenApi(routes)),
    }),
    count: counter(config, clock, metrics),
    observer: observeOperations(logger, metrics),
  };
}

/** The database, which nobody else serves meanwhile, and the secret beside it. */
async function openAlone(
  config: Config,
  logger: Logger,
  onFatal?: (error: unknown) => void,
): Promise<{ database: Database; tokenSecret: string }> {
  const database = await openDatabase(config.databaseFile, {
    exclusive: true,
    onFatal: (error) => {
      logger.fatal({ err: error }, 'the storage no longer promises to keep what is written');
      onFatal?.(error);
    },
  });
  try {
    return { database, tokenSecret: loadTokenSecret(config) };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Requests and operations of sockets, counted in one budget. */
function counter(config: Config, clock: Clock, metrics: Metrics): CountRequest {
  const limit = config.rateLimitPerHour;
  const count = countRequests(limit === 0 ? null : createRateLimiter(limit), clock);
  return async (address) => {
    const counted = await count(address);
    if (counted !== null && counted.retryAfter !== null) metrics.countRateLimited();
    return counted;
  };
}

function tooMany(seconds: number, message: string): HttpProblem {
  return new HttpProblem(429, 'rate_limited', message, { 'Retry-After': String(seconds) });
}
