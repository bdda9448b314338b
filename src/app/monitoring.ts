import { LONG_LOG_BYTES, type Database } from '../database/database.js';
import { alive, ready } from '../http/monitoring/health.js';
import { createMetrics, type ClientFigures } from '../http/monitoring/metrics.js';
import { observeOperations } from '../http/monitoring/operation-log.js';
import { observeRequests } from '../http/monitoring/request-log.js';
import type { Clock } from '../platform/clock.js';
import type { Logger } from '../platform/logger.js';

export type Monitoring = ReturnType<typeof createMonitoring>;

/** Health, metrics and logs of one server. */
export function createMonitoring(parts: {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly database: Database;
  readonly lostLogLines: () => number;
  readonly clients: () => ClientFigures;
}) {
  const { logger, clock, database, lostLogLines, clients } = parts;
  const readiness = { isOn: false };
  const metrics = createMetrics({
    lostLogLines,
    clients,
    databaseBytes: () => database.bytes(),
    examining: () => database.examining(),
    limitStoreFailures: () => database.windowFailures(),
    isLogLong: () => database.bytes().log >= LONG_LOG_BYTES,
  });
  return {
    metrics,
    readiness,
    observeRequests: observeRequests(logger, metrics, clock),
    observeOperations: observeOperations(logger, metrics),
    /** By path. */
    handlers: {
      '/healthz': alive,
      '/readyz': ready(readiness, database.checks),
      '/metrics': metrics.handler,
    },
  };
}
