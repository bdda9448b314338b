import type { Clock } from '../../platform/clock.js';
import {
  BoundedWindowStore,
  type NamedLimits,
  type WindowState,
  type WindowStore,
} from '../../platform/limits/windows.js';

/** Maximum rows that one node writes for one store, apart from those whose windows have ended. */
export const MAX_ROWS = 10_000;
/** Share of its limit from which on a key has a row, so that a flood of addresses creates no rows. */
const SHARED_FROM = 1 / 100;
/** Maximum keys that wait to be read; others are read after their next event. */
const MAX_ASKED = 1_000;

/** Events of a key to add to its row; with `events` 0, the key is only read. */
export interface Message {
  readonly store: SharedWindowStore;
  readonly key: string;
  readonly events: number;
  readonly msLeft: number;
}

/** Windows in memory that a node shares with other nodes. */
export class SharedWindowStore implements WindowStore {
  readonly #windows: BoundedWindowStore;
  readonly #sharedFrom: number;
  readonly #toWrite = new Set<string>();
  readonly #toRead = new Set<string>();
  /** Ends of the windows with a row, by key, on the clock of `clock.elapsed()`. */
  readonly #rows = new Map<string, number>();

  constructor(
    readonly limits: NamedLimits,
    private readonly clock: Clock,
  ) {
    this.#windows = new BoundedWindowStore(limits, clock);
    this.#sharedFrom = Math.ceil(limits.points * SHARED_FROM);
  }

  count(key: string): WindowState {
    const state = this.#windows.count(key);
    this.#mark(key);
    return state;
  }

  read(key: string): WindowState | null {
    return this.#windows.read(key);
  }

  /** Messages of keys with news, at most `max`. */
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

  /** The message of a key, whether it has news or not. Its events count as shared from now on. */
  messageOf(key: string): Message {
    this.#toWrite.delete(key);
    this.#toRead.delete(key);
    const { unshared, msLeft } = this.#windows.read(key) ?? { unshared: 0, msLeft: 0 };
    const events = this.#isToWrite(key) && this.#hasRoom(key, msLeft) ? unshared : 0;
    this.#windows.share(key, events);
    return { store: this, key, events, msLeft };
  }

  /** Takes back a message that could not be sent; it is sent later. */
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

  /** Whether all nodes know that the key is over its limit, or can read it from the row. */
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
