import { MINUTE, SECOND, systemClock } from '../platform/clock.js';
import type { DispatchRate } from '../platform/concurrency/dispatch-rate.js';
import type { Connection } from './connection.js';
import type { DeliveryQueue, HeldDelivery } from './delivery-queue.js';
import type { MqttFigures } from './figures.js';
import { notificationTopic } from './topics.js';

export interface PublisherOptions<D extends HeldDelivery> {
  readonly queue: DeliveryQueue<D>;
  readonly figures: MqttFigures;
  readonly pace: Pick<DispatchRate, 'take'>;
  /** Messages a second that the pace lets out. */
  readonly perSecond: number;
  readonly connection: () => Connection | null;
  /** The broker has acknowledged a message. */
  readonly onAcknowledged: () => void;
  readonly onError: (error: unknown) => void;
}

/** Messages that a process holds at the same time at most. */
export const MAX_HELD = 500;
/** Messages that are taken from a company at once: at most what the pace lets out in a second. */
const MAX_CLAIM = 100;
/** Companies from which messages are taken at the same time: one may have to wait for other work of its own. */
const CLAIMS = 4;
/** A message that the pace has not let out by then is given back: it is held for 30 s. */
const PACE_MS = 10 * SECOND;
/** When there was nothing to take, the queue is asked again after half of this to all of it. */
const IDLE_MS = SECOND;
/** However often there is a reason to, it is not asked before this time has passed. */
const SOON_MS = SECOND / 20;

/** Takes messages from the queue while there is a connection, from the companies by turns, and publishes them. */
export class Publisher<D extends HeldDelivery> {
  readonly #options: PublisherOptions<D>;
  readonly #stopping = new AbortController();
  readonly #publishing = new Set<Promise<void>>();
  readonly #claiming = new Set<number>();
  #wake: () => void = () => undefined;
  #company = 0;
  #held = 0;
  #wakes = 0;
  #reportedAt = -Infinity;
  #running = Promise.resolve();

  constructor(options: PublisherOptions<D>) {
    this.#options = options;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** There may be messages, a connection, or room for messages. */
  wake(): void {
    this.#wakes += 1;
    this.#wake();
  }

  /** Takes no further messages; resolves when the broker has acknowledged, or not, those that it was given. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.wake();
    await this.#running;
    await Promise.all(this.#publishing);
  }

  #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #run(): Promise<void> {
    while (!this.#isStopping()) {
      const since = systemClock.elapsed();
      const wakes = this.#wakes;
      if (await this.#takeNext()) continue;
      await this.#pause(SOON_MS - (systemClock.elapsed() - since), null);
      await this.#pause(IDLE_MS * (0.5 + Math.random() / 2), wakes);
    }
  }

  /** Begins to take messages of one company. Resolves to whether there may be others. Never rejects. */
  async #takeNext(): Promise<boolean> {
    const { connection, perSecond } = this.#options;
    const current = connection();
    const limit = Math.min(MAX_CLAIM, perSecond, MAX_HELD - this.#held);
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

  /** The next company from which nothing is being taken now. */
  async #nextCompany(): Promise<number | null> {
    const { queue } = this.#options;
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
      const deliveries = await this.#options.queue.claim(company, limit).finally(() => {
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

  /** At most one a minute: those of a database that is away are many. */
  #report(error: unknown): void {
    const now = systemClock.elapsed();
    if (now - this.#reportedAt < MINUTE) return;
    this.#reportedAt = now;
    this.#options.onError(error);
  }

  /** What fails here was taken, and is free again when the lease ends. */
  #track(publishing: Promise<void>): void {
    const tracked = publishing
      .catch((error: unknown) => this.#report(error))
      .finally(() => this.#publishing.delete(tracked));
    this.#publishing.add(tracked);
  }

  async #publishAll(connection: Connection, companyId: number, deliveries: readonly D[]): Promise<void> {
    const results = await this.#publishInPace(connection, companyId, deliveries);
    const { queue, figures } = this.#options;
    const sent = deliveries.filter((_delivery, index) => results[index]);
    const returned = deliveries.filter((_delivery, index) => results[index] !== true);
    figures.returned += returned.length;
    if (sent.length > 0) await queue.sent(companyId, sent);
    if (returned.length > 0) await queue.giveBack(companyId, returned);
  }

  /** Resolves to whether each one was acknowledged; those that were not published are missing. */
  async #publishInPace(
    connection: Connection,
    companyId: number,
    deliveries: readonly D[],
  ): Promise<readonly boolean[]> {
    const publishing: Promise<boolean>[] = [];
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(PACE_MS)]);
    while (publishing.length < deliveries.length) {
      const left = deliveries.slice(publishing.length);
      const granted = await this.#options.pace.take(companyId, left.length, signal);
      if (granted === 0) break;
      for (const delivery of left.slice(0, granted)) publishing.push(this.#publish(connection, delivery));
    }
    return await Promise.all(publishing);
  }

  async #publish(connection: Connection, delivery: D): Promise<boolean> {
    const { figures, onAcknowledged } = this.#options;
    figures.inFlight += 1;
    figures.published += 1;
    try {
      const { message, app } = delivery;
      const payload = JSON.stringify(app === null ? { message } : { message, app });
      await connection.publish(notificationTopic(delivery), payload);
      figures.acknowledged += 1;
      onAcknowledged();
      return true;
    } catch {
      return false;
    } finally {
      figures.inFlight -= 1;
    }
  }

  /** Waits, up to the stop; unless `wakes` is null, also up to `wake`, if that was called as often until now. */
  async #pause(ms: number, wakes: number | null): Promise<void> {
    if (ms <= 0 || this.#isStopping() || (wakes !== null && wakes !== this.#wakes)) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        if (wakes === null && !this.#isStopping()) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
