import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { GraphQLError } from 'graphql';

import type { Arrivals, IdSpan } from '../../database/list/arrivals.js';
import { comparisonsIn, type Condition } from '../../database/list/condition.js';
import type { Units } from '../../database/work.js';
import { demandScope, type Caller, type Scope } from '../../platform/caller.js';
import { systemClock } from '../../platform/clock.js';
import { approximateJsonBytes } from '../limits/json-bytes.js';
import { requestError } from '../schema/errors.js';
import type { SubscriptionRequest } from './request.js';
import { Signal } from './signal.js';

/** Most records in memory for one subscriber. A slow one takes no more: the rest stays in the database. */
const PAGE_SIZE = 25;
/** Most bytes of these records, unless one alone has more. */
const PAGE_BYTES = 256 * 1024;
/** Most ids that one statement searches, and most values that it compares: a filter may leave few of them. */
const MAX_IDS = 2_000;
const MAX_VALUES = 20_000;
/** Poll interval: finds records that other processes wrote, and checks the token again. */
const POLL_MS = 1_500;
/** The least time between two reads of one subscriber, so that records which follow each other are read together. */
const INTERVAL_MS = 20;

interface Identified {
  readonly id: number;
}

/** What a subscriber follows. */
export interface Followed<T> {
  readonly arrivals: Arrivals<T>;
  readonly condition: Condition | null;
  /** Checked for each event. */
  readonly scope: Scope;
  /** Records with a greater id are sent; null for those recorded from now on. */
  readonly after: number | null;
}

/**
 * Records in the order of their ids, without a gap or a repeat, until the client leaves or loses its scope. They are
 * read from the database when the iterator is asked for the next one.
 * Errors: BAD_USER_INPUT, EVENTS_AHEAD and EVENTS_GONE for a wrong `after`; later also `unauthenticated`, `forbidden`.
 */
export async function follow<T extends Identified>(
  units: Units,
  subscription: SubscriptionRequest,
  followed: Followed<T>,
): Promise<AsyncIterable<T>> {
  const { arrivals, after } = followed;
  const { companyId } = await subscription.caller();
  const { last } = await units.systemRead((work) => arrivals.span(work, companyId));
  const cursor = subscription.lastSeen ?? after ?? last;
  if (cursor < 0) throw requestError(`after must be 0 or more, not ${cursor}.`);
  if (cursor > last) throw eventsAhead(cursor, last);
  const feed = new Feed(units, subscription, { ...followed, companyId }, cursor);
  await feed.demandNoGap();
  return feed.events();
}

class Feed<T extends Identified> {
  readonly #committed = new Signal();
  #last = 0;
  #readAt = -Infinity;
  /** When the oldest record was committed that came after the latest read, and that this read or one before it found. */
  #arrivedAt: number | null = null;
  #foundAt: number | null = null;

  constructor(
    private readonly units: Units,
    private readonly subscription: SubscriptionRequest,
    private readonly followed: Followed<T> & { readonly companyId: number },
    /** Id of the last record that was sent, or passed because the filter excludes it. */
    private cursor: number,
  ) {}

  async *events(): AsyncGenerator<T> {
    const { signal } = this.subscription;
    const notify = (): void => this.#committed.notify();
    const { companyId } = this.followed;
    const untrack = this.subscription.track(() => this.#foundAt ?? this.#arrivedAt);
    const unsubscribe = this.units.onCommitted((entries) => {
      if (entries?.some((entry) => entry.companyId === companyId) === false) return;
      this.#arrivedAt ??= systemClock.elapsed();
      notify();
    });
    signal.addEventListener('abort', notify);
    try {
      while (!signal.aborted) {
        for (const record of await this.#nextPage()) {
          await this.#permittedCaller();
          yield record;
          // Lets other work run, also between records that the client takes at once.
          await setImmediate();
        }
        if (this.cursor === this.#last) {
          this.#foundAt = null;
          await this.#waitForRecords();
        } else await setImmediate();
      }
    } finally {
      untrack();
      unsubscribe();
      signal.removeEventListener('abort', notify);
    }
  }

  /** Errors: EVENTS_GONE where records after the cursor were deleted by retention. */
  async demandNoGap(): Promise<void> {
    const { first } = await this.#span();
    if (first > this.cursor + 1) throw eventsGone(this.cursor, first - 1);
  }

  async #nextPage(): Promise<readonly T[]> {
    const caller = await this.#permittedCaller();
    this.#readAt = systemClock.elapsed();
    this.#foundAt ??= this.#arrivedAt;
    this.#arrivedAt = null;
    this.#last = (await this.#span()).last;
    if (this.#last === this.cursor) return [];
    // Another process wrote what was not reported.
    this.#foundAt ??= this.#readAt;
    const { arrivals, condition } = this.followed;
    const ids = Math.floor(MAX_VALUES / ((condition === null ? 0 : comparisonsIn(condition)) + 1));
    const upTo = Math.min(this.#last, this.cursor + Math.min(ids, MAX_IDS));
    const range = { after: this.cursor, upTo, limit: PAGE_SIZE, condition };
    const found = await this.units.read(caller, (work) => arrivals.read(work, range));
    await this.demandNoGap();
    const page = withinPageBytes(found);
    // The other ids of the range do not meet the filter.
    const isComplete = found.length < PAGE_SIZE && page.length === found.length;
    this.cursor = isComplete ? upTo : (page.at(-1)?.id ?? upTo);
    return page;
  }

  #span(): Promise<IdSpan> {
    const { arrivals, companyId } = this.followed;
    return this.units.systemRead((work) => arrivals.span(work, companyId));
  }

  /** The caller of the token as it is now. Errors: `unauthenticated`, `forbidden`. */
  async #permittedCaller(): Promise<Caller> {
    const caller = await this.subscription.caller();
    demandScope(caller, this.followed.scope);
    return caller;
  }

  async #waitForRecords(): Promise<void> {
    await this.#committed.wait(POLL_MS);
    const early = INTERVAL_MS - (systemClock.elapsed() - this.#readAt);
    if (early > 0 && !this.subscription.signal.aborted) await sleep(early);
  }
}

/** The first records of at most `PAGE_BYTES` together; at least one. */
function withinPageBytes<T>(records: readonly T[]): readonly T[] {
  let bytes = 0;
  const beyond = records.findIndex(
    (record, index) => (bytes += approximateJsonBytes(record)) > PAGE_BYTES && index > 0,
  );
  return beyond === -1 ? records : records.slice(0, beyond);
}

function eventsGone(cursor: number, resumeAfter: number): GraphQLError {
  return new GraphQLError(
    `Events ${cursor + 1} to ${resumeAfter} were deleted by retention. Resume with after: ${resumeAfter}.`,
    { extensions: { code: 'EVENTS_GONE', resumeAfter } },
  );
}

function eventsAhead(cursor: number, last: number): GraphQLError {
  return new GraphQLError(
    `There is no event ${cursor} yet, the last of the company is ${last}: the id is of another company or database, or of this one before a backup was restored.`,
    { extensions: { code: 'EVENTS_AHEAD', last } },
  );
}
