import type { Condition } from '../../../../database/list/condition.js';
import type { Search } from '../../../../database/list/request-class.js';
import type { ReadWork } from '../../../../database/work.js';
import * as buckets from '../../../../platform/buckets.js';
import { DAY } from '../../../../platform/clock.js';
import { yieldToEventLoop } from '../../../../platform/concurrency/event-loop.js';
import { DomainError } from '../../../../platform/errors.js';
import {
  countInHalfHours,
  recordedDays,
  sumParts,
  type TotalsTable,
} from '../transaction-totals.repository.js';
import { HALF_HOURS, halfHoursAround } from '../transaction.model.js';
import { meeting } from '../transaction.repository.js';
import {
  meaningOf,
  narrowedTo,
  ofHalfHours,
  searchOfTotals,
  totalsTableFor,
  type Narrowed,
} from '../transaction.service.js';
import {
  isOffHalfHours,
  rangesToRead,
  MAX_READ,
  MAX_ROWS,
  MAX_ZONED_YEARS,
  type Dimension,
  type SummaryOrder,
  type SummaryPage,
  type SummaryRow,
} from './transaction-summary.model.js';
import {
  selectSummary,
  summaryRowOf,
  type Source,
  type TransactionIndex,
} from './transaction-summary.repository.js';

export interface SummaryRequest extends SummaryPage {
  readonly where: Condition | null;
  readonly bucket: buckets.Bucket;
  readonly by: readonly Dimension[];
  readonly timeZone: string | null;
}

/** Errors: `malformed` for an unknown time zone, for arguments that contradict each other, or beyond one of the maxima. */
export async function summarizeTransactions(work: ReadWork, request: SummaryRequest) {
  refuseContradictions(request);
  const narrowed = narrowedTo(meaningOf(work, request.where));
  const rows = await rowsOf(work, narrowed, request);
  if (rows.some(({ amountTotal }) => !Number.isSafeInteger(amountTotal))) {
    throw tooMuch('The amounts add up to more than 2^53 - 1 cents');
  }
  return rows;
}

function refuseContradictions(request: SummaryRequest): void {
  const { bucket, order, skip, first, emptyBuckets, minPayments } = request;
  const refuse = (message: string): never => {
    throw new DomainError('malformed', message);
  };
  if (first !== null && (first < 1 || first > MAX_ROWS))
    refuse(`first must be from 1 to ${MAX_ROWS}, not ${first}.`);
  if (skip < 0) refuse(`skip must be 0 or more, not ${skip}.`);
  if (minPayments < 0) refuse(`minPayments must be 0 or more, not ${minPayments}.`);
  if (skip > 0 && first === null) refuse('skip goes with first: say how many rows follow.');
  const isOfAll = first === null && minPayments === 0 && order.field === 'time';
  if (emptyBuckets && (bucket === 'none' || !isOfAll)) {
    refuse(
      'emptyBuckets needs a bucket other than NONE and all rows in the order TIME: leave out first, skip and minPayments.',
    );
  }
}

async function rowsOf(work: ReadWork, given: Narrowed, request: SummaryRequest) {
  const { bucket, by, timeZone, order, skip, first: most, emptyBuckets, minPayments } = request;
  const { where } = given;
  const zone = buckets.zoneOf(timeZone, bucket);
  const days = bucket === 'none' ? [given.period] : await recordedDays(work, given.period);
  const [first, last] = [days[0], days.at(-1)];
  const recorded = first && last && { from: first.from, to: last.to };
  const period = emptyBuckets ? buckets.filledPeriod(given.period, recorded) : recorded;
  if (period === undefined) return [];
  if (zone !== null && period.to - period.from > MAX_ZONED_YEARS * 366 * DAY) {
    throw tooMuch(`In a time zone, a summary covers at most ${MAX_ZONED_YEARS} years`);
  }
  if (emptyBuckets && (period.to - period.from) / buckets.SHORTEST[bucket] > MAX_ROWS) throw tooManyRows();
  const table = totalsFor(where, bucket, by, zone);
  await yieldToEventLoop();
  const offsets = buckets.offsetsFor(zone, period);
  const segments =
    bucket === 'none'
      ? [{ ...period, bucketStart: 0 }]
      : days.flatMap((part) => buckets.segmentsOf(bucket, offsets, part));
  await yieldToEventLoop();
  const sources =
    table === undefined
      ? [await transactionsOf(work, given, segments)]
      : await totalsOf(work, table, rangesToRead(bucket, segments));
  const isPage = most !== null || minPayments > 0;
  const page = { order, skip, isPage, limit: most ?? MAX_ROWS + 1, minPayments };
  const query = { sources, bucket, by: [...new Set(by)], where: meeting(where), ...page };
  const rows = await selectSummary(work, query);
  await yieldToEventLoop();
  const empty = emptyBuckets ? emptyRows(bucket, rows, buckets.segmentsOf(bucket, offsets, period)) : [];
  if (rows.length + empty.length > MAX_ROWS) throw tooManyRows();
  const shown = empty.length === 0 ? rows : inOrder([...rows, ...empty], order);
  return bucket === 'none' ? shown : buckets.withEnds(shown, bucket, offsets);
}

function emptyRows(
  bucket: buckets.Bucket,
  rows: readonly SummaryRow[],
  segments: readonly buckets.Segment[],
) {
  const known = new Set(rows.map(({ bucketStart }) => bucketStart?.getTime()));
  const starts = new Set(segments.map(({ bucketStart }) => bucketStart));
  return [...starts]
    .filter((start) => !known.has(start))
    .map((start) => summaryRowOf({ bucket: start }, { bucket, by: [] }));
}

function inOrder(rows: readonly SummaryRow[], { direction }: SummaryOrder): readonly SummaryRow[] {
  const sign = direction === 'asc' ? 1 : -1;
  const time = ({ bucketStart }: SummaryRow): number => sign * Number(bucketStart);
  return rows.toSorted((one, other) => time(one) - time(other));
}

/** Totals of whole spans, and the transactions of the other ranges. Errors: `malformed` for too many of these. */
async function totalsOf(work: ReadWork, table: TotalsTable, ranges: ReturnType<typeof rangesToRead>) {
  const singles = ranges.get('instant') ?? [];
  // Two are the ends of the period; more are where buckets begin off the half hour.
  const read = singles.length <= 2 ? 0 : await countInHalfHours(work, singles);
  if (read > MAX_READ) {
    throw tooManyToRead('In a time zone whose days begin at other minutes of UTC than 0 and 30', read);
  }
  return [...ranges].map(([of, each]): Source => ({
    of: of === 'instant' ? { index: 'newest' } : { table, span: of },
    ranges: each,
  }));
}

/** Search of `summarizeTransactions`: totals or transactions. Errors: `malformed` for an unknown zone. */
export function searchOfSummary({ where, bucket, by, timeZone }: SummaryRequest): Search {
  const narrowed = narrowedTo(where);
  const zone = buckets.zoneOf(timeZone, bucket);
  const isOfTotals = totalsFor(narrowed.where, bucket, by, zone) !== undefined;
  if (!isOfTotals || (zone !== null && isOffHalfHours(zone))) return { rows: 'transactions' };
  return searchOfTotals(narrowed, zone === null && bucket !== 'hour' ? undefined : HALF_HOURS, by);
}

/** The table with the totals of a summary; undefined if there is none, or if hours begin off the half hour. */
function totalsFor(where: Condition, bucket: buckets.Bucket, by: readonly Dimension[], zone: string | null) {
  if (bucket === 'hour' && zone !== null && isOffHalfHours(zone)) return undefined;
  return totalsTableFor(where, by);
}

/** The transactions of a period, by the most selective index. Errors: `malformed` for too many. */
async function transactionsOf(
  work: ReadWork,
  { period, where }: Narrowed,
  ranges: readonly buckets.Segment[],
) {
  const index = indexOf(where);
  if (index === 'newest') {
    const held = await sumParts(work, ofHalfHours([halfHoursAround(period)]));
    if (held > MAX_READ) throw tooManyToRead('By these fields or with this filter', held);
  }
  return { of: { index }, ranges };
}

function indexOf(where: Narrowed['where']): TransactionIndex {
  const names = (field: string): boolean =>
    where.and.some((part) => 'field' in part && part.field === field && ['eq', 'in'].includes(part.operator));
  if (names('serialNumber')) return 'serial';
  if (names('logicalNumber')) return 'logical_number';
  if (names('nsu')) return 'nsu';
  return names('authorizationCode') ? 'authorization' : 'newest';
}

const tooManyRows = (): DomainError =>
  tooMuch(`The summary has more than ${MAX_ROWS} rows, which first and skip read in pages`);

const tooManyToRead = (where: string, transactions: number): DomainError =>
  tooMuch(
    `${where}, a summary reads at most ${MAX_READ} transactions, and the half hours of the interval have ${transactions}`,
  );

const tooMuch = (what: string): DomainError =>
  new DomainError('malformed', `${what}: shorten the interval of startedAt, or group by fewer fields.`);
