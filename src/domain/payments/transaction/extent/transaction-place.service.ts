import { fieldsIn } from '../../../../database/list/condition.js';
import type { ReadWork } from '../../../../database/work.js';
import { HOUR } from '../../../../platform/clock.js';
import type { CountedTimeRange } from '../time-range.model.js';
import {
  comparesKindsOnly,
  isKeptTotal,
  rangesOf,
  totalOf,
  type Narrowed,
} from '../totals/transaction-totals.service.js';
import { placeOfPage, type PagePlace } from '../transaction.rules.js';
import {
  examineForTotals,
  hasManyTotals,
  isInOrder,
  withFewBesidesDays,
} from './transaction-extent.service.js';

/** Maximum offset for which skipping index entries is faster than finding the page in totals. */
const NEAR_OFFSET = 300;
/** `NEAR_OFFSET` of a filter by application: its totals are stored between those of others. */
const NEAR_OFFSET_OF_APP = 2_000;

/** Number of matching transactions, and location of the page: undefined for a page without rows. */
export async function placePage(
  work: ReadWork,
  given: Narrowed,
  offset: number,
  limit: number,
): Promise<{ readonly total: number; readonly place: PagePlace | undefined }> {
  const narrowed = await withFewBesidesDays(work, given);
  const { period, where } = narrowed;
  const isNear = isInOrder(where) && offset < NEAR_OFFSET;
  if (!isNear || !isKeptTotal(narrowed)) await examineForTotals(work, narrowed);
  if (isNear || !comparesKindsOnly(where)) {
    const total = await totalOf(work, narrowed);
    return { total, place: placeOfPage([{ ...period, total }], offset, limit) };
  }
  const days = await rangesOf(work, narrowed, 'day');
  const place = placeOfPage(days, offset, limit);
  return { total: sumOf(days), place: place && (await withinHours(work, where, place)) };
}

function sumOf(ranges: readonly CountedTimeRange[]): number {
  return ranges.reduce((sum, { total }) => sum + total, 0);
}

/** Narrows a page to its hours, if many index entries of the day would have to be skipped otherwise. */
async function withinHours(work: ReadWork, where: Narrowed['where'], place: PagePlace): Promise<PagePlace> {
  const isOfApp = fieldsIn(where).includes('appName');
  const passesOthers = !isOfApp && !isInOrder(where);
  const isNear = place.skip < (isOfApp ? NEAR_OFFSET_OF_APP : NEAR_OFFSET) && !passesOthers;
  if (isNear || place.to - place.from <= HOUR) return place;
  const narrowed = { period: { from: place.from, to: place.to }, where };
  if (await hasManyTotals(work, narrowed, 'hour')) return place;
  return placeOfPage(await rangesOf(work, narrowed, 'hour'), place.skip, place.limit) ?? place;
}
