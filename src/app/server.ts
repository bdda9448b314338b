import type { Database } from '../database/database.js';
import { createUnits, type Units } from '../database/work.js';
import type { LiveTimes } from '../graphql/live/limits.js';
import type { Metrics } from '../http/monitoring/metrics.js';
import { listen, TIMEOUTS, type HttpListener, type Timeouts } from '../http/server/listen.js';
import { systemClock, type Clock } from '../platform/clock.js';
import type { Config } from '../platform/config/config.js';
import type { Logger } from '../platform/logger.js';
import { createHousekeeping, type Housekeeping } from './housekeeping.js';
import { createMonitoring, type Monitoring } from './monitoring.js';
import { openStorage } from './storage.js';
import { createSurfaces, type Surfaces } from './surfaces.js';

export interface ServerOverrides {
  readonly clock?: Clock;
  /** Ends the process when the storage can no longer be trusted. */
  readonly onFatal?: (error: unknown) => void;
  /** Number of log lines that could not be written. */
  readonly lostLogLines?: () => number;
  readonly timeouts?: Partial<Timeouts>;
  readonly live?: Partial<LiveTimes>;
}

export interface Server {
  readonly database: Database;
  readonly units: Units;
  readonly metrics: Metrics;
  readonly housekeeping: Housekeeping;
  /** Listens; resolves to the URL, for example `http://127.0.0.1:4000`. */
  start(): Promise<string>;
  /** Lets running requests finish for up to `graceMs`, then closes the database. */
  stop(graceMs?: number): Promise<void>;
}

const STOP_GRACE_MS = 25_000;

/** The composition root: opens the database and puts all parts together. Listens only after `start`. */
export async function createServer(
  config: Config,
  logger: Logger,
  overrides: ServerOverrides = {},
): Promise<Server> {
  const clock = overrides.clock ?? systemClock;
  const timeouts = { ...TIMEOUTS, ...overrides.timeouts };
  const onError = (error: unknown, requestId?: string | null): void =>
    logger.error({ err: error, request_id: requestId }, 'unexpected error');
  const { database, tokenSecret } = await openStorage(config, logger, overrides.onFatal);
  const units = createUnits(database, clock);
  const lostLogLines = overrides.lostLogLines ?? (() => 0);
  const monitoring = createMonitoring({ logger, clock, database, lostLogLines });
  const liveTimes = overrides.live ?? {};
  const surfaces = await createSurfaces({
    config,
    clock,
    units,
    tokenSecret,
    timeouts,
    liveTimes,
    monitoring,
    onError,
  });
  const housekeeping = createHousekeeping(units, database, onError);
  return {
    ...{ database, units, housekeeping, metrics: monitoring.metrics },
    ...createLifecycle({ config, timeouts, database, monitoring, surfaces, housekeeping }),
  };
}

interface LifecycleParts {
  readonly config: Config;
  readonly timeouts: Timeouts;
  readonly database: Database;
  readonly monitoring: Monitoring;
  readonly surfaces: Surfaces;
  readonly housekeeping: Housekeeping;
}

function createLifecycle(parts: LifecycleParts): Pick<Server, 'start' | 'stop'> {
  const { config, timeouts, database, monitoring, surfaces, housekeeping } = parts;
  let listening: HttpListener | undefined;
  return {
    start: async () => {
      listening = await listen(surfaces.listener, config, timeouts);
      housekeeping.start();
      monitoring.readiness.isOn = true;
      return listening.url;
    },
    stop: async (graceMs = STOP_GRACE_MS) => {
      monitoring.readiness.isOn = false;
      await Promise.all([surfaces.stop(graceMs), listening?.stop(graceMs), housekeeping.stop()]);
      await database.close();
    },
  };
}
