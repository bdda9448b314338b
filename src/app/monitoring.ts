import type { RequestHandler } from 'express';

import type { Database } from '../database/database.js';
import { databaseBytes, databaseChecks } from '../database/sqlite/upkeep.js';
import { alive, ready, type Readiness } from '../http/monitoring/health.js';
import { createMetrics, type Metrics } from '../http/monitoring/metrics.js';
import { observeOperations, type LiveObserver } from '../http/monitoring/operation-log.js';
import { observeRequests } from '../http/monitoring/request-log.js';
import type { Clock } from '../platform/clock.js';
import type { Logger } from '../platform/logger.js';

export interface Monitoring {
  readonly metrics: Metrics;
  /** `/readyz` is 503 while it is off. */
  readonly readiness: Readiness;
  /** Logs and counts each request. */
  readonly observeRequests: RequestHandler;
  /** Logs and counts GraphQL operations over WebSockets and event streams. */
  readonly observeOperations: LiveObserver;
  /** `/healthz`, `/readyz` and `/metrics`. */
  readonly handlers: Readonly<Record<string, RequestHandler>>;
}

export function createMonitoring(parts: {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly database: Database;
  readonly lostLogLines: () => number;
}): Monitoring {
  const { logger, clock, database, lostLogLines } = parts;
  const readiness = { isOn: false };
  const metrics = createMetrics({ lostLogLines, databaseBytes: () => databaseBytes(database) });
  return {
    metrics,
    readiness,
    observeRequests: observeRequests(logger, metrics, clock),
    observeOperations: observeOperations(logger, metrics),
    handlers: {
      '/healthz': alive,
      '/readyz': ready(readiness, databaseChecks(database)),
      '/metrics': metrics.handler,
    },
  };
}
