import { setTimeout as sleep } from 'node:timers/promises';

import { MINUTE, SECOND, systemClock, type Clock } from '../../../platform/clock.js';
import type {
  NamedLimits,
  WindowKey,
  WindowStore,
  WindowStores,
} from '../../../platform/limits/window-store.js';
import { RateLimitRows, UnknownOutcome } from './rate-limit-rows.js';
import { SharedWindowStore, type Message } from './shared-window-store.js';

const ROUND_MS = 250;
/** Maximum keys in one statement. */
const MAX_KEYS = 1_000;
/** Milliseconds that a sign-in waits for the counts of other nodes, and that one statement may take. */
const PATIENCE = { waitMs: 250, statementMs: SECOND };
const WARN_MS = MINUTE;
/**
 * Milliseconds after its end for which the row of a window is kept, because the clocks of nodes may differ.
 */
const KEPT_MS = MINUTE;
const MAX_DELETIONS = 20;

/**
 * Windows of limits, shared by all nodes through the table `rate_limits`. Each node counts in memory, and
 * exchanges its counts four times a second in one statement; only a sign-in waits for that. While PostgreSQL
 * does not answer, each node counts alone (decisions.md#shared-limits).
 */
export class SharedLimits implements WindowStores {
  readonly #rows: RateLimitRows;
  readonly #stores = new Map<string, SharedWindowStore>();
  #clock: Clock = systemClock;
  #timer: NodeJS.Timeout | undefined;
  /** Keys for which a caller waits, by their names in the table. */
  readonly #wanted = new Map<string, WindowKey>();
  #last = Promise.resolve();
  /** The exchange that begins when the last one has ended; null if none is requested. */
  #next: Promise<void> | null = null;
  #isAway = false;
  #failures = 0;
  #warnedAt = -Infinity;

  constructor(
    url: string,
    private readonly onUnshared: (error: unknown) => void = () => undefined,
    private readonly patience = PATIENCE,
  ) {
    this.#rows = new RateLimitRows(url, patience.statementMs);
  }

  /** Number of times that windows could not be shared, or not in time. */
  get failures(): number {
    return this.#failures;
  }

  windows(clock: Clock): WindowStores {
    this.#clock = clock;
    this.#timer ??= setInterval(() => void this.#sendNext(), ROUND_MS).unref();
    return this;
  }

  open(limits: NamedLimits): WindowStore {
    const store = new SharedWindowStore(limits, this.#clock);
    this.#stores.set(limits.name, store);
    return store;
  }

  async exchange(keys: readonly WindowKey[]): Promise<void> {
    for (const { name, key } of keys) {
      if (this.#wanted.size < MAX_KEYS) this.#wanted.set(`${name} ${key}`, { name, key });
    }
    if (this.#isAway) return;
    const sent = this.#sendNext();
    const waiting = new AbortController();
    const { waitMs } = this.patience;
    const late = sleep(waitMs, true, { signal: waiting.signal }).catch(() => false);
    const isLate = await Promise.race([late, sent.then(() => false)]);
    waiting.abort();
    if (isLate) this.#failed(new Error(`The windows of limits were not shared within ${waitMs} ms.`));
  }

  /** Deletes rows of windows that have ended. Never rejects. */
  async deleteEnded(): Promise<void> {
    if (this.#timer === undefined) return;
    const before = this.#clock.now().getTime() - KEPT_MS;
    try {
      for (let n = 0; n < MAX_DELETIONS && (await this.#rows.deleteEnded(before)); n += 1);
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Shares the remaining counts, and closes the connection. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await (this.#isAway ? this.#last : this.#sendNext());
    await this.#rows.close();
  }

  /** Sends one statement at a time. Messages that arrive meanwhile go into the next one. */
  #sendNext(): Promise<void> {
    this.#next ??= this.#last = this.#last.then(async () => {
      this.#next = null;
      await this.#send(this.#takeMessages());
    });
    return this.#next;
  }

  #takeMessages(): readonly Message[] {
    const messages = [...this.#wanted.values()].flatMap(
      ({ name, key }) => this.#stores.get(name)?.messageOf(key) ?? [],
    );
    this.#wanted.clear();
    for (const store of this.#stores.values()) messages.push(...store.take(MAX_KEYS - messages.length));
    return messages;
  }

  async #send(messages: readonly Message[]): Promise<void> {
    if (messages.length === 0) return;
    const byKey = new Map(messages.map((message) => [nameOf(message), message]));
    const now = this.#clock.now().getTime();
    const entries = [...byKey];
    const counted = entries.flatMap(([key, { events, msLeft }]) =>
      events === 0 ? [] : [{ key, points: events, expire: now + msLeft }],
    );
    const asked = entries.flatMap(([key, { events }]) => (events === 0 ? [key] : []));
    try {
      for (const { key, points, expire } of await this.#rows.exchange(counted, asked, now)) {
        const message = byKey.get(key);
        message?.store.learn(message.key, points, expire - this.#clock.now().getTime());
      }
      this.#isAway = false;
    } catch (error) {
      // After an unknown outcome, events are not sent again: they might count twice, which is worse than too
      // few.
      if (!(error instanceof UnknownOutcome)) for (const message of messages) message.store.restore(message);
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    this.#isAway = true;
    this.#failures += 1;
    const now = this.#clock.elapsed();
    if (now - this.#warnedAt < WARN_MS) return;
    this.#warnedAt = now;
    this.onUnshared(error);
  }
}

const nameOf = ({ store, key }: Message): string => `${store.limits.name} ${key}`;
