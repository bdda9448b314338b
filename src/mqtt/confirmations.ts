import { setTimeout as sleep } from 'node:timers/promises';

import { SECOND, systemClock } from '../platform/clock.js';
import type { Confirmation, DeliveryQueue, HeldDelivery } from './delivery-queue.js';
import type { MqttFigures } from './figures.js';
import { terminalOfConfirmTopic } from './topics.js';

export interface ConfirmationLimits {
  /** Confirmations that wait, of all companies, of one of them, and of one terminal. */
  readonly all: number;
  readonly company: number;
  readonly terminal: number;
  /** Before what could not be stored is tried again. */
  readonly pauseMs: number;
}

export const CONFIRMATION_LIMITS: ConfirmationLimits = {
  ...{ all: 20_000, company: 10_000, terminal: 100 },
  pauseMs: SECOND,
};
const BATCH = 200;
const ATTEMPTS = 10;
const MAX_PAYLOAD_BYTES = 1_024;

interface Waiting {
  readonly companyId: number;
  readonly confirmations: Confirmation[];
  readonly byTerminal: Map<string, number>;
  /** How often the first batch was tried, and when it may be tried again. */
  attempts: number;
  notBefore: number;
}

/** Stores what terminals confirm: in batches of one company, the companies by turns. */
export class Confirmations {
  /** The company whose turn is next is the first one. */
  readonly #companies = new Map<number, Waiting>();
  #total = 0;
  #running: Promise<void> | null = null;
  readonly #stopping = new AbortController();

  constructor(
    private readonly queue: Pick<DeliveryQueue<HeldDelivery>, 'confirm'>,
    private readonly figures: MqttFigures,
    private readonly onError: (error: unknown) => void,
    private readonly limits: ConfirmationLimits = CONFIRMATION_LIMITS,
  ) {}

  /** A message of the broker. Never throws. */
  take(topic: string, payload: Buffer): void {
    const terminal = terminalOfConfirmTopic(topic);
    const event = eventOf(payload);
    if (terminal === null || event === null) {
      this.figures.confirmed('ignored');
      return;
    }
    const waiting = this.#companies.get(terminal.companyId) ?? newWaiting(terminal.companyId);
    if (this.#isFull(waiting, terminal.logicalNumber)) {
      this.figures.confirmed('dropped');
      return;
    }
    this.#companies.set(terminal.companyId, waiting);
    waiting.confirmations.push({ ...terminal, event });
    add(waiting.byTerminal, terminal.logicalNumber, 1);
    this.#total += 1;
    this.#running ??= this.#storeAll().finally(() => {
      this.#running = null;
    });
  }

  /** Resolves when what waits was stored, or was tried once more. */
  async finish(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  #isFull({ confirmations, byTerminal }: Waiting, logicalNumber: string): boolean {
    const { all, company, terminal } = this.limits;
    const ofTerminal = byTerminal.get(logicalNumber) ?? 0;
    return this.#total >= all || confirmations.length >= company || ofTerminal >= terminal;
  }

  async #storeAll(): Promise<void> {
    while (this.#companies.size > 0) {
      const waiting = await this.#next();
      this.#companies.delete(waiting.companyId);
      this.#companies.set(waiting.companyId, waiting);
      await this.#store(waiting);
      if (waiting.confirmations.length === 0) this.#companies.delete(waiting.companyId);
    }
  }

  async #next(): Promise<Waiting> {
    const all = [...this.#companies.values()];
    const first = all.reduce((left, right) => (right.notBefore < left.notBefore ? right : left));
    const now = systemClock.elapsed();
    const ready = all.find(({ notBefore }) => notBefore <= now);
    if (ready !== undefined) return ready;
    const { signal } = this.#stopping;
    await sleep(first.notBefore - now, undefined, { signal }).catch(() => undefined);
    return first;
  }

  /** What cannot be stored is given up at last: its terminal gets the message again, and confirms it again. */
  async #store(waiting: Waiting): Promise<void> {
    const batch = waiting.confirmations.slice(0, BATCH);
    try {
      const results = await this.queue.confirm(waiting.companyId, batch);
      for (const result of results) this.figures.confirmed(result);
    } catch (error) {
      waiting.attempts += 1;
      waiting.notBefore = systemClock.elapsed() + this.limits.pauseMs;
      if (waiting.attempts === 1) this.onError(error);
      if (waiting.attempts < ATTEMPTS && !this.#stopping.signal.aborted) return;
      this.figures.confirmed('failed', batch.length);
    }
    waiting.attempts = 0;
    waiting.confirmations.splice(0, batch.length);
    for (const { logicalNumber } of batch) add(waiting.byTerminal, logicalNumber, -1);
    this.#total -= batch.length;
  }
}

const newWaiting = (companyId: number): Waiting => ({
  ...{ companyId, confirmations: [], byTerminal: new Map(), attempts: 0 },
  notBefore: -Infinity,
});

function add(counts: Map<string, number>, key: string, difference: number): void {
  const count = (counts.get(key) ?? 0) + difference;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}

/** The id in `{"type":"pnconf","event":"17"}`; null for anything else. */
export function eventOf(payload: Buffer): string | null {
  if (payload.length === 0 || payload.length > MAX_PAYLOAD_BYTES) return null;
  try {
    const value: unknown = JSON.parse(payload.toString('utf8'));
    if (typeof value !== 'object' || value === null) return null;
    const { type, event } = value as { readonly type?: unknown; readonly event?: unknown };
    return type === 'pnconf' && typeof event === 'string' && /^[1-9][0-9]{0,15}$/.test(event) ? event : null;
  } catch {
    return null;
  }
}
