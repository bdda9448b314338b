import type { Units } from '../../../database/work.js';
import { demandScope, type Caller, type Scope } from '../../../platform/caller.js';
import { systemClock } from '../../../platform/clock.js';
import { enterEventLoop } from '../../../platform/concurrency/event-loop.js';
import type { SubscriptionRequest } from '../request.js';
import { readPage, type Identified, type Page, type Source } from './page.js';
import type { Member, SharedFeed, SharedPage } from './shared-feed.js';
import type { SharedTexts } from './shared-texts.js';

/** Events to be sent before the next ones are asked for. */
export interface Events<T> {
  readonly records: readonly T[];
  /** Texts of these events that several subscribers send; null where they were read for this one alone. */
  readonly texts: SharedTexts | null;
  /** To be called before events are sent. The caller as it is now. Errors: `unauthenticated`, `forbidden`. */
  readonly permitted: () => Promise<Caller>;
}

/** The first cursor of a subscriber, and the last id of its company then. */
interface Start {
  readonly caller: Caller;
  readonly cursor: number;
  readonly last: number;
}

/** What one subscriber gets: from the shared feed where that has it, otherwise read for itself. */
export class Feed<T extends Identified> implements Member {
  /** Id of the last record that was sent, or passed because the filter excludes it. */
  cursor: number;
  caller: Caller;
  /** Whether it has read for itself up to the last id. */
  #isAtEnd: boolean;
  /** When the oldest record was committed that it has, but has not sent. */
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
    // For many subscribers the time is over at once.
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
