import { fieldsIn } from '../../../database/list/condition.js';
import type { ReadWork } from '../../../database/work.js';
import { HOUR } from '../../../platform/clock.js';
import type { CountedTimeRange } from '../time-range.model.js';
import { placeOfPage, type PagePlace } from '../transaction.rules.js';
import {
  comparesKindsOnly,
  isKeptTotal,
  rangesOf,
  totalOf,
  type Narrowed,
} from '../totals/transaction-totals.service.js';
import {
  examineForTotals,
  hasManyTotals,
  isInOrder,
  withFewBesidesDays,
} from './transaction-extent.service.js';

/** Up to this offset, skipping index entries is faster than finding the day and hour of the page in totals. */
const NEAR_OFFSET = 300;
/** The same by application: its totals by hour are between those of all others. */
const NEAR_OFFSET_OF_APP = 2_000;

/** The number of matching transactions, and where those of a page are; undefined for a page without rows. */
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

/** Finds the hours of a page, if many index entries of the days before would have to be passed. */
async function withinHours(work: ReadWork, where: Narrowed['where'], place: PagePlace): Promise<PagePlace> {
  const isOfApp = fieldsIn(where).includes('appName');
  const passesOthers = !isOfApp && !isInOrder(where);
  const isNear = place.skip < (isOfApp ? NEAR_OFFSET_OF_APP : NEAR_OFFSET) && !passesOthers;
  if (isNear || place.to - place.from <= HOUR) return place;
  const narrowed = { period: { from: place.from, to: place.to }, where };
  if (await hasManyTotals(work, narrowed, 'hour')) return place;
  return placeOfPage(await rangesOf(work, narrowed, 'hour'), place.skip, place.limit) ?? place;
}
