import { findDue, sendNext, type DeliveryTools } from '../domain/base/webhook/delivery.service.js';
import { atMostEvery, MINUTE, pause, SECOND } from '../platform/clock.js';

/** Webhooks that a node sends to at the same time, of all companies and of one: slow ones must not use up all. */
const MAX_SENDING = 64;
const MAX_SENDING_OF_COMPANY = 2;
/** Pause before the node looks again for webhooks with entries to send. */
const IDLE_MS = SECOND;
/** Pause if it has sent to some meanwhile, which may have more. */
const SOON_MS = SECOND / 20;

interface WebhooksParts extends Omit<DeliveryTools, 'signal'> {
  readonly onError: (error: unknown) => void;
}

/** Sends events to webhooks in the background; all nodes share this work. */
export class Webhooks {
  readonly #stopping = new AbortController();
  /** Companies of the webhooks that are sent to now. */
  readonly #sending = new Map<Promise<void>, number>();
  /** Aborted when it has sent to a webhook; a new one before each look. */
  #woken = new AbortController();
  #running = Promise.resolve();
  readonly #isReportDue = atMostEvery(MINUTE);

  constructor(private readonly parts: WebhooksParts) {}

  start(): void {
    this.#running = this.#run();
  }

  /** Ends the requests, and stores what was sent. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await Promise.all(this.#sending.keys());
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#woken = new AbortController();
      await this.#startDue().catch((error: unknown) => this.#report(error));
      await pause(SOON_MS, signal);
      await pause(IDLE_MS - SOON_MS, AbortSignal.any([signal, this.#woken.signal]));
    }
  }

  async #startDue(): Promise<void> {
    const free = MAX_SENDING - this.#sending.size;
    if (free <= 0) return;
    const limits = { perCompany: MAX_SENDING_OF_COMPANY, limit: MAX_SENDING };
    for (const due of await this.parts.units.systemRead((work) => findDue(work, limits))) {
      const ofCompany = [...this.#sending.values()].filter((id) => id === due.companyId).length;
      if (this.#sending.size >= MAX_SENDING || ofCompany >= MAX_SENDING_OF_COMPANY) continue;
      const { signal } = this.#stopping;
      const sending = sendNext({ ...this.parts, signal }, due)
        .catch((error: unknown) => this.#report(error))
        .finally(() => {
          this.#sending.delete(sending);
          this.#woken.abort();
        });
      this.#sending.set(sending, due.companyId);
    }
  }

  /** Reports at most one error a minute. */
  #report(error: unknown): void {
    if (this.#isReportDue()) this.parts.onError(error);
  }
}
