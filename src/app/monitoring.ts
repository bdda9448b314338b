import type { RequestHandler } from 'express';
import { setTimeout as sleep } from 'node:timers/promises';

import { fleetTotals, queuedDeliveries } from '../database/counters.js';
import type { Database } from '../database/database.js';
import type { Units } from '../database/work.js';
import { retentionStats } from '../domain/base/ledger/retention.service.js';
import { alive, ready, type Check, type Readiness } from '../http/monitoring/health.js';
import { createMetrics, observeRequests, traceRequests } from '../http/monitoring/metrics.js';
import { Followers, observeOperations, watchOperations } from '../http/monitoring/operations.js';
import type { FleetStats, MetricSources, StorageStats } from '../http/monitoring/sources.js';
import { HOUR, MINUTE, SECOND, systemClock, type Clock } from '../platform/clock.js';
import type { Config } from '../platform/config/config.js';
import { ageSeconds } from '../platform/files.js';
import type { Logger } from '../platform/logger.js';
import { PRESENCE_LIMITS } from '../platform/terminal.js';
import type { Tracing } from '../platform/tracing.js';

export type Monitoring = Awaited<ReturnType<typeof createMonitoring>>;

interface MonitoringParts {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly database: Database;
  readonly lostLogLines: () => number;
  readonly clients: MetricSources['clients'];
  readonly config: Pick<Config, 'tracesUrl' | 'tracesShare'>;
  /** Null where there is no MQTT broker. */
  readonly mqtt: MetricSources['mqtt'];
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
  const unwatchWaits = database.watchWaits(metrics.waitStarted);
  const unwatchWaitTraces = tracing && database.watchWaits((what) => tracing.wait(what));
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
    handlers: {
      '/healthz': alive,
      '/readyz': ready(readiness, { ...database.checks, ...mqttCheck(parts) }),
      '/metrics': metrics.handler,
    },
    /** Sends the traces that are left. Never rejects. */
    stop: async () => {
      unwatchMetrics();
      unwatchTraces?.();
      unwatchWaits();
      unwatchWaitTraces?.();
      await tracing?.stop();
    },
  };
}

/** True if the broker is there: a note, and no condition of readiness. */
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
    fleet: createFleetStats(database, clock),
    storage: createStorageStats(database, clock),
    vitals: createVitals(database, clock),
    ledgerDelaySeconds: () => followers.delaySeconds(),
    backupAgeSeconds: () => ageSeconds(database.lastBackupPath, systemClock),
    droppedTraces: () => tracing?.dropped() ?? 0,
  };
}

const RECORDS = ['devices', 'logical_numbers', 'groups', 'apps', 'files', 'transactions'] as const;
const FLEET_INTERVAL_MS = 15 * SECOND;
const VITALS_INTERVAL_MS = 5 * SECOND;
/** Maximum wait of a request for the metrics for such values; then it gets the ones before. */
const MAX_WAIT_MS = SECOND / 5;
/** Sizes of tables: the whole file is read. */
const SIZES_INTERVAL_MS = HOUR;
/** Minimum time between two measurements of sizes, as a multiple of what one takes. */
const SIZES_FACTOR = 100;

/** Stats of the fleet, at most 15 seconds old; null after a failure. Waits up to 200 ms for them. */
export function createFleetStats(
  database: Pick<Database, 'snapshot'>,
  clock: Pick<Clock, 'elapsed'>,
): () => Promise<FleetStats | null> {
  const read = async (): Promise<FleetStats> => {
    const records = Object.fromEntries(await fleetTotals(database, RECORDS));
    return { records, queuedDeliveries: await queuedDeliveries(database) };
  };
  return recent(clock, read, FLEET_INTERVAL_MS);
}

/** The state of the database, at most 5 seconds old; null after a failure. Waits up to 200 ms. */
export function createVitals(
  database: Pick<Database, 'vitals'>,
  clock: Pick<Clock, 'elapsed'>,
): MetricSources['vitals'] {
  return recent(clock, () => database.vitals(), VITALS_INTERVAL_MS);
}

/** A value of at most this age that is read in the background. Waits for it up to 200 ms. */
function recent<T>(
  clock: Pick<Clock, 'elapsed'>,
  read: () => Promise<T>,
  intervalMs: number,
): () => Promise<T | null> {
  const background = new Background(clock, read, () => intervalMs);
  return async () => {
    background.value();
    await Promise.race([background.reading, sleep(MAX_WAIT_MS, undefined, { ref: false })]);
    return background.value();
  };
}

/** Sizes and retention statistics as they were last read: never waits. Null before that and after a failure. */
export function createStorageStats(
  database: Pick<Database, 'sizes' | 'snapshot'>,
  clock: Clock,
): () => StorageStats {
  const units: Pick<Units, 'systemRead'> = {
    systemRead: (use) =>
      database.snapshot(null, (db) =>
        use({ db, everywhere: () => db, now: clock.now(), presence: PRESENCE_LIMITS }),
      ),
  };
  const pauseOfSizes = (took: number): number => Math.max(SIZES_INTERVAL_MS, SIZES_FACTOR * took);
  const sizes = new Background(clock, () => database.sizes(), pauseOfSizes);
  const rows = new Background(
    clock,
    () => retentionStats(units),
    () => MINUTE,
  );
  return () => ({ sizes: sizes.value(), rows: rows.value() });
}

/** A value that is read again in the background when it is asked for after a pause. */
class Background<T> {
  reading: Promise<void> | null = null;
  #value: T | null = null;
  #nextAt = -Infinity;

  constructor(
    private readonly clock: Pick<Clock, 'elapsed'>,
    private readonly read: () => Promise<T | null>,
    /** Milliseconds from the end of a reading to the next, given the duration of the last one. */
    private readonly pauseAfter: (tookMs: number) => number,
  ) {}

  value(): T | null {
    const now = this.clock.elapsed();
    if (this.reading === null && now >= this.#nextAt) this.reading = this.#refresh(now);
    return this.#value;
  }

  async #refresh(begun: number): Promise<void> {
    // Old numbers would look like new ones; what is wrong with the storage is in the log.
    this.#value = await this.read().catch(() => null);
    const ended = this.clock.elapsed();
    this.#nextAt = ended + this.pauseAfter(ended - begun);
    this.reading = null;
  }
}
