import type { Units } from '../../../database/work.js';
import { demandScope, type Caller, type Scope } from '../../../platform/caller.js';
import { systemClock } from '../../../platform/clock.js';
import { enterEventLoop } from '../../../platform/concurrency/event-loop.js';
import type { SubscriptionRequest } from '../request.js';
import { readPage, type Identified, type Page, type Source } from './page.js';
import type { Member, SharedFeed, SharedPage } from './shared-feed.js';
import type { SharedTexts } from './shared-texts.js';

/** Events for the subscriber. It sends them before it asks for the next ones. */
export interface Events<T> {
  readonly records: readonly T[];
  /** Texts of these events, shared with other subscribers; null if only this subscriber read the records. */
  readonly texts: SharedTexts | null;
  /** Checks the token before events are sent. Returns the caller. Errors: `unauthenticated`, `forbidden`. */
  readonly permitted: () => Promise<Caller>;
}

/** First cursor of a subscriber, and the last id of its company at that time. */
interface Start {
  readonly caller: Caller;
  readonly cursor: number;
  readonly last: number;
}

/** Events of one subscriber: from the shared feed if it has them, otherwise read for it alone. */
export class Feed<T extends Identified> implements Member {
  /** Id of the last record that was sent, or passed because the filter excludes it. */
  cursor: number;
  caller: Caller;
  /** Whether this subscriber's own reads have reached the last id of the company. */
  #isAtEnd: boolean;
  /** Commit time of the oldest record that was found but not sent; null if there is none. */
  #foundAt: number | null = null;

  constructor(
    private readonly units: Units,
    private readonly subscription: SubscriptionRequest,
    private readonly source: Source<T> & { readonly scope: Scope },
    private readonly shared: () => SharedFeed<T>,
    { caller, cursor, last }: Start,
  ) {
    this.caller = caller;
    this.cursor = cursor;
    this.#isAtEnd = cursor === last;
  }

  async *events(): AsyncGenerator<Events<T>> {
    const { signal } = this.subscription;
    const shared = this.shared();
    shared.join(this);
    const untrack = this.subscription.track(() => this.#foundAt ?? shared.waitingSince(this));
    try {
      while (!signal.aborted) {
        const page = await this.#nextPage(shared);
        if (page === null) continue;
        const records = page.records.filter(({ id }) => id > this.cursor);
        if (records.length > 0) yield { records, texts: textsOf(page), permitted: this.#permitted };
        this.cursor = page.upTo;
      }
    } finally {
      untrack();
      shared.leave(this);
    }
  }

  async #nextPage(shared: SharedFeed<T>): Promise<Page<T> | SharedPage<T> | null> {
    // One commit can have events for many subscribers.
    await enterEventLoop();
    const page = shared.take(this);
    if (page !== null) {
      this.#foundAt ??= page.arrivedAt;
      if (page.records.length === 0) await this.#permitted();
      return page;
    }
    if (!this.#isAtEnd && !shared.hasRead(this)) return await this.#ownPage(shared);
    this.#isAtEnd = false;
    this.#foundAt = null;
    const reason = await shared.wait(this, this.subscription.signal);
    if (reason === 'page') return null;
    // The wait ends for many subscribers at the same time.
    await enterEventLoop();
    if (reason === 'alone') return await this.#ownPage(shared);
    await this.#permitted();
    return null;
  }

  async #ownPage(shared: SharedFeed<T>): Promise<Page<T>> {
    const caller = await this.#permitted();
    this.#foundAt ??= shared.waitingSince(this) ?? systemClock.elapsed();
    const page = await readPage(this.units, caller, this.source, this.cursor);
    this.#isAtEnd = page.upTo === page.last;
    return page;
  }

  readonly #permitted = async (): Promise<Caller> => {
    this.caller = await this.subscription.caller();
    demandScope(this.caller, this.source.scope);
    return this.caller;
  };
}

const textsOf = (page: Page<unknown> | SharedPage<unknown>): SharedTexts | null =>
  'texts' in page ? page.texts : null;
