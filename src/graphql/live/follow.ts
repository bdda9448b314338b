import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { GraphQLError } from 'graphql';

import type { Arrivals, IdSpan } from '../../database/list/arrivals.js';
import type { Condition } from '../../database/list/condition.js';
import type { Units } from '../../database/work.js';
import { demandScope, type Scope } from '../../platform/caller.js';
import type { SubscriptionRequest } from '../execution/request.js';
import { requestError } from '../schema/errors.js';
import { approximateJsonBytes } from '../limits/json-bytes.js';
import { Signal } from './signal.js';

/** Records in hand of one subscriber, at most; nothing else waits in memory for a slow one. */
const PAGE = 25;
/** And bytes of them, unless one alone has more. */
const IN_HAND = 256 * 1024;
/** Ids that one statement looks through, at most: a filter may leave few of them. */
const STRETCH = 2_000;
/** How often the database is looked at for what other processes wrote, and whoever asks for their right. */
const LOOK_EVERY_MS = 1_500;
/** What is written within this time is read together. */
const GATHER_MS = 20;

interface Identified {
  readonly id: number;
}

export interface Followed<T> {
  readonly arrivals: Arrivals<T>;
  readonly condition: Condition | null;
  /** The right that each event takes. */
  readonly scope: Scope;
  /** The id after which it begins; null for what comes from now on. */
  readonly after: number | null;
}

/**
 * What arrives, in the order of ids, without a gap or a repeat, for as long as its reader takes it and
 * may have it. Rows are read from the database when they are asked for.
 */
export async function follow<T extends Identified>(
  units: Units,
  lasting: SubscriptionRequest,
  followed: Followed<T>,
): Promise<AsyncIterable<T>> {
  const { arrivals, after } = followed;
  const { last } = await units.systemRead((work) => arrivals.span(work));
  const cursor = lasting.lastSeen ?? after ?? last;
  if (cursor < 0) throw requestError(`after is 0 or more, not ${cursor}.`);
  if (cursor > last) throw ahead(cursor, last);
  const feed = new Feed(units, lasting, followed, cursor);
  await feed.demandWhole();
  return feed.events();
}

class Feed<T extends Identified> {
  readonly #bell = new Signal();
  #last = 0;

  constructor(
    private readonly units: Units,
    private readonly lasting: SubscriptionRequest,
    private readonly followed: Followed<T>,
    private cursor: number,
  ) {}

  async *events(): AsyncGenerator<T> {
    const { signal } = this.lasting;
    const ring = (): void => this.#bell.ring();
    const { companyId } = await this.lasting.caller();
    const unwatch = this.units.onCommitted((entries) => {
      if (entries.some((entry) => entry.companyId === companyId)) ring();
    });
    signal.addEventListener('abort', ring);
    try {
      while (!signal.aborted) {
        for (const record of await this.#nextPage()) {
          await this.#permitted();
          yield record;
          // A reader that takes everything at once lets others through all the same.
          await setImmediate();
        }
        if (this.cursor === this.#last) await this.#somethingNew();
        else await setImmediate();
      }
    } finally {
      unwatch();
      signal.removeEventListener('abort', ring);
    }
  }

  /** Rejects where records after the cursor are gone, so that nobody takes a gap for silence. */
  async demandWhole(): Promise<void> {
    const { first } = await this.#span();
    if (first > this.cursor + 1) throw gone(this.cursor, first - 1);
  }

  async #nextPage(): Promise<readonly T[]> {
    const caller = await this.#permitted();
    this.#last = (await this.#span()).last;
    if (this.#last === this.cursor) return [];
    const { arrivals, condition } = this.followed;
    const upTo = Math.min(this.#last, this.cursor + STRETCH);
    const stretch = { after: this.cursor, upTo, limit: PAGE, condition };
    const page = await this.units.read(caller, (work) => arrivals.read(work, stretch));
    await this.demandWhole();
    const inHand = asMuchAsFits(page);
    // Whatever else there is in the stretch is not for this reader.
    const isAll = page.length < PAGE && inHand.length === page.length;
    this.cursor = isAll ? upTo : (inHand.at(-1)?.id ?? upTo);
    return inHand;
  }

  #span(): Promise<IdSpan> {
    return this.units.systemRead((work) => this.followed.arrivals.span(work));
  }

  /** Who asks, as of now. Errors: `unauthenticated`, `forbidden`. */
  async #permitted() {
    const caller = await this.lasting.caller();
    demandScope(caller, this.followed.scope);
    return caller;
  }

  async #somethingNew(): Promise<void> {
    await this.#bell.wait(LOOK_EVERY_MS);
    if (!this.lasting.signal.aborted) await sleep(GATHER_MS);
  }
}

/** One at least. */
function asMuchAsFits<T>(records: readonly T[]): readonly T[] {
  let bytes = 0;
  const beyond = records.findIndex(
    (record, place) => (bytes += approximateJsonBytes(record)) > IN_HAND && place > 0,
  );
  return beyond === -1 ? records : records.slice(0, beyond);
}

function gone(cursor: number, resumeAfter: number): GraphQLError {
  return new GraphQLError(
    `What came right after ${cursor} is kept no longer: go on with after: ${resumeAfter}, and mind the gap.`,
    { extensions: { code: 'EVENTS_GONE', resumeAfter } },
  );
}

function ahead(cursor: number, last: number): GraphQLError {
  return new GraphQLError(
    `There is nothing as far as ${cursor} yet, the last is ${last}. Is it of another database, or from before a backup was restored?`,
    { extensions: { code: 'EVENTS_AHEAD', last } },
  );
}
