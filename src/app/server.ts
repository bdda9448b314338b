import type { RequestListener } from 'node:http';

import { createUnits } from '../database/units.js';
import type { LiveTimes } from '../graphql/live/limits.js';
import { alive, monitoringRoutes, ready } from '../http/monitoring/health.js';
import { OutgoingRequests, type Resolve } from '../http/outgoing.js';
import { createClientLimits, type ServerLimits } from '../http/server/connections.js';
import { createHttpApp } from '../http/server/http-app.js';
import { listen, TIMEOUTS, type HttpListener, type Timeouts } from '../http/server/listen.js';
import { systemClock, type Clock } from '../platform/clock.js';
import { DispatchRate } from '../platform/concurrency/dispatch-rate.js';
import type { Config } from '../platform/config/config.js';
import { DomainError, isTemporary } from '../platform/errors.js';
import type { Tls } from '../platform/files.js';
import type { Logger } from '../platform/logger.js';
import { createMailer } from '../platform/mail.js';
import { createAlerts } from './alerts.js';
import { createExportSchedules } from './export-schedules.js';
import { Housekeeping } from './housekeeping.js';
import { createHttpHandlers } from './http-handlers.js';
import { createMonitoring } from './monitoring.js';
import { Mqtt } from './mqtt.js';
import { openStorage, recordLoss, watchStorage, type StorageOptions } from './storage.js';
import { Webhooks } from './webhooks.js';
import './wings.js';

export interface ServerOverrides extends Omit<StorageOptions, 'onWaiting'> {
  readonly clock?: Clock;
  /** Listens and retries indefinitely while a database server cannot be reached. */
  readonly waitsForDatabase?: boolean;
  /** Number of log lines that could not be written. */
  readonly lostLogLines?: () => number;
  readonly timeouts?: Partial<Timeouts>;
  readonly live?: Partial<LiveTimes>;
  /** The token that GraphiQL starts with for browsers on this machine: the demo's. */
  readonly graphiqlToken?: () => string | null;
  /** Resolves the names of webhooks, instead of the name servers of this machine. */
  readonly resolveName?: Resolve;
  /** False: sends to no webhook, and housekeeping and alerts run only when they are called. For tests that compare what happens. */
  readonly background?: boolean;
}

export type Server = Awaited<ReturnType<typeof createServer>>;

const STOP_GRACE_MS = 25_000;

/** Composition root: opens the database and creates all parts. Serves requests only after `start`. */
export async function createServer(config: Config, logger: Logger, overrides: ServerOverrides = {}) {
  const parts = await createParts(config, logger, overrides);
  const { database, units, earlyListener, httpHandlers, monitoring, housekeeping } = parts;
  const { mqtt, webhooks, alerts, exportSchedules } = parts;
  const { readiness, metrics } = monitoring;
  const { background = true } = overrides;
  return {
    database,
    units,
    housekeeping,
    alerts,
    exportSchedules,
    metrics,
    steps: housekeeping.steps,
    /** Listens; resolves to the URL, for example `http://127.0.0.1:4000`. */
    start: async (): Promise<string> => {
      const url = await earlyListener.serveWith(httpHandlers.listener);
      if (background) housekeeping.start();
      await httpHandlers.load();
      await mqtt.start({ ...parts, noteSeen: httpHandlers.noteSeen });
      if (background) {
        webhooks.start();
        alerts.start();
        exportSchedules.start();
      }
      readiness.problem = null;
      setImmediate(() => database.begin());
      return url;
    },
    /** Uses another certificate for new connections. Throws if it is not usable, and keeps the earlier one. */
    renewCertificate: (tls: Tls): void => earlyListener.listening?.renewCertificate(tls),
    /** Lets running requests finish for up to `graceMs`, then closes the database. */
    stop: async (graceMs = STOP_GRACE_MS): Promise<void> => {
      readiness.problem = 'stopping';
      const serving = [httpHandlers.stop(graceMs), earlyListener.listening?.stop(graceMs)];
      const idle = [housekeeping.stop(), webhooks.stop(), alerts.stop(), exportSchedules.stop()];
      await Promise.all([...serving, mqtt.stop(), ...idle]);
      await httpHandlers.store();
      parts.unwatch();
      await Promise.all([database.close(), monitoring.stop()]);
    },
  };
}

async function createParts(config: Config, logger: Logger, overrides: ServerOverrides) {
  const { clock = systemClock, lostLogLines = () => 0, graphiqlToken = () => null, live = {} } = overrides;
  const timeouts = { ...TIMEOUTS, ...overrides.timeouts };
  const limits = createClientLimits({ trustProxy: config.trustProxy, idleMs: timeouts.idleMs, clock });
  const earlyListener = new EarlyListener(config, limits, timeouts);
  const onWaiting = overrides.waitsForDatabase === true ? () => earlyListener.open() : undefined;
  const storage = await openStorage(config, logger, { ...overrides, onWaiting });
  const { database, tokenSecret, chain, loss } = storage;
  const mqtt = new Mqtt();
  const watched = { logger, clock, database, lostLogLines, config, clients: limits.figures };
  const monitoring = await createMonitoring({ ...watched, mqtt: config.mqtt && (() => mqtt.state) });
  const { presence, notificationsPerSecond } = config;
  const units = createUnits(database, clock, { onCounted: monitoring.metrics.count, presence, chain });
  if (loss !== null) await recordLoss(units, loss, logger);
  const pace = new DispatchRate(notificationsPerSecond, clock);
  const onError = (error: unknown, requestId?: string | null): void => {
    // Background work tries again later, and the database logs its own faults.
    if (!isTemporary(error)) logger.error({ err: error, request_id: requestId }, 'unexpected error');
  };
  const outgoing = new OutgoingRequests(config.webhookNetworks, overrides.resolveName);
  const mail = createMailer({ settings: config.mail, publicUrl: config.publicUrl, onError });
  const shared = { units, database, config, clock, logger, pace, tokenSecret, outgoing, mail, onError };
  const serving = { timeouts, liveTimes: live, graphiqlToken, limits, monitoring };
  const httpHandlers = createHttpHandlers({ ...shared, ...serving });
  const housekeeping = new Housekeeping(shared);
  const webhooks = new Webhooks(shared);
  const unwatch = watchStorage(database, logger, overrides.onFatal);
  return {
    ...shared,
    earlyListener,
    httpHandlers,
    monitoring,
    housekeeping,
    mqtt,
    webhooks,
    alerts: createAlerts(shared),
    exportSchedules: createExportSchedules(shared),
    unwatch,
  };
}

/** Listens before the database can be reached: a supervisor restarts a process that exits with growing delays. */
class EarlyListener {
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
    exports: refuse,
    graphql: { handler: refuse, post: refuse, refuse },
    onError: () => undefined,
  });
}
