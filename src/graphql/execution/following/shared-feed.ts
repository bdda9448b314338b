import { createHash } from 'node:crypto';

import type { Units } from '../../../database/work.js';
import { systemClock } from '../../../platform/clock.js';
import { gather, yieldToEventLoop } from '../../../platform/concurrency/event-loop.js';
import type { Caller } from '../../../platform/requests.js';
import { MAX_IDS, PAGE_BYTES, readPage, type Identified, type Page, type Source } from './page.js';

/** Poll interval: finds records that other processes wrote. */
const POLL_MS = 1_500;
/** Minimum time between two reads, so that records committed shortly after each other are read together. */
const INTERVAL_MS = 20;
/** Minimum time between two reads per subscriber: events written to a connection together cost less. */
const INTERVAL_OF_EACH_MS = 0.75;
const MAX_INTERVAL_MS = 250;
/** Maximum pages in memory; pages of a filtered feed may have no records. */
const MAX_PAGES = 16;
const WOKEN_PER_TURN = 64;

/** Maximum characters of the texts in memory for one page; a single longer text is allowed. */
const MAX_TEXTS = 256 * 1024;

export interface SharedPage<T> extends Page<T> {
  readonly texts: SharedTexts;
  /** Commit time of the oldest record. */
  readonly arrivedAt: number;
}

export interface Member {
  readonly caller: Caller;
  readonly cursor: number;
}

/**
 * The newest records of a table that meet a condition, read once for all subscribers of a company that have read up to
 * the same id. The next page is read when all woken members have taken the current one. A page goes when all wait for
 * the next, or newer pages exceed the limit: a subscriber whose client reads slowly then reads for itself.
 */
export class SharedFeed<T extends Identified> {
  #pages: SharedPage<T>[] = [];
  /** Id up to which the feed has read; null if the next read starts at the cursor of a member. */
  #upTo: number | null = null;
  #last = 0;
  readonly #members = new Set<Member>();
  readonly #waiting = new Map<Member, (hasPage: boolean) => void>();
  /** Members that were woken for a page and have not taken it. */
  readonly #woken = new Set<Member>();
  #isReading = false;
  #readAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Infinity;
  /** Commit times of the oldest record not yet read, and of the oldest found since the feed was last at the end. */
  #arrivedAt: number | null = null;
  #foundAt: number | null = null;
  readonly #unsubscribe: () => void;

  constructor(
    private readonly units: Units,
    companyId: number,
    private readonly source: Source<T>,
    private readonly onEmpty: () => void,
  ) {
    this.#unsubscribe = units.onCommitted((entries) => {
      if (entries?.some((entry) => entry.companyId === companyId) === false) return;
      this.#arrivedAt ??= systemClock.elapsed();
      this.#schedule();
    });
  }

  join(member: Member): void {
    this.#members.add(member);
  }

  leave(member: Member): void {
    this.#members.delete(member);
    this.#waiting.delete(member);
    this.#woken.delete(member);
    if (this.#members.size > 0) {
      this.#schedule();
      return;
    }
    clearTimeout(this.#timer);
    this.#unsubscribe();
    this.onEmpty();
  }

  /** The page with the next records of a member; null if there is none. */
  take(member: Member): SharedPage<T> | null {
    const { cursor } = member;
    this.#woken.delete(member);
    this.#schedule();
    return this.#pages.find(({ after, upTo }) => after <= cursor && cursor < upTo) ?? null;
  }

  /** True if a member has all records that the feed has read, and can wait for the next page. */
  hasRead({ cursor }: Member): boolean {
    return this.#upTo !== null && this.#upTo <= cursor;
  }

  /** Commit time of the oldest record that a member does not have; null if there is none. */
  waitingSince({ cursor }: Member): number | null {
    const page = this.#pages.find(({ upTo, records }) => cursor < upTo && records.length > 0);
    return page?.arrivedAt ?? this.#foundAt ?? this.#arrivedAt;
  }

  /** Resolves to true when there is a page for the member; to false after `POLL_MS`, or if it must read alone. */
  async wait(member: Member, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    if (this.#upTo !== null && member.cursor < this.#upTo) return true;
    return await new Promise<boolean>((resolve) => {
      const end = (hasPage: boolean): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', stop);
        this.#waiting.delete(member);
        resolve(hasPage);
      };
      const stop = (): void => end(false);
      const timer = setTimeout(stop, POLL_MS);
      signal.addEventListener('abort', stop);
      this.#waiting.set(member, end);
      if (this.#waiting.size === this.#members.size) this.#pages = [];
      this.#schedule();
    });
  }

  get #isReady(): boolean {
    return !this.#isReading && this.#waiting.size > 0 && this.#woken.size === 0;
  }

  #schedule(): void {
    if (!this.#isReady) return;
    const at = this.#nextAt();
    if (this.#timerAt <= at) return;
    clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = setTimeout(
      () => {
        this.#timerAt = Infinity;
        if (this.#isReady) void this.#read();
      },
      Math.max(0, at - systemClock.elapsed()),
    );
  }

  #nextAt(): number {
    if (this.#upTo === null) return this.#readAt + INTERVAL_MS;
    if (this.#upTo < this.#last) return -Infinity;
    const each = this.#members.size * INTERVAL_OF_EACH_MS;
    const interval = Math.min(MAX_INTERVAL_MS, Math.max(INTERVAL_MS, each));
    return this.#readAt + (this.#arrivedAt === null ? POLL_MS : interval);
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    this.#readAt = systemClock.elapsed();
    this.#foundAt ??= this.#arrivedAt;
    this.#arrivedAt = null;
    const [first] = this.#waiting.keys();
    const after = this.#start();
    try {
      if (first === undefined) return;
      await gather();
      this.#publish(await readPage(this.units, first.caller, this.source, after));
      await this.#wake();
    } catch {
      // Each member gets the error that concerns it, for example EVENTS_GONE after its own cursor.
      this.#upTo = null;
      this.#pages = [];
      this.#waiting.forEach((end) => end(false));
    } finally {
      this.#isReading = false;
      this.#schedule();
    }
  }

  /** Id after which the next read starts: the last one read, or that of the members if far ahead. */
  #start(): number {
    let lowest = Infinity;
    for (const { cursor } of this.#waiting.keys()) lowest = Math.min(lowest, cursor);
    return this.#upTo !== null && lowest - this.#upTo <= MAX_IDS ? this.#upTo : lowest;
  }

  #publish(page: Page<T>): void {
    if (page.after !== this.#upTo) this.#pages = [];
    this.#upTo = page.upTo;
    this.#last = page.last;
    if (page.upTo > page.after) {
      // Another process wrote the records: no commit was reported.
      this.#foundAt ??= this.#readAt;
      this.#pages.push({ ...page, texts: new SharedTexts(), arrivedAt: this.#foundAt });
      this.#trim();
    }
    if (page.upTo === page.last) this.#foundAt = null;
  }

  /** Wakes the waiting members that do not have the latest page. */
  async #wake(): Promise<void> {
    const upTo = this.#upTo ?? 0;
    let count = 0;
    for (const [member, end] of this.#waiting) {
      if (member.cursor >= upTo) continue;
      this.#woken.add(member);
      end(true);
      if ((count += 1) % WOKEN_PER_TURN === 0) await yieldToEventLoop();
    }
  }

  #trim(): void {
    let bytes = this.#pages.reduce((sum, page) => sum + page.bytes, 0);
    while (this.#pages.length > 1 && (bytes > PAGE_BYTES || this.#pages.length > MAX_PAGES)) {
      bytes -= this.#pages.shift()?.bytes ?? 0;
    }
  }
}

type Text = string | null;

/** The texts of the events of one page: each is made once for all subscribers that get the same. */
export class SharedTexts {
  readonly #texts = new Map<string, Text | Promise<Text>>();
  #length = 0;

  /** Text of an event for all subscribers with this key, a promise only while `make` runs; null if it is not shared. */
  of(key: string, id: number, make: () => Promise<Text>): Text | Promise<Text> {
    const name = `${id} ${key}`;
    const text = this.#texts.get(name) ?? this.#made(name, make);
    this.#texts.set(name, text);
    return text;
  }

  async #made(name: string, make: () => Promise<Text>): Promise<Text> {
    const text = await make().catch(() => null);
    this.#length += text?.length ?? 0;
    if (this.#length > MAX_TEXTS) {
      // Subscribers that ask for the other texts later make them again.
      this.#texts.clear();
      this.#length = text?.length ?? 0;
    }
    this.#texts.set(name, text);
    return text;
  }
}

/** The feeds that have subscribers, one for each company, table and condition. */
export class SharedFeeds {
  readonly #feeds = new Map<string, SharedFeed<Identified>>();

  constructor(private readonly units: Units) {}

  /** The feed of a member's company. It is dropped when its last member leaves. */
  join<T extends Identified>(member: Member, source: Source<T>): SharedFeed<T> {
    const { companyId } = member.caller;
    const { newRows, condition } = source;
    const hash = createHash('sha256').update(JSON.stringify(condition)).digest('base64');
    const key = `${companyId} ${newRows.name} ${hash}`;
    const feed =
      (this.#feeds.get(key) as SharedFeed<T> | undefined) ??
      new SharedFeed<T>(this.units, companyId, source, () => this.#feeds.delete(key));
    this.#feeds.set(key, feed);
    feed.join(member);
    return feed;
  }
}
