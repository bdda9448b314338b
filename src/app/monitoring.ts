import type { RequestHandler } from 'express';

import type { Database } from '../database/database.js';
import { alive, ready, type Check, type Readiness } from '../http/monitoring/health.js';
import { createMetrics, observeRequests, traceRequests } from '../http/monitoring/metrics.js';
import { Followers, observeOperations, watchOperations } from '../http/monitoring/operations.js';
import type { ClientFigures, MetricSources, MqttState } from '../http/monitoring/sources.js';
import { systemClock, type Clock } from '../platform/clock.js';
import type { Config } from '../platform/config/config.js';
import { backupAgeSeconds } from '../platform/files.js';
import type { Logger } from '../platform/logger.js';
import type { Tracing } from '../platform/tracing.js';
import { createFleetFigures, createStorageFigures } from './figures.js';

export type Monitoring = Awaited<ReturnType<typeof createMonitoring>>;

interface MonitoringParts {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly database: Database;
  readonly lostLogLines: () => number;
  readonly clients: () => ClientFigures;
  readonly config: Pick<Config, 'tracesUrl' | 'tracesShare'>;
  /** Null where there is no MQTT broker. */
  readonly mqtt: (() => MqttState) | null;
}

/** Health, metrics, traces and logs of one server. */
export async function createMonitoring(parts: MonitoringParts) {
  const { logger, clock, database } = parts;
  const readiness: Readiness = { problem: 'starting' };
  const tracing = await tracingOf(parts);
  const followers = new Followers(systemClock);
  const metrics = createMetrics(sourcesOf(parts, tracing, followers));
  const unwatchMetrics = database.watchStatements(metrics.statementStarted);
  const unwatchTraces = tracing && database.watchStatements((sql) => tracing.statement(sql));
  const observed = observeRequests(logger, metrics, clock);
  const observers: RequestHandler[] = tracing === null ? [observed] : [traceRequests(tracing), observed];
  return {
    metrics,
    readiness,
    /** In the order in which a request passes them. */
    observers,
    observeOperations: observeOperations(
      logger,
      metrics,
      followers,
      watchOperations(metrics, tracing, clock),
    ),
    /** By path. */
    handlers: {
      '/healthz': alive,
      '/readyz': ready(readiness, { ...database.checks, ...mqttCheck(parts) }),
      '/metrics': metrics.handler,
    },
    /** Sends the traces that are left. Never rejects. */
    stop: async () => {
      unwatchMetrics();
      unwatchTraces?.();
      await tracing?.stop();
    },
  };
}

/** Whether the broker is there: a note, and no condition of readiness. */
function mqttCheck({ mqtt }: MonitoringParts): Record<string, Check> {
  if (mqtt === null) return {};
  return { mqtt: () => Promise.resolve({ note: mqtt().isConnected ? 'connected' : 'not_connected' }) };
}

/** Imports the packages for spans only if traces are sent. */
async function tracingOf({ config, logger, database }: MonitoringParts): Promise<Tracing | null> {
  const { tracesUrl: url, tracesShare: share } = config;
  if (url === null) return null;
  const { createTracing } = await import('../platform/tracing.js');
  return createTracing({ url, share, databaseSystem: database.system, logger });
}

function sourcesOf(parts: MonitoringParts, tracing: Tracing | null, followers: Followers): MetricSources {
  const { clock, database, lostLogLines, clients, mqtt } = parts;
  return {
    lostLogLines,
    clients,
    mqtt,
    database,
    fleet: createFleetFigures(database, clock),
    storage: createStorageFigures(database, clock),
    ledgerDelaySeconds: () => followers.delaySeconds(),
    backupAgeSeconds: () => backupAgeSeconds(database.lastBackupPath, systemClock),
    droppedTraces: () => tracing?.dropped() ?? 0,
  };
}
