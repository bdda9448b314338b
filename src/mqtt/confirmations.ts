import { SECOND, systemClock } from '../platform/clock.js';
import { yieldToEventLoop } from '../platform/concurrency/event-loop.js';
import { isObject } from '../platform/encoding/ndjson.js';
import { NotificationConfirm } from '../platform/terminal.js';
import { idFromText } from '../platform/validate.js';
import type { Confirmation, DeliveryQueue, HeldDelivery } from './delivery-queue.js';
import type { MqttFigures } from './figures.js';
import { terminalOfConfirmTopic, type TerminalName } from './topics.js';

export interface ConfirmationLimits {
  /** Maximum confirmations that wait to be stored: in all, of one company, and of one terminal. */
  readonly all: number;
  readonly company: number;
  readonly terminal: number;
  /** Delay before retrying a batch that could not be stored. */
  readonly pauseMs: number;
}

export const CONFIRMATION_LIMITS: ConfirmationLimits = {
  ...{ all: 20_000, company: 10_000, terminal: 100 },
  pauseMs: SECOND,
};
const BATCH = 200;
/** Companies whose confirmations are stored concurrently: one may wait for other work of its company. */
const COMPANIES = 4;
const ATTEMPTS = 10;
const MAX_PAYLOAD_BYTES = 1_024;
/** Only the first hello of a terminal in each interval is handled (decisions.md#mqtt-hello). */
const HELLO_MS = 15 * SECOND;

interface Waiting {
  readonly companyId: number;
  readonly confirmations: Confirmation[];
  readonly byTerminal: Map<string, number>;
  /** Number of failed attempts to store the first batch. */
  failures: number;
}

/** Stores confirmations of terminals in batches of one company, round-robin over the companies. */
export class Confirmations {
  readonly #companies = new Map<number, Waiting>();
  /** Companies ready for their next batch, in that order: none is being stored or waits for its retry. */
  readonly #ready = new Set<Waiting>();
  readonly #storing = new Set<Promise<void>>();
  readonly #pauses = new Map<NodeJS.Timeout, () => void>();
  /** Terminals that have said hello since `#hellosSince`. */
  readonly #hellos = new Set<string>();
  #hellosSince = -Infinity;
  #total = 0;
  #isStopping = false;

  constructor(
    private readonly queue: Pick<DeliveryQueue<HeldDelivery>, 'confirm'>,
    private readonly figures: MqttFigures,
    private readonly onError: (error: unknown) => void,
    private readonly limits: ConfirmationLimits = CONFIRMATION_LIMITS,
  ) {}

  /** Receives a message from the broker. Never throws. */
  take(topic: string, payload: Buffer): void {
    const terminal = terminalOfConfirmTopic(topic);
    const event = eventOf(payload);
    if (terminal === null || event === null || (event === HELLO && !this.#isFirstHello(terminal))) {
      this.figures.confirmed('ignored');
      return;
    }
    const known = this.#companies.get(terminal.companyId);
    const waiting = known ?? newWaiting(terminal.companyId);
    if (this.#isFull(waiting, terminal.logicalNumber)) {
      this.figures.confirmed('dropped');
      return;
    }
    if (known === undefined) {
      this.#companies.set(terminal.companyId, waiting);
      this.#ready.add(waiting);
    }
    waiting.confirmations.push({ ...terminal, event: event === HELLO ? null : event });
    add(waiting.byTerminal, terminal.logicalNumber, 1);
    this.#total += 1;
    this.#storeNext();
  }

  /** Resolves when all waiting confirmations were stored or tried once more. */
  async finish(): Promise<void> {
    this.#isStopping = true;
    for (const end of [...this.#pauses.values()]) end();
    while (this.#storing.size > 0) await Promise.all(this.#storing);
  }

  #isFirstHello({ companyId, logicalNumber }: TerminalName): boolean {
    const now = systemClock.elapsed();
    if (now - this.#hellosSince >= HELLO_MS) {
      this.#hellosSince = now;
      this.#hellos.clear();
    }
    const name = `${companyId}/${logicalNumber}`;
    if (this.#hellos.has(name) || this.#hellos.size >= this.limits.all) return false;
    this.#hellos.add(name);
    return true;
  }

  #isFull({ confirmations, byTerminal }: Waiting, logicalNumber: string): boolean {
    const { all, company, terminal } = this.limits;
    const ofTerminal = byTerminal.get(logicalNumber) ?? 0;
    return this.#total >= all || confirmations.length >= company || ofTerminal >= terminal;
  }

  #storeNext(): void {
    while (this.#storing.size < COMPANIES) {
      const [waiting] = this.#ready;
      if (waiting === undefined) return;
      this.#ready.delete(waiting);
      const storing = this.#store(waiting).finally(() => {
        this.#storing.delete(storing);
        this.#storeNext();
      });
      this.#storing.add(storing);
    }
  }

  /**
   * Stores the next batch. Drops it after `ATTEMPTS` failures: terminals then get and confirm the messages
   * again.
   */
  async #store(waiting: Waiting): Promise<void> {
    // Waits so that confirmations of the same packet end up in one batch.
    await yieldToEventLoop();
    const batch = waiting.confirmations.slice(0, BATCH);
    try {
      const results = await this.queue.confirm(waiting.companyId, batch);
      for (const result of results) this.figures.confirmed(result);
    } catch (error) {
      waiting.failures += 1;
      if (waiting.failures === 1) this.onError(error);
      if (waiting.failures < ATTEMPTS && !this.#isStopping) {
        this.#pause(waiting);
        return;
      }
      this.figures.confirmed('failed', batch.length);
    }
    this.#forget(waiting, batch);
  }

  #forget(waiting: Waiting, batch: readonly Confirmation[]): void {
    waiting.failures = 0;
    waiting.confirmations.splice(0, batch.length);
    for (const { logicalNumber } of batch) add(waiting.byTerminal, logicalNumber, -1);
    this.#total -= batch.length;
    if (waiting.confirmations.length > 0) this.#ready.add(waiting);
    else this.#companies.delete(waiting.companyId);
  }

  #pause(waiting: Waiting): void {
    const end = (): void => {
      clearTimeout(timer);
      this.#pauses.delete(timer);
      this.#ready.add(waiting);
      this.#storeNext();
    };
    const timer = setTimeout(end, this.limits.pauseMs);
    this.#pauses.set(timer, end);
  }
}

const newWaiting = (companyId: number): Waiting => ({
  ...{ companyId, confirmations: [], byTerminal: new Map(), failures: 0 },
});

function add(counts: Map<string, number>, key: string, difference: number): void {
  const count = (counts.get(key) ?? 0) + difference;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

const HELLO = 'hello';

/**
 * Id in `{"type":"pnconf","event":"17"}`, parsed as over HTTP; `hello` for `{"type":"hello"}`; otherwise
 * null.
 */
export function eventOf(payload: Buffer): string | null {
  if (payload.length === 0 || payload.length > MAX_PAYLOAD_BYTES) return null;
  try {
    const value: unknown = JSON.parse(utf8.decode(payload));
    if (isObject(value) && 'type' in value && value.type === HELLO) return HELLO;
    const { event } = NotificationConfirm.parse(value);
    return idFromText(event) === undefined ? null : event;
  } catch {
    return null;
  }
}
