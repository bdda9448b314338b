import { SECOND } from '../../platform/clock.js';
import type { TerminalParts } from '../terminal-http.js';
import { Inbox, type Arrival, type PushedMessage } from './inbox.js';

/** Sends `{"type":"pnconf",…}`; resolves when it has been taken. Errors: `RunIsOver`. */
export type SendConfirmation = (body: string) => Promise<void>;

/** Share of notifications that are confirmed twice, and late: some of these after the end of the lease. */
const TWICE = 0.05;
const LATE = 0.02;

/** Takes what a terminal receives, and confirms it in its own time. */
export class Confirmations {
  readonly #inbox: Inbox;
  readonly #open = new Set<Promise<void>>();
  /** A terminal sends one confirmation after the other. */
  #sending: Promise<void> = Promise.resolve();

  constructor(
    private readonly parts: TerminalParts,
    private readonly send: SendConfirmation,
  ) {
    this.#inbox = new Inbox(parts.serialNumber, parts.shared);
  }

  /** A message was received; it is confirmed later. */
  take(message: PushedMessage, arrival: Arrival): void {
    const { serialNumber, shared } = this.parts;
    if (this.#inbox.receive(message, arrival)) shared.sent.received(serialNumber, message.message);
    const confirming = this.#confirm(message.id).catch(() => undefined);
    this.#open.add(confirming);
    void confirming.then(() => this.#open.delete(confirming));
  }

  /** Resolves when everything that was received is confirmed. */
  async finished(): Promise<void> {
    await Promise.all(this.#open);
  }

  async #confirm(id: string): Promise<void> {
    const { random, shared } = this.parts;
    const isLate = shared.hasFaults && random.chance(LATE);
    const isTwice = shared.hasFaults && random.chance(TWICE);
    await shared.work.pause(isLate ? random.whole(5, 35) * SECOND : random.whole(0, SECOND));
    for (let times = isTwice ? 2 : 1; times > 0; times -= 1) {
      this.#sending = this.#sending.then(() => this.#send(id));
    }
    await this.#sending;
  }

  async #send(id: string): Promise<void> {
    const { figures, clock } = this.parts.shared;
    await this.send(JSON.stringify({ type: 'pnconf', event: id }));
    figures.count('notifications_confirmed');
    this.#inbox.confirmed(id, clock.elapsed());
  }
}
