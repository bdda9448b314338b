import { Slots } from '../platform/client-limits.js';
import { pause, SECOND, systemClock } from '../platform/clock.js';
import { Batcher } from '../platform/concurrency/batcher.js';
import { Semaphore } from '../platform/concurrency/semaphore.js';
import { InstallReport, NotificationConfirm } from '../platform/terminal.js';
import type { MqttStats } from '../platform/terminal.js';
import { isObject, idFromText } from '../platform/validate.js';
import { BoundedWindowStore } from '../platform/windows.js';
import {
  terminalOfConfirmTopic,
  type Confirmation,
  type ConfirmationOutcome,
  type DeliveryQueue,
  type HeldDelivery,
  type TerminalName,
} from './delivery-queue.js';

/** Maximum confirmations that wait to be stored: in all, of one company, and of one terminal. */
export const CONFIRMATION_LIMITS = {
  all: 20_000,
  company: 10_000,
  terminal: 100,
  /** Delay before retrying a batch that could not be stored. */
  pauseMs: SECOND,
};
const BATCH = 200;
/** Companies whose confirmations are stored concurrently: one may wait for other work of its company. */
const COMPANIES = 4;
const ATTEMPTS = 10;
const MAX_PAYLOAD_BYTES = 1_024;
/** Interval in which the first hello of a terminal is handled and others are not (decisions.md#mqtt-hello). */
const HELLO_MS = 15 * SECOND;

/** Stores confirmations of terminals in batches of one company; companies take turns. */
export class Confirmations {
  readonly #batches = new Batcher<number, Confirmation, ConfirmationOutcome>({
    most: BATCH,
    everyMs: 0,
    perform: (companyId, batch) => this.#store(companyId, batch),
  });
  readonly #slots = new Semaphore({ places: COMPANIES, busy: () => new Error('Too many companies') });
  readonly #storing = new Set<Promise<void>>();
  readonly #waiting = new Slots();
  readonly #stopping = new AbortController();
  readonly #hellos = new BoundedWindowStore({ points: 1, windowMs: HELLO_MS, maxKeys: 20_000 }, systemClock);

  constructor(
    private readonly queue: Pick<DeliveryQueue<HeldDelivery>, 'confirm'>,
    private readonly stats: MqttStats,
    private readonly onError: (error: unknown) => void,
    private readonly limits = CONFIRMATION_LIMITS,
  ) {}

  /** Receives a message from the broker. Never throws. */
  take(topic: string, payload: Buffer): void {
    const terminal = terminalOfConfirmTopic(topic);
    const message = messageOf(payload);
    const isHello = message?.event === null && message.install === undefined;
    if (terminal === null || message === null || (isHello && !this.#isFirstHello(terminal))) {
      this.stats.confirmed('ignored');
      return;
    }
    const { all, company, terminal: own } = this.limits;
    const leave = this.#waiting.take(
      { kind: 'all', of: '', max: all },
      { kind: 'company', of: String(terminal.companyId), max: company },
      { kind: 'terminal', of: nameOf(terminal), max: own },
    );
    if (typeof leave !== 'function') {
      this.stats.confirmed('dropped');
      return;
    }
    const confirmation = { ...terminal, ...message };
    const storing: Promise<void> = this.#batches.add(terminal.companyId, confirmation).then((outcome) => {
      this.stats.confirmed(outcome);
      leave();
      this.#storing.delete(storing);
    });
    this.#storing.add(storing);
  }

  /** Resolves when all waiting confirmations were stored or tried once more. */
  async finish(): Promise<void> {
    this.#stopping.abort();
    while (this.#storing.size > 0) await Promise.all(this.#storing);
  }

  #isFirstHello(terminal: TerminalName): boolean {
    return this.#hellos.count(nameOf(terminal)).count === 1;
  }

  /** Gives a batch up after `ATTEMPTS` failures: terminals then get and confirm its messages again. Never rejects. */
  async #store(companyId: number, batch: readonly Confirmation[]): Promise<readonly ConfirmationOutcome[]> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#slots.run(null, () => this.queue.confirm(companyId, batch));
      } catch (error) {
        if (attempt === 1) this.onError(error);
        const { signal } = this.#stopping;
        if (attempt === ATTEMPTS || signal.aborted) return batch.map(() => 'failed' as const);
        await pause(this.limits.pauseMs, signal);
      }
    }
  }
}

/** For example `7/0042`. */
const nameOf = ({ companyId, logicalNumber }: TerminalName): string => `${companyId}/${logicalNumber}`;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A message that a terminal may publish on its topic. */
type Message = Pick<Confirmation, 'event' | 'install'>;

/** `{"type":"pnconf","event":"17"}`, `{"type":"hello"}` and `{"type":"install",…}`; null for all else. */
export function messageOf(payload: Buffer): Message | null {
  if (payload.length === 0 || payload.length > MAX_PAYLOAD_BYTES) return null;
  try {
    const value: unknown = JSON.parse(utf8.decode(payload));
    if (isObject(value) && value.type === 'hello') return { event: null };
    if (isObject(value) && value.type === 'install') {
      return InstallReport.safeParse(value).success ? { event: null, install: value } : null;
    }
    const { event } = NotificationConfirm.parse(value);
    return idFromText(event) === undefined ? null : { event };
  } catch {
    return null;
  }
}
