import { GraphQLError } from 'graphql';

import type { Units } from '../../../database/work.js';
import type { Scope } from '../../../platform/caller.js';
import { requestError } from '../../schema/errors.js';
import type { SubscriptionRequest } from '../request.js';
import { Feed, type Events } from './feed.js';
import { demandNoGap, type Identified, type Source } from './page.js';
import type { SharedFeeds } from './shared-feeds.js';

/** Records that a subscriber follows, and the scope it needs. */
export interface Followed<T> extends Source<T> {
  /** Required scope; checked before events are sent. */
  readonly scope: Scope;
  /** Only records with a greater id are sent; null for records recorded from now on. */
  readonly after: number | null;
}

/**
 * Records in the order of their ids, without a gap or a repeat, until the client leaves or loses its scope.
 * They are read from the database when the iterator is asked for the next ones, once for all subscribers that
 * wait for them (decisions.md#subscriptions).
 * Errors: BAD_USER_INPUT, EVENTS_AHEAD and EVENTS_GONE for a wrong `after`; later also `unauthenticated`,
 * `forbidden`.
 */
export async function follow<T extends Identified>(
  { units, feeds }: { readonly units: Units; readonly feeds: SharedFeeds },
  subscription: SubscriptionRequest,
  followed: Followed<T>,
): Promise<AsyncIterable<Events<T>>> {
  const { newRows, after } = followed;
  const caller = await subscription.caller();
  const { companyId } = caller;
  const { last } = await units.systemRead((work) => newRows.span(work, companyId));
  const cursor = subscription.lastSeen ?? after ?? last;
  if (cursor < 0) throw requestError(`after must be 0 or more, not ${cursor}.`);
  if (cursor > last) throw eventsAhead(cursor, last);
  await demandNoGap(units, newRows, companyId, cursor);
  const shared = () => feeds.of(companyId, followed);
  return new Feed(units, subscription, followed, shared, { caller, cursor, last }).events();
}

function eventsAhead(cursor: number, last: number): GraphQLError {
  return new GraphQLError(
    `There is no event ${cursor} yet, the last of the company is ${last}: the id is of another company or database, or of this one before a backup was restored.`,
    { extensions: { code: 'EVENTS_AHEAD', last } },
  );
}
