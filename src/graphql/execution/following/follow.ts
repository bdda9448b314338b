import { GraphQLError } from 'graphql';

import type { Units } from '../../../database/work.js';
import type { WaitingSince } from '../../../http/monitoring/operations.js';
import { gather } from '../../../platform/concurrency/event-loop.js';
import { requireScope, type Caller, type Scope } from '../../../platform/requests.js';
import { requestError } from '../../schema/errors.js';
import { requireNoGap, textsOf, type Identified, type SharedTexts, type Source } from './page.js';
import type { SharedFeeds } from './shared-feed.js';

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
  /** These events as JSON, made once for all subscribers that get the same. */
  readonly texts: SharedTexts;
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
  return new Subscriber(units, subscription, followed, caller, cursor).events(feeds);
}

class Subscriber<T extends Identified> {
  /** Commit time of the oldest record that was found but not sent; null if there is none. */
  #foundAt: number | null = null;
  /** Number of the last look whose records were sent; null before the first. */
  #looked: number | null = null;

  constructor(
    private readonly units: Units,
    private readonly subscription: SubscriptionRequest,
    private readonly followed: Followed<T>,
    private caller: Caller,
    /** Id of the last record that was sent, or passed because the filter excludes it. */
    private cursor: number,
  ) {}

  async *events(feeds: SharedFeeds): AsyncGenerator<Events<T>> {
    const { signal, track } = this.subscription;
    const feed = feeds.join(this.caller.companyId, this.followed);
    const untrack = track(() => this.#foundAt ?? feed.committedAt);
    try {
      while (!signal.aborted) {
        // One commit can have events for many subscribers.
        await gather();
        const found = await this.#look();
        if (found.length > 0) yield this.#eventsOf(found, found);
        const page = await feed.read(this.caller, this.cursor);
        this.#foundAt ??= page.arrivedAt;
        const records = page.records.filter(({ id }) => id > this.cursor);
        if (records.length > 0) yield this.#eventsOf(records, page.records);
        else await this.#permitted();
        this.cursor = page.upTo;
        if (page.upTo === page.last) {
          this.#foundAt = null;
          this.#foundAt = await feed.wait(page.wake, signal);
        }
      }
    } finally {
      untrack();
      feed.leave();
    }
  }

  #eventsOf(records: readonly T[], all: readonly T[]): Events<T> {
    return { records, texts: textsOf(all), permitted: this.#permitted };
  }

  /** Records that have no row, see `NewRows.look`. */
  async #look(): Promise<readonly T[]> {
    const { newRows, condition } = this.followed;
    const look = await newRows.look?.(this.units, this.caller, this.#looked, condition);
    if (look === undefined) return [];
    this.#looked = look.number;
    return look.records;
  }

  readonly #permitted = async (): Promise<Caller> => {
    this.caller = await this.subscription.caller();
    requireScope(this.caller, this.followed.scope);
    return this.caller;
  };
}

function eventsAhead(cursor: number, last: number): GraphQLError {
  return new GraphQLError(
    `There is no event ${cursor} yet, the last of the company is ${last}: the id is of another company or database, or of this one before a backup was restored.`,
    { extensions: { code: 'EVENTS_AHEAD', last } },
  );
}
