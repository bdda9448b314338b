import type { RequestHandler } from 'express';

import { openDatabase, type Database } from './database/open.js';
import { createUnits, type Units } from './database/work.js';
import { createHttpApp } from './http/app.js';
import { createRateLimiter, rateLimit } from './http/rate-limit.js';
import { listen } from './http/server.js';
import { systemClock, type Clock } from './platform/clock.js';
import type { Config } from './platform/config.js';
import type { Logger } from './platform/logger.js';
import { createAuthenticator } from './resources/access-token/authentication.service.js';
import { createAdapter } from './rest/adapter.js';
import { HttpProblem } from './rest/problem.js';
import { createRoutes } from './rest/routes.js';

export interface Overrides {
  readonly clock?: Clock;
  /** Ends the process where the storage can no longer be trusted. */
  readonly onFatal?: (error: unknown) => void;
}

export interface App {
  readonly database: Database;
  readonly units: Units;
  /** Answers where it listens. */
  start(): Promise<string>;
  /** Finishes what is under way and writes the database's log back into its file. */
  stop(graceMs?: number): Promise<void>;
}

const STOP_GRACE_MS = 25_000;

/** Everything put together; nothing listens before `start`. */
export async function createApp(config: Config, logger: Logger, overrides: Overrides = {}): Promise<App> {
  const clock = overrides.clock ?? systemClock;
  const database = await openDatabase(config.databaseFile, {
    onFatal: (error) => {
      logger.fatal({ err: error }, 'the storage no longer promises to keep what is written');
      overrides.onFatal?.(error);
    },
  });
  const units = createUnits(database, clock);
  const onError = (error: unknown): void => logger.error({ err: error }, 'unexpected error');
  const authenticator = createAuthenticator(units, clock, onError);
  const nothing: RequestHandler = (_request, _response, next) => next();
  const http = createHttpApp({
    trustProxy: config.trustProxy,
    secure: config.tls !== null,
    observe: nothing,
    uncounted: [],
    rateLimit: limitRate(config, clock),
    v1: createAdapter(createRoutes(), { units, authenticator, maxFileBytes: config.maxFileBytes }),
    onError: (error, requestId) => logger.error({ err: error, request_id: requestId }, 'unexpected error'),
  });
  let stop: ((graceMs: number) => Promise<void>) | undefined;
  return {
    database,
    units,
    start: async () => {
      const server = await listen(http, config);
      stop = (graceMs) => server.stop(graceMs);
      return server.url;
    },
    stop: async (graceMs = STOP_GRACE_MS) => {
      await stop?.(graceMs);
      await database.close();
    },
  };
}

function limitRate(config: Config, clock: Clock): RequestHandler {
  const limiter = config.rateLimitPerHour === 0 ? null : createRateLimiter(config.rateLimitPerHour);
  return rateLimit(
    limiter,
    clock,
    (seconds) =>
      new HttpProblem(429, 'rate_limited', 'Too many requests: wait for the next window.', {
        'Retry-After': String(seconds),
      }),
  );
}
