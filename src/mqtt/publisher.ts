import { SECOND, systemClock } from '../platform/clock.js';
import type { Connection } from './connection.js';
import type { DeliveryQueue, HeldDelivery } from './delivery-queue.js';
import type { MqttFigures } from './figures.js';
import { notificationTopic } from './topics.js';

export interface PublisherOptions<D extends HeldDelivery> {
  readonly queue: DeliveryQueue<D>;
  readonly figures: MqttFigures;
  /** Messages a second at most. */
  readonly perSecond: number;
  readonly connection: () => Connection | null;
  /** The broker has acknowledged a message. */
  readonly onAcknowledged: () => void;
  readonly onError: (error: unknown) => void;
}

/** Messages that are held, and in flight, at the same time at most. */
const MAX_BATCH = 500;
/** At `perSecond` messages a second, a batch is what is sent in so much time. */
const BATCH_MS = SECOND / 5;
/** When nothing was there, the queue is asked again after half of this to all of it. */
const IDLE_MS = SECOND;
/** However often there is a reason to, it is not asked before this time has passed. */
const SOON_MS = SECOND / 20;

/** Takes messages from the queue while there is a connection, and publishes them one batch after the other. */
export class Publisher<D extends HeldDelivery> {
  readonly #options: PublisherOptions<D>;
  readonly #batch: number;
  #wake: (() => void) | null = null;
  #isAwake = false;
  #isStopping = false;
  #running = Promise.resolve();

  constructor(options: PublisherOptions<D>) {
    this.#options = options;
    this.#batch = Math.min(MAX_BATCH, Math.max(1, Math.ceil((options.perSecond * BATCH_MS) / SECOND)));
  }

  start(): void {
    this.#running = this.#run();
  }

  /** There may be messages, or a connection. */
  wake(): void {
    this.#isAwake = true;
    this.#wake?.();
  }

  /** Resolves when the current batch has ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      const since = systemClock.elapsed();
      this.#isAwake = false;
      const count = await this.#publishBatch();
      const soonMs = count > 0 ? (count * SECOND) / this.#options.perSecond : SOON_MS;
      await this.#pause(soonMs - (systemClock.elapsed() - since), false);
      if (count === 0) await this.#pause(IDLE_MS * (0.5 + Math.random() / 2), true);
    }
  }

  /** Resolves to the number of messages that were taken. Never rejects. */
  async #publishBatch(): Promise<number> {
    const { connection, queue, onError } = this.#options;
    const current = connection();
    if (current === null) return 0;
    try {
      const deliveries = await queue.claim(this.#batch);
      if (deliveries.length > 0) await this.#publish(current, deliveries);
      return deliveries.length;
    } catch (error) {
      // What is held is given back when its lease ends.
      onError(error);
      return 0;
    }
  }

  async #publish(connection: Connection, deliveries: readonly D[]): Promise<void> {
    const { queue, figures } = this.#options;
    figures.inFlight += deliveries.length;
    const outcomes = await Promise.all(deliveries.map((delivery) => this.#publishOne(connection, delivery)));
    const sent = deliveries.filter((_delivery, index) => outcomes[index]);
    const returned = deliveries.filter((_delivery, index) => outcomes[index] !== true);
    figures.returned += returned.length;
    if (sent.length > 0) await queue.sent(sent);
    if (returned.length > 0) await queue.giveBack(returned);
  }

  /** Resolves to whether the broker has acknowledged it. */
  async #publishOne(connection: Connection, delivery: D): Promise<boolean> {
    const { figures, onAcknowledged } = this.#options;
    try {
      const published = connection.publish(notificationTopic(delivery), delivery.payload);
      figures.published += 1;
      await published;
      figures.acknowledged += 1;
      onAcknowledged();
      return true;
    } catch {
      return false;
    } finally {
      figures.inFlight -= 1;
    }
  }

  /** Waits, up to the stop; with `untilWoken` also up to `wake`. */
  async #pause(ms: number, untilWoken: boolean): Promise<void> {
    if (ms <= 0 || this.#isStopping || (untilWoken && this.#isAwake)) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        if (!untilWoken && !this.#isStopping) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = null;
  }
}
