import type { Clock } from '../../../platform/clock.js';
import {
  BoundedWindowStore,
  type NamedLimits,
  type WindowStore,
} from '../../../platform/limits/window-store.js';

/** Rows that one node keeps for one store, besides those of windows that have ended. */
export const MAX_ROWS = 10_000;
/** Below this part of its limit, a key has no row: a flood of addresses makes none. */
const SHARED_FROM = 1 / 100;
/** Keys that wait to be asked for; others are asked for with their next event. */
const MAX_ASKED = 1_000;

/** What is exchanged of one key; with `events` 0, it is only asked for. */
export interface Message {
  readonly store: SharedWindowStore;
  readonly key: string;
  readonly events: number;
  readonly msLeft: number;
}

/** Windows in memory, which a node shares with the others. */
export class SharedWindowStore implements WindowStore {
  readonly #windows: BoundedWindowStore;
  readonly #sharedFrom: number;
  readonly #toWrite = new Set<string>();
  readonly #toRead = new Set<string>();
  /** When the windows of keys with a row end, in the time of `clock.elapsed()`. */
  readonly #rows = new Map<string, number>();

  constructor(
    readonly limits: NamedLimits,
    private readonly clock: Clock,
  ) {
    this.#windows = new BoundedWindowStore(limits, clock);
    this.#sharedFrom = Math.ceil(limits.points * SHARED_FROM);
  }

  async penalty(key: string): ReturnType<WindowStore['penalty']> {
    const result = await this.#windows.penalty(key);
    this.#mark(key);
    return result;
  }

  get(key: string): ReturnType<WindowStore['get']> {
    return this.#windows.get(key);
  }

  /** At most so many of the keys with news. */
  take(max: number): readonly Message[] {
    const messages: Message[] = [];
    for (const keys of [this.#toWrite, this.#toRead]) {
      for (const key of keys) {
        if (messages.length >= max) return messages;
        messages.push(this.messageOf(key));
      }
    }
    return messages;
  }

  /** Of this key, whether it has news or not. Its events count as shared from now on. */
  messageOf(key: string): Message {
    this.#toWrite.delete(key);
    this.#toRead.delete(key);
    const { unshared, msLeft } = this.#windows.read(key) ?? { unshared: 0, msLeft: 0 };
    const events = this.#isToWrite(key) && this.#hasRoom(key, msLeft) ? unshared : 0;
    this.#windows.share(key, events);
    return { store: this, key, events, msLeft };
  }

  /** It could not be written: it will be later. */
  restore({ key, events }: Message): void {
    this.#windows.share(key, -events);
    this.#mark(key);
  }

  learn(key: string, events: number, msLeft: number): void {
    this.#windows.learn(key, events, Math.min(msLeft, this.limits.windowMs));
  }

  #mark(key: string): void {
    if (this.#isToWrite(key)) {
      if (this.#toWrite.size < this.limits.maxKeys) this.#toWrite.add(key);
    } else if (this.#toRead.size < MAX_ASKED && !this.#isKnownOver(key)) this.#toRead.add(key);
  }

  #isToWrite(key: string): boolean {
    const window = this.#windows.read(key);
    return window !== null && window.count >= this.#sharedFrom && !this.#isKnownOver(key);
  }

  /** All nodes know that this key is over its limit, or can know it from the row. */
  #isKnownOver(key: string): boolean {
    const window = this.#windows.read(key);
    return window !== null && window.count - window.unshared > this.limits.points;
  }

  #hasRoom(key: string, msLeft: number): boolean {
    const now = this.clock.elapsed();
    if (!this.#rows.has(key) && this.#rows.size >= MAX_ROWS) {
      for (const [other, endsAt] of this.#rows) if (endsAt <= now) this.#rows.delete(other);
      if (this.#rows.size >= MAX_ROWS) return false;
    }
    this.#rows.set(key, now + msLeft);
    return true;
  }
}
