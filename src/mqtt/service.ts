import { atMostEvery, MINUTE, pause, SECOND, systemClock } from '../platform/clock.js';
import type { DispatchRate } from '../platform/concurrency/dispatch-rate.js';
import type { MqttSettings } from '../platform/config/mqtt.js';
import type { Logger } from '../platform/logger.js';
import { MqttStats } from '../platform/terminal.js';
import { Confirmations } from './confirmations.js';
import { BrokerLink, LINK_TIMES, type Connection, type LinkTimes } from './connection.js';
import { notificationTopic, type DeliveryQueue, type HeldDelivery } from './delivery-queue.js';

export interface MqttOptions<D extends HeldDelivery> {
  readonly broker: MqttSettings;
  readonly queue: DeliveryQueue<D>;
  /** Rate limit shared by all transports, and its messages per second. */
  readonly pace: Pick<DispatchRate, 'take'>;
  readonly perSecond: number;
  readonly logger: Logger;
  readonly onError: (error: unknown) => void;
  readonly times?: Partial<LinkTimes>;
}

export type MqttService = ReturnType<typeof createMqttService>;

/** Sends notifications over MQTT after `start`. */
export function createMqttService<D extends HeldDelivery>(options: MqttOptions<D>) {
  const { broker, queue, logger, onError } = options;
  const stats = new MqttStats();
  const confirmations = new Confirmations(queue, stats, onError);
  const link: BrokerLink = new BrokerLink({
    broker,
    logger,
    stats,
    times: { ...LINK_TIMES, ...options.times },
    onMessage: (topic, payload) => confirmations.take(topic, payload),
    onConnected: () => publisher.wake(),
  });
  const publisher = new Publisher(options, stats, link);
  return {
    stats,
    start: (): void => {
      link.start();
      publisher.start();
    },
    /** Call when there may be new messages. */
    wake: (): void => publisher.wake(),
    /** Stops after the messages being published, and stores the received confirmations. */
    stop: async (): Promise<void> => {
      await publisher.stop();
      await link.stop();
      await confirmations.finish();
    },
  };
}

/** Maximum messages that a process leases at the same time. */
export const MAX_HELD = 500;
/** Maximum messages per claim: at most those that `pace` allows in one second. */
const MAX_CLAIM = 100;
/** Companies whose messages are claimed concurrently: one of them may wait for other work of its company. */
const CLAIMS = 4;
/** Maximum wait for `pace`. The message is then given back, well before its lease of 30 s ends. */
const PACE_MS = 10 * SECOND;
/** Maximum pause before an empty queue is queried again; the actual pause is random, at least half of it. */
const IDLE_MS = SECOND;
/** Minimum pause between two queries, however often `wake` is called. */
const SOON_MS = SECOND / 20;

/** Claims messages, round-robin over the companies, and publishes them while there is a connection. */
class Publisher<D extends HeldDelivery> {
  readonly #stopping = new AbortController();
  readonly #publishing = new Set<Promise<void>>();
  readonly #claiming = new Set<number>();
  /** Aborted by `wake`; a new one before each query. */
  #woken = new AbortController();
  #company = 0;
  #held = 0;
  readonly #isReportDue = atMostEvery(MINUTE);
  #running = Promise.resolve();

  constructor(
    private readonly options: MqttOptions<D>,
    private readonly stats: MqttStats,
    private readonly link: BrokerLink,
  ) {}

  start(): void {
    this.#running = this.#run();
  }

  /** Call when there may be new messages, a connection, or room for more messages. */
  wake(): void {
    this.#woken.abort();
  }

  /** Stops claiming. Resolves when the broker has acknowledged or refused the messages being published. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await Promise.all(this.#publishing);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const since = systemClock.elapsed();
      this.#woken = new AbortController();
      if (await this.#takeNext()) continue;
      await pause(SOON_MS - (systemClock.elapsed() - since), signal);
      await pause(IDLE_MS * (0.5 + Math.random() / 2), AbortSignal.any([signal, this.#woken.signal]));
    }
  }

  /** Starts a claim for one company. Resolves to whether other companies may have messages. Never rejects. */
  async #takeNext(): Promise<boolean> {
    const current = this.link.connection;
    const limit = Math.min(MAX_CLAIM, this.options.perSecond, MAX_HELD - this.#held);
    if (current === null || limit <= 0 || this.#claiming.size >= CLAIMS) return false;
    try {
      const company = await this.#nextCompany();
      if (company === null) return false;
      this.#company = company;
      this.#track(this.#publishNext(current, company, limit));
      return true;
    } catch (error) {
      this.#report(error);
      return false;
    }
  }

  /** Next company with messages and without a claim in progress; null if there is none. */
  async #nextCompany(): Promise<number | null> {
    const { queue } = this.options;
    let company = await queue.nextCompany(this.#company);
    for (let tries = 1; company !== null && this.#claiming.has(company); tries += 1) {
      const next: number | null = await queue.nextCompany(company);
      company = tries > CLAIMS || next === company ? null : next;
    }
    return company;
  }

  async #publishNext(connection: Connection, company: number, limit: number): Promise<void> {
    this.#claiming.add(company);
    this.#held += limit;
    let held = limit;
    try {
      const deliveries = await this.options.queue.claim(company, limit).finally(() => {
        this.#claiming.delete(company);
      });
      this.#held -= limit - deliveries.length;
      held = deliveries.length;
      if (held === 0) return;
      this.wake();
      await this.#publishAll(connection, company, deliveries);
    } finally {
      this.#held -= held;
    }
    this.wake();
  }

  /** Reports at most one error a minute: an unreachable database causes many. */
  #report(error: unknown): void {
    if (this.#isReportDue()) this.options.onError(error);
  }

  /** Tracks a publication until it ends. Messages of a failed one are sent again after their lease. */
  #track(publishing: Promise<void>): void {
    const tracked = publishing
      .catch((error: unknown) => this.#report(error))
      .finally(() => this.#publishing.delete(tracked));
    this.#publishing.add(tracked);
  }

  async #publishAll(connection: Connection, companyId: number, deliveries: readonly D[]): Promise<void> {
    const results = await this.#publishInPace(connection, companyId, deliveries);
    const { queue } = this.options;
    const sent = deliveries.filter((_delivery, index) => results[index]);
    const returned = deliveries.filter((_delivery, index) => results[index] !== true);
    this.stats.returned += returned.length;
    if (sent.length > 0) await queue.sent(companyId, sent);
    if (returned.length > 0) await queue.releaseDeliveries(companyId, returned);
  }

  /** Resolves to whether each message was acknowledged; entries of unpublished messages are missing. */
  async #publishInPace(connection: Connection, companyId: number, deliveries: readonly D[]) {
    const publishing: Promise<boolean>[] = [];
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(PACE_MS)]);
    while (publishing.length < deliveries.length) {
      const left = deliveries.slice(publishing.length);
      const granted = await this.options.pace.take(companyId, left.length, signal);
      if (granted === 0) break;
      for (const delivery of left.slice(0, granted)) publishing.push(this.#publish(connection, delivery));
    }
    return await Promise.all(publishing);
  }

  async #publish(connection: Connection, delivery: D): Promise<boolean> {
    const { stats } = this;
    stats.inFlight += 1;
    stats.published += 1;
    try {
      const { message, app, command } = delivery;
      const ofCommand = command && { command: String(command.id), expires_at: command.expiresAt };
      const payload = JSON.stringify({ message, ...(app !== null && { app }), ...ofCommand });
      await connection.publish(notificationTopic(delivery), payload, command !== undefined);
      stats.acknowledged += 1;
      this.link.succeeded();
      return true;
    } catch {
      return false;
    } finally {
      stats.inFlight -= 1;
    }
  }
}
