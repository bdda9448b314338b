import type { Database, OpenOptions } from '../database/database.js';
import { createUnits, type UnitOptions } from '../database/units.js';
import type { Units } from '../database/work.js';
import type { LiveTimes } from '../graphql/live/limits.js';
import type { Metrics } from '../http/monitoring/metrics.js';
import { createClientLimits } from '../http/server/connections.js';
import { TIMEOUTS, type Timeouts } from '../http/server/listen.js';
import { systemClock, type Clock } from '../platform/clock.js';
import { createLoopRoom, DispatchRate } from '../platform/concurrency/dispatch-rate.js';
import type { Config } from '../platform/config/config.js';
import type { Tls } from '../platform/config/files.js';
import type { Logger } from '../platform/logger.js';
import { SpoolFiles } from '../platform/storage/spool.js';
import { EarlyListener } from './early-listener.js';
import { createHousekeeping, type Housekeeping } from './housekeeping.js';
import { createHttpHandlers, type HttpHandlers } from './http-handlers.js';
import { createMonitoring, type Monitoring } from './monitoring.js';
import { Mqtt } from './mqtt.js';
import './wings.js';
import type { Steps } from './steps.js';
import { openStorage, recordLoss, watchStorage, type StorageOptions } from './storage.js';

export interface ServerOverrides {
  readonly clock?: Clock;
  /** Ends the process when the storage can no longer be trusted. */
  readonly onFatal?: (error: unknown) => void;
  /** Starts even if acknowledged changes are missing; they are reported in the log and the ledger. */
  readonly acceptLoss?: boolean;
  /** Listens and retries indefinitely while a database server cannot be reached. */
  readonly waitsForDatabase?: boolean;
  /** Number of log lines that could not be written. */
  readonly lostLogLines?: () => number;
  readonly timeouts?: Partial<Timeouts>;
  readonly live?: Partial<LiveTimes>;
  /** Limits of reads that examine many rows. */
  readonly examining?: OpenOptions['examining'];
  /** The token that GraphiQL starts with for browsers on this machine: the demo's. */
  readonly graphiqlToken?: () => string | null;
}

export interface Server {
  readonly database: Database;
  readonly units: Units;
  readonly metrics: Metrics;
  readonly housekeeping: Housekeeping;
  readonly steps: Steps;
  /** Listens; resolves to the URL, for example `http://127.0.0.1:4000`. */
  start(): Promise<string>;
  /** Uses another certificate for new connections. Throws if it is not usable, and keeps the earlier one. */
  renewCertificate(tls: Tls): void;
  /** Lets running requests finish for up to `graceMs`, then closes the database. */
  stop(graceMs?: number): Promise<void>;
}

const STOP_GRACE_MS = 25_000;

/** Composition root: opens the database and creates all parts. Serves requests only after `start`. */
export async function createServer(
  config: Config,
  logger: Logger,
  overrides: ServerOverrides = {},
): Promise<Server> {
  const { clock = systemClock, lostLogLines = () => 0, graphiqlToken = () => null, live = {} } = overrides;
  const timeouts = { ...TIMEOUTS, ...overrides.timeouts };
  const onError = errorLogger(logger);
  const limits = createClientLimits({ trustProxy: config.trustProxy, idleMs: timeouts.idleMs, clock });
  const earlyListener = new EarlyListener(config, limits, timeouts);
  const storage = await openStorage(config, logger, storageOptions(overrides, earlyListener));
  const { database, tokenSecret, chain, loss } = storage;
  const mqtt = new Mqtt();
  const watched = { logger, clock, database, lostLogLines, config, clients: limits.figures };
  const mqttState = config.mqtt === null ? null : () => mqtt.state;
  const monitoring = await createMonitoring({ ...watched, mqtt: mqttState });
  const units = createUnits(database, clock, unitOptions(config, monitoring, chain));
  if (loss !== null) await recordLoss(units, loss, logger);
  const settings = { config, clock, timeouts, liveTimes: live, graphiqlToken, limits, onError };
  const shared = sharedOf(config, database, clock);
  const httpHandlers = createHttpHandlers({ ...settings, ...shared, units, tokenSecret, monitoring });
  const housekeeping = createHousekeeping({ units, database, clock, onError, config, tokenSecret });
  const running: Running = {
    database,
    earlyListener,
    httpHandlers,
    monitoring,
    housekeeping,
    mqtt,
    startMqtt: () =>
      mqtt.start({ config, logger, units, pace: shared.pace, noteSeen: httpHandlers.noteSeen, onError }),
    unwatch: watchUntilEnd(database, logger, overrides.onFatal),
  };
  return serverOf(running, units);
}

function serverOf(running: Running, units: Units): Server {
  const { database, housekeeping, monitoring, earlyListener } = running;
  return {
    database,
    units,
    housekeeping,
    steps: housekeeping.steps,
    metrics: monitoring.metrics,
    start: () => start(running),
    renewCertificate: (tls) => earlyListener.listening?.renewCertificate(tls),
    stop: (graceMs = STOP_GRACE_MS) => stop(running, graceMs),
  };
}

interface Running {
  readonly database: Database;
  readonly earlyListener: EarlyListener;
  readonly httpHandlers: HttpHandlers;
  readonly monitoring: Monitoring;
  readonly housekeeping: Housekeeping;
  readonly mqtt: Mqtt;
  readonly startMqtt: () => Promise<void>;
  readonly unwatch: () => void;
}

async function start(running: Running): Promise<string> {
  const { database, earlyListener, httpHandlers, monitoring, housekeeping } = running;
  const url = await earlyListener.serveWith(httpHandlers.listener);
  housekeeping.start();
  await httpHandlers.load();
  await running.startMqtt();
  monitoring.readiness.problem = null;
  setImmediate(() => database.begin());
  return url;
}

async function stop(running: Running, graceMs: number): Promise<void> {
  const { database, earlyListener, httpHandlers, monitoring, housekeeping, mqtt } = running;
  monitoring.readiness.problem = 'stopping';
  const serving = [httpHandlers.stop(graceMs), earlyListener.listening?.stop(graceMs) ?? Promise.resolve()];
  await Promise.all([...serving, housekeeping.stop(), mqtt.stop()]);
  await httpHandlers.store();
  running.unwatch();
  await Promise.all([database.close(), monitoring.stop()]);
}

function unitOptions(
  { presence }: Config,
  { metrics }: Monitoring,
  chain: UnitOptions['chain'],
): UnitOptions {
  return { onCounted: metrics.count, presence, ...(chain === undefined ? {} : { chain }) };
}

function errorLogger(logger: Logger): (error: unknown, requestId?: string | null) => void {
  return (error, requestId) => logger.error({ err: error, request_id: requestId }, 'unexpected error');
}

/** Returns a function to call before the database is closed. */
function watchUntilEnd(database: Database, logger: Logger, onFatal: ServerOverrides['onFatal']): () => void {
  const unwatch = watchStorage(database, logger);
  return () => {
    unwatch();
    const problem = database.verify();
    if (problem !== null) onFatal?.(new Error(problem));
  };
}

function storageOptions(overrides: ServerOverrides, earlyListener: EarlyListener): StorageOptions {
  return {
    ...overrides,
    onWaiting: overrides.waitsForDatabase === true ? () => earlyListener.open() : undefined,
  };
}

/** Rate limits, upload files and dispatch rate, shared by all clients and transports. */
function sharedOf(config: Config, database: Database, clock: Clock) {
  const pace = new DispatchRate(config.notificationsPerSecond, clock, createLoopRoom());
  return { windows: database.windows(clock), spools: openSpools(config, database), pace };
}

const LEAST_SPOOL_BYTES = 256 * 1024 * 1024;

/** Temporary files of uploads, beside the database: temporary folders are often in memory. */
function openSpools({ maxFileBytes }: Config, database: Database): SpoolFiles {
  const maxBytesOfCompany = Math.max(LEAST_SPOOL_BYTES, 2 * maxFileBytes);
  return new SpoolFiles({
    path: database.spoolPath,
    maxBytesOfCompany,
    maxBytes: 4 * maxBytesOfCompany,
    demandRoom: () => database.admit('other'),
  });
}
