import type { Units } from '../../../database/work.js';
import type { Caller } from '../../../platform/caller.js';
import { systemClock } from '../../../platform/clock.js';
import { enterEventLoop, workFor, yieldToEventLoop } from '../../../platform/concurrency/event-loop.js';
import { MAX_IDS, PAGE_BYTES, readPage, type Identified, type Page, type Source } from './page.js';
import { SharedTexts } from './shared-texts.js';

/** Poll interval: finds records that other processes wrote. */
const POLL_MS = 1_500;
/** The least time between two reads, so that records which follow each other are read together. */
const INTERVAL_MS = 20;
/** The same for each of many subscribers: events that are written to a connection together cost less. */
const INTERVAL_OF_EACH_MS = 0.75;
const MAX_INTERVAL_MS = 250;
/** Most pages that are kept; with a condition they may have no records. */
const MAX_PAGES = 16;
/** Members that are woken in one turn of the event loop. */
const WOKEN_PER_TURN = 64;

/** A page that several subscribers send. */
export interface SharedPage<T> extends Page<T> {
  readonly texts: SharedTexts;
  /** When the oldest of its records was committed. */
  readonly arrivedAt: number;
}

/** A subscriber of the feed. */
export interface Member {
  readonly caller: Caller;
  /** The id up to which it has the records. */
  readonly cursor: number;
}

/** Why a member continues: there is a page for it, there was nothing for a while, or it has to read for itself. */
export type Reason = 'page' | 'nothing' | 'alone';

/**
 * The newest records of one table of a company that meet one condition, read once for all subscribers that have those
 * before. A page is kept until all of them wait for the next one, or until newer pages take its place: a subscriber
 * whose client reads slowly then reads for itself. The next page is read when each subscriber that waited for the one
 * before has taken it.
 */
export class SharedFeed<T extends Identified> {
  #pages: SharedPage<T>[] = [];
  /** The id up to which it has read; null where the next read begins at the cursor of a member. */
  #upTo: number | null = null;
  /** The last id of the company when it read last. */
  #last = 0;
  readonly #members = new Set<Member>();
  readonly #waiting = new Map<Member, (reason: Reason) => void>();
  /** Those that were woken for a page and have not taken it. */
  readonly #woken = new Set<Member>();
  #isReading = false;
  #readAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Infinity;
  /** When the oldest record was committed that came after the latest read, and that this read or one before it found. */
  #arrivedAt: number | null = null;
  #foundAt: number | null = null;
  readonly #unsubscribe: () => void;

  constructor(
    private readonly units: Units,
    private readonly companyId: number,
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

  /** The page with the next records for a member; null where there is none. */
  take(member: Member): SharedPage<T> | null {
    const { cursor } = member;
    this.#woken.delete(member);
    this.#schedule();
    return this.#pages.find(({ after, upTo }) => after <= cursor && cursor < upTo) ?? null;
  }

  /** Whether a member has all that was read: it can wait for the next page. */
  hasRead({ cursor }: Member): boolean {
    return this.#upTo !== null && this.#upTo <= cursor;
  }

  /** When the oldest record was committed that a member does not have; null if there is none. */
  waitingSince({ cursor }: Member): number | null {
    const page = this.#pages.find(({ upTo, records }) => cursor < upTo && records.length > 0);
    return page?.arrivedAt ?? this.#foundAt ?? this.#arrivedAt;
  }

  /** Resolves when there is a page for the member, after `POLL_MS` at the latest. */
  async wait(member: Member, signal: AbortSignal): Promise<Reason> {
    if (signal.aborted) return 'nothing';
    if (this.#upTo !== null && member.cursor < this.#upTo) return 'page';
    return await new Promise<Reason>((resolve) => {
      const end = (reason: Reason): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', stop);
        this.#waiting.delete(member);
        resolve(reason);
      };
      const stop = (): void => end('nothing');
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

  /** Reads once there is something to read for those that wait. */
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

  /** When the next read is due. */
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
      await workFor({ party: this.companyId, client: this }, async () => {
        await enterEventLoop();
        this.#publish(await readPage(this.units, first.caller, this.source, after));
        await this.#wake();
      });
    } catch {
      // Each member gets the error that concerns it, for example EVENTS_GONE after its own cursor.
      this.#upTo = null;
      this.#pages = [];
      this.#waiting.forEach((end) => end('alone'));
    } finally {
      this.#isReading = false;
      this.#schedule();
    }
  }

  /** The id after which it reads: where it is far behind all that wait, the one after which they need records. */
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
      // Another process wrote what was not reported.
      this.#foundAt ??= this.#readAt;
      this.#pages.push({ ...page, texts: new SharedTexts(), arrivedAt: this.#foundAt });
      this.#trim();
    }
    if (page.upTo === page.last) this.#foundAt = null;
  }

  /** Wakes the members for which there are records. */
  async #wake(): Promise<void> {
    const upTo = this.#upTo ?? 0;
    let count = 0;
    for (const [member, end] of this.#waiting) {
      if (member.cursor >= upTo) continue;
      this.#woken.add(member);
      end('page');
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
