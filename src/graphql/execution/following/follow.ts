import { GraphQLError } from 'graphql';

import type { Units } from '../../../database/work.js';
import type { WaitingSince } from '../../../http/monitoring/operations.js';
import { systemClock } from '../../../platform/clock.js';
import { gather } from '../../../platform/concurrency/event-loop.js';
import { requireScope, type Caller, type Scope } from '../../../platform/requests.js';
import { requestError } from '../../schema/errors.js';
import { requireNoGap, readPage, type Identified, type Page, type Source } from './page.js';
import {
  SharedTexts,
  type Member,
  type SharedFeed,
  type SharedFeeds,
  type SharedPage,
} from './shared-feed.js';

export interface SubscriptionRequest {
  /** Authenticates again. Each event is executed for the caller returned here. Errors: `unauthenticated`. */
  readonly caller: () => Promise<Caller>;
  readonly signal: AbortSignal;
  /** `Last-Event-ID`: the last event that the client received; null if its transport does not report it. */
  readonly lastSeen: number | null;
  /** Makes the subscriber's delay part of the metrics, until the returned function is called. */
  readonly track: (waitingSince: WaitingSince) => () => void;
}

export interface Followed<T> extends Source<T> {
  /** Required scope; checked before events are sent. */
  readonly scope: Scope;
  /** Only records with a greater id are sent; null for records recorded from now on. */
  readonly after: number | null;
}

/** Events for the subscriber. It sends them before it asks for the next ones. */
export interface Events<T> {
  readonly records: readonly T[];
  /** Texts of these events, shared with other subscribers; null if only this subscriber read the records. */
  readonly texts: SharedTexts | null;
  /** Checks the token before events are sent. Returns the caller. Errors: `unauthenticated`, `forbidden`. */
  readonly permitted: () => Promise<Caller>;
}

/**
 * Records in the order of their ids, without a gap or a repeat, until the client leaves or loses its scope. They are
 * read when the next ones are asked for, once for all subscribers that wait (decisions.md#subscriptions). Errors:
 * BAD_USER_INPUT, EVENTS_AHEAD and EVENTS_GONE for a wrong `after`; later also `unauthenticated`, `forbidden`.
 */
export async function follow<T extends Identified>(
  { units, feeds }: { readonly units: Units; readonly feeds: SharedFeeds },
  subscription: SubscriptionRequest,
  followed: Followed<T>,
): Promise<AsyncIterable<Events<T>>> {
  const { newRows, after } = followed;
  const caller = await subscription.caller();
  const span = await units.systemRead((work) => newRows.span(work, caller.companyId));
  const { last } = span;
  const cursor = subscription.lastSeen ?? after ?? last;
  if (cursor < 0) throw requestError(`after must be 0 or more, not ${cursor}.`);
  if (cursor > last) throw eventsAhead(cursor, last);
  requireNoGap(span, cursor);
  return new Subscriber(units, subscription, followed, caller, cursor, last).events(feeds);
}

/** Events of one subscriber: from the shared feed if it has them, otherwise read for it alone. */
class Subscriber<T extends Identified> implements Member {
  /** True if this subscriber's own reads have reached the last id of the company. */
  #isAtEnd: boolean;
  /** Commit time of the oldest record that was found but not sent; null if there is none. */
  #foundAt: number | null = null;
  /** Number of the last look whose records were sent; null before the first. */
  #looked: number | null = null;

  constructor(
    private readonly units: Units,
    private readonly subscription: SubscriptionRequest,
    private readonly followed: Followed<T>,
    public caller: Caller,
    /** Id of the last record that was sent, or passed because the filter excludes it. */
    public cursor: number,
    last: number,
  ) {
    this.#isAtEnd = cursor === last;
  }

  async *events(feeds: SharedFeeds): AsyncGenerator<Events<T>> {
    const { signal, track } = this.subscription;
    const shared = feeds.join(this, this.followed);
    const untrack = track(() => this.#foundAt ?? shared.waitingSince(this));
    try {
      while (!signal.aborted) {
        const found = await this.#look();
        if (found.length > 0) yield { records: found, texts: textsOf(found), permitted: this.#permitted };
        const page = await this.#nextPage(shared);
        if (page === null) continue;
        const records = page.records.filter(({ id }) => id > this.cursor);
        const texts = 'texts' in page ? page.texts : null;
        if (records.length > 0) yield { records, texts, permitted: this.#permitted };
        this.cursor = page.upTo;
      }
    } finally {
      untrack();
      shared.leave(this);
    }
  }

  async #nextPage(shared: SharedFeed<T>): Promise<Page<T> | SharedPage<T> | null> {
    // One commit can have events for many subscribers.
    await gather();
    const page = shared.take(this);
    if (page !== null) {
      this.#foundAt ??= page.arrivedAt;
      if (page.records.length === 0) await this.#permitted();
      return page;
    }
    if (!this.#isAtEnd && !shared.hasRead(this)) return await this.#ownPage(shared);
    this.#isAtEnd = false;
    this.#foundAt = null;
    if (await shared.wait(this, this.subscription.signal)) return null;
    // The wait ends for many subscribers at the same time.
    await gather();
    await this.#permitted();
    return null;
  }

  /** Records that have no row, see `NewRows.look`. */
  async #look(): Promise<readonly T[]> {
    const { newRows, condition } = this.followed;
    const look = await newRows.look?.(this.units, this.caller, this.#looked, condition);
    if (look === undefined) return [];
    this.#looked = look.number;
    return look.records;
  }

  async #ownPage(shared: SharedFeed<T>): Promise<Page<T>> {
    const caller = await this.#permitted();
    this.#foundAt ??= shared.waitingSince(this) ?? systemClock.elapsed();
    const page = await readPage(this.units, caller, this.followed, this.cursor);
    this.#isAtEnd = page.upTo === page.last;
    return page;
  }

  readonly #permitted = async (): Promise<Caller> => {
    this.caller = await this.subscription.caller();
    requireScope(this.caller, this.followed.scope);
    return this.caller;
  };
}

/** Texts of the records of a look, which all its subscribers get as the same array. */
const textsOfLooks = new WeakMap<readonly Identified[], SharedTexts>();

function textsOf(records: readonly Identified[]): SharedTexts {
  const texts = textsOfLooks.get(records) ?? new SharedTexts();
  textsOfLooks.set(records, texts);
  return texts;
}

function eventsAhead(cursor: number, last: number): GraphQLError {
  return new GraphQLError(
    `There is no event ${cursor} yet, the last of the company is ${last}: the id is of another company or database, or of this one before a backup was restored.`,
    { extensions: { code: 'EVENTS_AHEAD', last } },
  );
}
