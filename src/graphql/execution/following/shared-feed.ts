import { createHash } from 'node:crypto';

import type { Units } from '../../../database/work.js';
import { systemClock } from '../../../platform/clock.js';
import { yieldToEventLoop } from '../../../platform/concurrency/event-loop.js';
import type { Caller } from '../../../platform/requests.js';
import { PAGE_BYTES, readPage, type Identified, type Page, type Source } from './page.js';

/** Poll interval: finds records that other processes wrote. */
const POLL_MS = 1_500;
/** Minimum time between two wake-ups, so that records committed shortly after each other are read together. */
const INTERVAL_MS = 20;
/** Minimum time between two wake-ups per subscriber: events written to a connection together cost less. */
const INTERVAL_OF_EACH_MS = 0.75;
const MAX_INTERVAL_MS = 250;
/** Maximum pages in memory; pages of a filtered feed may have no records. */
const MAX_PAGES = 16;
const WOKEN_PER_TURN = 64;

export interface SharedPage<T> extends Page<T> {
  /** Number of the wake-up after which it was read. */
  readonly wake: number;
  /** Commit time of the oldest record that was not read before. */
  readonly arrivedAt: number;
}

/** A page that is in memory, or being read. */
interface Read<T> extends Pick<Page<T>, 'after'> {
  readonly wake: number;
  readonly page: Promise<SharedPage<T>>;
  /** While it is being read, as if it had one record. */
  upTo: number;
  bytes: number;
}

/**
 * The newest records of a table that meet a condition, for all subscribers of a company. A commit wakes those that wait.
 * Each asks for the page after its cursor: the first to ask reads it, and the others get the same page. A subscriber that is
 * behind the pages in memory, such as one whose client reads slowly, reads for itself.
 */
export class SharedFeed<T extends Identified> {
  #reads: Read<T>[] = [];
  /** Id up to which subscribers have read. */
  #upTo = 0;
  #members = 0;
  readonly #waiting = new Set<() => void>();
  /** Number of wake-ups. */
  #wakes = 0;
  #wokenAt = systemClock.elapsed();
  /** Commit time of the oldest record since the last wake-up, and of that for which it came; null if there is none. */
  #committedAt: number | null = null;
  #wokenFor: number | null = null;
  #timer: NodeJS.Timeout | undefined;
  readonly #unsubscribe: () => void;

  constructor(
    private readonly units: Units,
    companyId: number,
    private readonly source: Source<T>,
    private readonly onEmpty: () => void,
  ) {
    this.#unsubscribe = units.onCommitted((entries) => {
      if (this.#committedAt !== null) return;
      if (entries?.some((entry) => entry.companyId === companyId) === false) return;
      this.#committedAt = systemClock.elapsed();
      this.#schedule();
    });
    this.#schedule();
  }

  /** Commit time of the oldest record for which nobody was woken yet; null if there is none. */
  get committedAt(): number | null {
    return this.#committedAt;
  }

  join(): void {
    this.#members += 1;
  }

  leave(): void {
    this.#members -= 1;
    if (this.#members > 0) return;
    clearTimeout(this.#timer);
    this.#unsubscribe();
    this.onEmpty();
  }

  /** The next page after the cursor; an empty one if no record has come since. Errors: EVENTS_GONE. */
  async read(caller: Caller, cursor: number): Promise<SharedPage<T>> {
    const read = this.#reads.find(({ after, upTo, wake }) => {
      return after <= cursor && (cursor < upTo || (cursor === after && wake === this.#wakes));
    });
    if (read === undefined) return await this.#page(caller, cursor);
    // A read that failed for another one may succeed now.
    return await read.page.catch(() => this.read(caller, cursor));
  }

  /**
   * Waits for the next wake-up, unless there was one since the one with this number. Resolves to the commit time of the
   * oldest record for which it came; null if it came for none.
   */
  async wait(wake: number, signal: AbortSignal): Promise<number | null> {
    if (wake < this.#wakes || signal.aborted) return this.#wokenFor;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const end = (): void => resolve(undefined);
    this.#waiting.add(end);
    if (this.#waiting.size === this.#members) this.#reads = [];
    signal.addEventListener('abort', end);
    await promise;
    signal.removeEventListener('abort', end);
    this.#waiting.delete(end);
    return this.#wokenFor;
  }

  #page(caller: Caller, after: number): Promise<SharedPage<T>> {
    const [wake, arrivedAt] = [this.#wakes, this.#wokenFor ?? systemClock.elapsed()];
    const reading = readPage(this.units, caller, this.source, after);
    const page = reading.then((found) => ({ ...found, wake, arrivedAt }));
    if (after >= this.#upTo) this.#share({ after, wake, page, upTo: after + 1, bytes: 0 }, reading);
    return page;
  }

  #share(read: Read<T>, reading: Promise<Page<T>>): void {
    this.#reads.push(read);
    this.#upTo = read.after;
    reading.then(
      ({ upTo, bytes }) => {
        [read.upTo, read.bytes] = [upTo, bytes];
        this.#upTo = Math.max(this.#upTo, upTo);
        this.#trim();
      },
      () => (this.#reads = this.#reads.filter((each) => each !== read)),
    );
  }

  #trim(): void {
    let bytes = this.#reads.reduce((sum, read) => sum + read.bytes, 0);
    while (this.#reads.length > 1 && (bytes > PAGE_BYTES || this.#reads.length > MAX_PAGES)) {
      bytes -= this.#reads.shift()?.bytes ?? 0;
    }
  }

  /** Plans the next wake-up: soon for a commit, else at the next poll. */
  #schedule(): void {
    const each = this.#members * INTERVAL_OF_EACH_MS;
    const interval = Math.min(MAX_INTERVAL_MS, Math.max(INTERVAL_MS, each));
    const at = this.#wokenAt + (this.#committedAt === null ? POLL_MS : interval);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#wake(), Math.max(0, at - systemClock.elapsed()));
  }

  async #wake(): Promise<void> {
    this.#wakes += 1;
    this.#wokenAt = systemClock.elapsed();
    this.#wokenFor = this.#committedAt;
    this.#committedAt = null;
    this.#schedule();
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const [index, end] of waiting.entries()) {
      if (index > 0 && index % WOKEN_PER_TURN === 0) await yieldToEventLoop();
      end();
    }
  }
}

/** The feeds that have subscribers, one for each company, table and condition. */
export class SharedFeeds {
  readonly #feeds = new Map<string, SharedFeed<Identified>>();

  constructor(private readonly units: Units) {}

  /** The feed of a company. It is dropped when its last subscriber leaves. */
  join<T extends Identified>(companyId: number, source: Source<T>): SharedFeed<T> {
    const { newRows, condition } = source;
    const hash = createHash('sha256').update(JSON.stringify(condition)).digest('base64');
    const key = `${companyId} ${newRows.name} ${hash}`;
    const feed =
      (this.#feeds.get(key) as SharedFeed<T> | undefined) ??
      new SharedFeed<T>(this.units, companyId, source, () => this.#feeds.delete(key));
    this.#feeds.set(key, feed);
    feed.join();
    return feed;
  }
}
