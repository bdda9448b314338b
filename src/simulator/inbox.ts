import { SECOND } from '../platform/clock.js';
import type { Shared } from './shared.js';
import type { TerminalParts } from './terminal-http.js';

/** Lease of a delivery: the server may not send it again before the lease ends. */
const LEASE_MS = 30 * SECOND;
/** Tolerance for network delay: two answers may arrive closer together than they were sent. */
const TOLERANCE_MS = 5 * SECOND;

/** A notification as a terminal gets it: `message` is `17|SHOW_MESSAGE|text`. */
export interface PushedMessage {
  readonly id: string;
  readonly message: string;
  /** Set for a command, which must not be done after `expires_at`. */
  readonly command?: string | undefined;
  readonly expires_at?: string | undefined;
}

export interface Arrival {
  /** Monotonic time in milliseconds. */
  readonly at: number;
  /** Number of the connection to the broker, which may repeat a message after a reconnect; null over HTTP. */
  readonly connection: number | null;
}

interface Seen {
  arrival: Arrival;
  /** Monotonic time of the answer to the confirmation; null before. */
  confirmedAt: number | null;
}

/** Maximum notifications remembered per terminal: the latest ones. */
const MAX_SEEN = 500;

/** Notifications that one terminal has received. Detects duplicates and a wrong order. */
export class Inbox {
  readonly #seen = new Map<string, Seen>();
  #latest = 0;

  constructor(
    private readonly serialNumber: string,
    private readonly shared: Pick<Shared, 'stats'>,
  ) {}

  receive({ id, command }: PushedMessage, arrival: Arrival): boolean {
    this.shared.stats.count(command === undefined ? 'notifications_received' : 'commands_received');
    const seen = this.#seen.get(id);
    if (seen !== undefined) {
      this.shared.stats.count('notifications_repeated');
      this.#checkRepeated(id, seen, arrival);
      seen.arrival = arrival;
      return false;
    }
    // Commands overtake notifications, and urgent ones other commands.
    if (command === undefined) this.#checkOrder(id);
    this.#seen.set(id, { arrival, confirmedAt: null });
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > MAX_SEEN && oldest !== undefined) this.#seen.delete(oldest);
    return true;
  }

  /** Call when the server has answered a confirmation. */
  confirmed(id: string, at: number): void {
    const seen = this.#seen.get(id);
    if (seen !== undefined) seen.confirmedAt ??= at;
  }

  #checkRepeated(id: string, { arrival: before, confirmedAt }: Seen, { at, connection }: Arrival): void {
    const gap = at - before.at;
    const isOtherConnection = connection !== null && connection !== before.connection;
    if (gap < LEASE_MS - TOLERANCE_MS && !isOtherConnection) {
      this.#note('doubled_delivery', `${id} came again after ${seconds(gap)} s`);
    } else if (connection === null && confirmedAt !== null && at > confirmedAt + TOLERANCE_MS) {
      const late = seconds(at - confirmedAt);
      this.#note('doubled_delivery', `${id} came again ${late} s after its confirmation`);
    }
  }

  #checkOrder(id: string): void {
    const number = Number(id);
    if (number < this.#latest) this.#note('wrong_order', `${id} came after ${this.#latest}`);
    else this.#latest = number;
  }

  #note(promise: 'doubled_delivery' | 'wrong_order', text: string): void {
    this.shared.stats.broke(promise, `terminal ${this.serialNumber}: ${text}`);
  }
}

const seconds = (ms: number): string => (ms / SECOND).toFixed(1);

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
    readonly wait: Wait,
    private readonly onCommand: (command: PushedMessage, receivedAt: Date) => Promise<void>,
  ) {
    this.#inbox = new Inbox(parts.serialNumber, parts.shared);
  }

  /** A message was received; it is confirmed later. */
  take(message: PushedMessage, arrival: Arrival): void {
    const { serialNumber, shared } = this.parts;
    const receivedAt = shared.clock.now();
    const isNew = this.#inbox.receive(message, arrival);
    if (isNew) shared.sent.received(serialNumber, message.message);
    const isDue = isNew && message.command !== undefined;
    const confirming = this.#confirm(message.id)
      .then(() => (isDue ? this.onCommand(message, receivedAt) : undefined))
      .catch(() => undefined);
    this.#open.add(confirming);
    void confirming.then(() => this.#open.delete(confirming));
  }

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
    const { stats, clock } = this.parts.shared;
    await this.wait.confirm(JSON.stringify({ type: 'pnconf', event: id }));
    stats.count('notifications_confirmed');
    this.#inbox.confirmed(id, clock.elapsed());
  }
}

export interface Wait {
  /** True if it receives what is sent now. */
  readonly isConnected: boolean;
  /** Receives until the run ends. Errors: `RunIsOver`. */
  receive(confirmations: Confirmations): Promise<never>;
  /** Sends `{"type":"pnconf",…}`; resolves when it has been taken. Errors: `RunIsOver`. */
  confirm(body: string): Promise<void>;
  end(): void;
}
